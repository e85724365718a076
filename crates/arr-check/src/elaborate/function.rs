//! Function values.

use crate::data::builtins::Builtin;
use crate::data::chosen::ChosenAt;
use crate::data::tables::SumDef;
use crate::data::types::{Derivative, FnId, Ty};
use crate::data::values::{Arg, Val};
use crate::elaborate::env::{Env, TypeScope};
use arr_syntax::ast::{self, BinaryOp, Expr};
use std::rc::Rc;

/// A function value. Bodies are evaluated at each application, with the types of the arguments known.
#[derive(Clone)]
pub(crate) enum FnVal<'a> {
    Lambda {
        params: &'a [ast::Param],
        body: &'a Expr,
        captured: Env<'a>,
        scope: TypeScope<'a>,
    },
    Def(usize),
    Builtin(&'static Builtin),
    Operator(BinaryOp),
    /// A constructor that carries something: the name of its sum, and its place there.
    Constructor(&'a SumDef, usize),
    Derivative(Derivative, FnId),
    /// `grad[w, b]`.
    Chosen(&'static Builtin, Rc<[ChosenAt<'a>]>),
    /// `grad[w, b](f)`: the places of the parameters.
    DerivativeBy(Derivative, FnId, Rc<[usize]>),
    /// A function of the arguments at some places, given as one; the others, in their order, are `rest`.
    Packed {
        f: FnId,
        at: Rc<[usize]>,
        rest: Vec<Arg>,
    },
    /// The second component of `vjp(f, x)`.
    Pullback {
        f: FnId,
        x: Val,
        y: Val,
        result: Ty,
    },
    /// The second component of `linearize(f, x)`.
    Pushforward {
        f: FnId,
        x: Val,
    },
    /// A function whose reverse mode starts from its arguments alone.
    Checkpoint(FnId),
    /// A function parameter while its definition is checked.
    Opaque {
        params: Vec<Ty>,
        result: Ty,
    },
}
