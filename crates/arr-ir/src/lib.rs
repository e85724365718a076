//! The core and bulk IR: typed ids, hash-consed types and sizes, one operator table, builder, text form, verifier, and
//! the reference interpreter, which is the meaning of the language and counts operations.

mod builder;
mod edge;
mod error;
mod func;
mod prim;
mod ty;
mod value;
pub mod walk;

pub use builder::Builder;
pub use edge::{Edge, EdgeParam, Leaf};
pub use error::{RunError, RunErrorKind};
pub use func::{
    Atom, Axis, Block, Check, Func, Literal, Op, Reduction, ScatterKind, Stmt, VarId, VarInfo,
};
pub use prim::{Prim, TypeRule, convert, eval_f64};
pub use ty::{Const, Poly, Scalar, SizeId, Type, TypeId, Types};
pub use value::{Array, Data, Value};
