//! Indices that are outside of their axis whatever the sizes are: they can only fail, so the program is refused.
//!
//! Refused is what the text itself says: numbers, sizes, and sums and products of these. An index with another name in
//! it may stand in a branch that its value excludes.

use crate::data::problem::Problem;
use crate::elaborate::env::Entry;
use crate::elaborate::{Elab, Mode};
use arr_ir::{Atom, SizeId};
use arr_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// What a subscript is: an index, or a bound of a slice, which may be the size itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subscripted {
    Index,
    Bound,
}

impl Elab<'_> {
    /// Reports a subscript of an axis that is outside for every size.
    pub fn refuse_outside(&mut self, e: &Expr, atom: Atom, size: SizeId, what: Subscripted) {
        // A branch may be one that is never taken.
        if self.mode != Mode::Check || self.branches > 0 || !self.is_written(e) {
            return;
        }
        let index = self.poly(atom);
        let beyond = index.sub(self.b.func.types.poly(size)).as_constant();
        let first = if what == Subscripted::Index { 0 } else { 1 };
        let negative = index.as_constant().filter(|value| *value < 0);
        // A function may be applied to arrays of several sizes.
        let past = beyond.is_some_and(|beyond| beyond >= first) && self.inlined == 0;
        if negative.is_none() && !past {
            return;
        }
        let last = self.size_const(negative.unwrap_or(-1));
        let last = self.size_add(size, last);
        let index = self.b.func.types.size(index);
        let texts = [index, size, last].map(|size| self.show_size(size));
        let [index, size, last] = texts;
        let (span, bound) = (e.span, what == Subscripted::Bound);
        self.fail(Problem::Outside { span, index, size, last, negative: negative.is_some(), bound });
    }

    /// Whether an expression is made of numbers and sizes alone.
    fn is_written(&self, e: &Expr) -> bool {
        match &*e.kind {
            ExprKind::Number(_) => true,
            ExprKind::Name(name) => matches!(self.env.get(name), Some(Entry::Size(_))),
            ExprKind::Unary(UnaryOp::Neg, e) => self.is_written(e),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                self.is_written(a) && self.is_written(b)
            }
            ExprKind::Call(f, args) => {
                let length =
                    matches!(&*f.kind, ExprKind::Name(name) if name == "length" && self.env.get(name).is_none());
                length && args.iter().all(|arg| matches!(&*arg.kind, ExprKind::Name(_)))
            }
            _ => false,
        }
    }
}
