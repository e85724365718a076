//! Branches, checks and comparisons of integers in a vector program.
//!
//! Both branches of an `if` run for all iterations. The locals that they set are selected after them; they load nothing
//! and cannot fail. An index that is outside makes the program leave before the current iterations: the plain loop
//! continues, and stops where it should.

use super::{Translated, Translator};
use arr_ir::Prim;
use arr_loops::{LocalId, Operand, Stmt};
use arr_x86::{Bits, Elem, Op, Value};

/// A branch that is being translated.
pub(super) struct Guard {
    /// The lanes that take it.
    mask: Value,
    /// The locals from outside that it has set, and their values at its end so far.
    set: Vec<(LocalId, Value)>,
}

impl<'a> Translator<'a, '_> {
    pub(super) fn branches(&mut self, cond: Operand, then_body: &'a [Stmt], else_body: &'a [Stmt]) -> Option<()> {
        let mask = self.mask(cond)?;
        let not = self.b.op(Op::Not(mask));
        let chosen = self.branch(mask, then_body)?;
        let other = self.branch(not, else_body)?;
        let mut locals: Vec<LocalId> = chosen.iter().map(|&(local, _)| local).collect();
        locals.extend(other.iter().map(|&(local, _)| local).filter(|local| chosen.iter().all(|(l, _)| l != local)));
        let mut selected = Vec::new();
        for local in locals {
            let of = |set: &[(LocalId, Value)]| set.iter().find(|(l, _)| *l == local).map(|&(_, value)| value);
            let [a, b] = [of(&chosen), of(&other)].map(|value| value.or_else(|| self.float(local.into())));
            selected.push((local, self.b.op(Op::Select(mask, a?, b?))));
        }
        for (local, value) in selected {
            if self.guards.is_empty() {
                let variable = self.float(local.into())?;
                self.b.set(variable, value);
            } else {
                self.note(local, value)?;
            }
        }
        Some(())
    }

    /// Runs a branch; returns what it sets.
    fn branch(&mut self, mask: Value, body: &'a [Stmt]) -> Option<Vec<(LocalId, Value)>> {
        let before = self.values.clone();
        let mask = match self.guards.last() {
            Some(around) => self.b.op(Op::And(around.mask, mask)),
            None => mask,
        };
        self.guards.push(Guard { mask, set: Vec::new() });
        self.block(body)?;
        self.values = before;
        Some(self.guards.pop()?.set)
    }

    pub(super) fn guarded_set(&mut self, local: LocalId, value: Operand) -> Option<()> {
        let value = self.snapshot(value)?;
        self.note(local, value)
    }

    fn note(&mut self, local: LocalId, value: Value) -> Option<()> {
        self.values.insert(local, Translated::Float(value));
        let set = &mut self.guards.last_mut()?.set;
        match set.iter_mut().find(|(l, _)| *l == local) {
            Some((_, latest)) => *latest = value,
            None => set.push((local, value)),
        }
        Some(())
    }

    /// The present value of a float.
    pub(super) fn snapshot(&mut self, operand: Operand) -> Option<Value> {
        let value = self.float(operand)?;
        let mutable = matches!(operand, Operand::Local(local) if self.loops.locals[local].mutable);
        Some(if mutable { self.b.op(Op::Copy(value)) } else { value })
    }

    /// An argument of a function that leaves for large numbers: 1 where the branch is not taken.
    pub(super) fn harmless(&mut self, a: Value) -> Value {
        match self.guards.last().map(|guard| guard.mask) {
            Some(mask) => {
                let one = self.b.before(Op::Const(self.elem, self.elem.bits(1.0)));
                self.b.op(Op::Select(mask, a, one))
            }
            None => a,
        }
    }

    /// Leaves if an index is not in `0 .. extent`.
    pub(super) fn check_index(&mut self, index: Operand, extent: Operand) -> Option<()> {
        (self.elem == Elem::F64).then_some(())?;
        let [index, extent] = [index, extent].map(|operand| {
            let value = self.operand(operand)?;
            self.lanes(value)
        });
        let (index, extent) = (index?, extent?);
        // Where both are positive, the difference does not overflow.
        let distance = self.b.op(Op::LanesBinary(Bits::Sub, index, extent));
        let outside = self.b.op(Op::LanesConst(-1));
        let not_before = self.b.op(Op::LanesBinary(Bits::Xor, distance, outside));
        let negative = self.b.op(Op::LanesBinary(Bits::Or, index, extent));
        let violated = self.b.op(Op::LanesBinary(Bits::Or, negative, not_before));
        let mask = self.sign(violated);
        self.b.leave(mask);
        self.leaves = true;
        Some(())
    }

    /// The lanes in which an integer is negative.
    fn sign(&mut self, lanes: Value) -> Value {
        self.b.op(Op::TestBits(lanes, i64::MIN))
    }

    pub(super) fn compare_integers(&mut self, prim: Prim, a: Operand, b: Operand) -> Option<Translated> {
        (self.elem == Elem::F64).then_some(())?;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let (a, b) = (self.lanes(a)?, self.lanes(b)?);
        let (negated, mask) = match prim {
            Prim::Lt => (false, self.less(a, b)),
            Prim::Gt => (false, self.less(b, a)),
            Prim::Ge => (true, self.less(a, b)),
            Prim::Le => (true, self.less(b, a)),
            Prim::Ne => (false, self.differ(a, b)),
            Prim::Eq => (true, self.differ(a, b)),
            _ => return None,
        };
        Some(Translated::Mask(if negated { self.b.op(Op::Not(mask)) } else { mask }))
    }

    /// The sign of `a - b` if both have one sign, else that of `a`: Warren, "Hacker's Delight", 2-12.
    fn less(&mut self, a: Value, b: Value) -> Value {
        let difference = self.b.op(Op::LanesBinary(Bits::Sub, a, b));
        let apart = self.b.op(Op::LanesBinary(Bits::Xor, a, b));
        let wrong = self.b.op(Op::LanesBinary(Bits::Xor, difference, a));
        let wrong = self.b.op(Op::LanesBinary(Bits::And, apart, wrong));
        let less = self.b.op(Op::LanesBinary(Bits::Xor, difference, wrong));
        self.sign(less)
    }

    /// A number or its negation is negative, unless it is zero.
    fn differ(&mut self, a: Value, b: Value) -> Value {
        let difference = self.b.op(Op::LanesBinary(Bits::Xor, a, b));
        let zero = self.b.op(Op::LanesConst(0));
        let negative = self.b.op(Op::LanesBinary(Bits::Sub, zero, difference));
        let either = self.b.op(Op::LanesBinary(Bits::Or, difference, negative));
        self.sign(either)
    }
}
