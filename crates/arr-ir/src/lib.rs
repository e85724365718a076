//! The core and bulk IR: typed ids, hash-consed types and sizes, one operator table, builder, text form, verifier, and
//! the reference interpreter, which is the meaning of the language and counts operations.

pub mod bounds;
mod builder;
mod callee;
pub mod columns;
mod contraction;
pub mod cost;
mod edge;
mod func;
pub mod integers;
pub mod interp;
mod parse;
mod prim;
mod print;
pub mod rewrite;
pub mod sample;
mod scalar_code;
pub mod symbolic;
mod ty;
mod value;
mod verify;
pub mod walk;

pub use arr_base::{RunError, RunErrorKind, Scalar};
#[doc(hidden)]
pub use arr_math::for_each_function;
pub use builder::Builder;
pub use callee::{Callee, Shape};
pub use contraction::{Affine, Coefficient, Contraction, Factor, contractions};
pub use cost::Cost;
pub use edge::{Edge, EdgeParam, Leaf};
pub use func::{Atom, Axis, Block, Check, Func, Literal, Op, Reduction, ScatterKind, Stmt, VarId, VarInfo};
pub use parse::{TextError, parse_func, parse_funcs, quoted};
pub use prim::{Prim, TypeRule, convert, eval_f64};
pub use print::{Names, const_text, print_func, print_stmt, size_text};
pub use scalar_code::{Repeats, is_scalar_code};
pub use ty::{Const, Poly, SizeId, Type, TypeId, Types};
pub use value::{Array, Data, Value, index_of, index_text};
pub use verify::{Level, VerifyError, has_derivatives, report, verify, verify_structure};
