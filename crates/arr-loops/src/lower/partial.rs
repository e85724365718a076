//! Partial reductions: how the results of chunks of iterations are combined.

use super::kernel::Accumulator;
use super::{Lowerer, Result};
use crate::emit::{Emitter, Opened};
use crate::{LocalId, Operand, Parallel, Partial, Ty};
use arr_ir::{Const, Prim, Reduction, Scalar};

impl Lowerer<'_> {
    /// How partial results of a reduction are combined: `None` if its order matters. To be called at the end of the
    /// body of its nest. `seen` is the flag of a reduction that needs elements.
    pub(super) fn combination(
        &mut self,
        kind: Reduction,
        accumulators: &[Accumulator],
        seen: Option<LocalId>,
    ) -> Result<Option<Parallel>> {
        let rounds = matches!(kind, Reduction::Sum | Reduction::Product);
        let in_order = |a: &Accumulator| a.init.scalar().is_float() && rounds && !self.options.relaxed;
        if accumulators.iter().any(in_order) {
            return Ok(None);
        }
        let mut partials = Vec::new();
        self.emit.open(Opened::Branch);
        for accumulator in accumulators {
            let result = self.emit.partial(accumulator.result, accumulator.init, &mut partials);
            match accumulator.best {
                // The position of the best value. That of an earlier chunk wins a tie, as in sequential order.
                Some(best) => {
                    let value = self.emit.partial(best, accumulator.init, &mut partials);
                    self.accumulate(kind, accumulator, value.into(), Some(result))?;
                }
                None => self.accumulate(kind, accumulator, result.into(), None)?,
            }
        }
        if let Some(seen) = seen {
            let other = self.emit.partial(seen, Const::I64(0), &mut partials);
            let value = self.prim_of(Prim::Max, vec![seen.into(), other.into()])?;
            self.emit.push(crate::Stmt::Set { local: seen, value });
        }
        let combine = self.emit.close().stmts;
        Ok(Some(Parallel { partials, combine, ..Parallel::default() }))
    }
}

impl Emitter {
    /// A local for a later chunk's part of `local`, which chunks begin with `init`, or with 0 if it is a place.
    fn partial(&mut self, local: LocalId, init: Const, partials: &mut Vec<Partial>) -> LocalId {
        let ty = self.func.ty(local);
        let init = if init.scalar() == ty.elem() { init } else { Const::zero(ty.elem()) };
        let hint = format!("{}.part", self.func.locals[local].name);
        let other = self.local(&hint, ty);
        partials.push(Partial { local, init, other });
        other
    }

    /// Whether the iterations of a loop of a nest write distinct elements for fixed outer indices: one of the indices
    /// that a write names moves with the loop's index and with no loop inside it.
    pub(super) fn tells_apart(&self, index: LocalId, writes: &[&[Operand]]) -> bool {
        match writes {
            [[_, places @ .., _]] => places.iter().any(|&place| self.moves_with(place, index)),
            // The places of one write must differ from those of another, too.
            [[_, first @ .., _], ..] => first.iter().enumerate().any(|(axis, &place)| {
                self.moves_with(place, index) && writes.iter().all(|write| write.get(1 + axis) == Some(&place))
            }),
            _ => false,
        }
    }

    /// Whether a value is the index of a loop, or differs from it (or from its negation) by a loop-invariant amount.
    fn moves_with(&self, value: Operand, index: LocalId) -> bool {
        let Operand::Local(local) = value else { return false };
        let fixed =
            |operand: Operand| !self.is_mutable(operand) && self.depth_of(operand) < self.depth_of(index.into());
        let sum = |a: Operand, b: Operand| a == index.into() && fixed(b);
        match self.definition(local) {
            _ if local == index => true,
            Some(crate::Expr::Prim(Prim::Add | Prim::Sub, args)) => {
                matches!(args.as_slice(), &[a, b] if sum(a, b) || sum(b, a)) && self.func.ty(local) == INDEX
            }
            _ => false,
        }
    }
}

const INDEX: Ty = Ty::Scalar(Scalar::I64);
