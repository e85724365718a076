//! What is known of integers and conditions: as polynomials, and for all sizes of 1 and more.

use super::machine::Machine;
use super::{Count, Doubt, Symbol};
use crate::interp::plan::{self, Arg, PlanAxis, Size};
use crate::{Const, Prim, Reduction, Scalar, Type, VarId};
use arr_base::Id;

impl<'f> Machine<'f> {
    /// An integer that is used as a size.
    pub(super) fn of_slot(&mut self, slot: usize) -> Count {
        if self.varying.contains(&slot) && !self.ints.contains_key(&slot) {
            self.doubts.insert(Doubt::Extent);
        }
        self.of_known(slot)
    }

    pub(super) fn size(&mut self, size: &Size) -> Count {
        match size {
            Size::Const(c) => Count::of(i128::from(*c)),
            Size::Slot(slot) => self.of_slot(*slot),
            Size::Sum(terms) => {
                let mut sum = Count::default();
                for (coefficient, slots) in terms {
                    let mut product = Count::of(i128::from(*coefficient));
                    for &slot in slots {
                        product = product.mul(&self.of_slot(slot));
                    }
                    sum = sum.add(&product);
                }
                sum
            }
        }
    }

    pub(super) fn product(&mut self, sizes: &[Size]) -> Count {
        let mut product = Count::of(1);
        for size in sizes {
            product = product.mul(&self.size(size));
        }
        product
    }

    pub(super) fn ty(&self, slot: usize) -> Option<&'f Type> {
        let info = self.func.vars.get(VarId::from_index(slot))?;
        Some(self.func.types.get(info.ty))
    }

    /// The elements of an array without its `outer` first axes.
    pub(super) fn elements_of(&mut self, slot: usize, outer: usize) -> Count {
        let Some(ty) = self.ty(slot) else { return Count::default() };
        let dims = &ty.dims;
        let sizes: Vec<Size> = dims.iter().skip(outer).map(|&d| plan::size(self.func, d)).collect();
        self.product(&sizes)
    }

    pub(super) fn elem(&self, slot: usize) -> Scalar {
        self.ty(slot).map_or(Scalar::Bool, |ty| ty.elem)
    }

    pub(super) fn elem_of(&self, arg: Arg) -> Scalar {
        match arg {
            Arg::Const(c) => c.scalar(),
            Arg::Slot(slot) | Arg::Take(slot) => self.elem(slot),
        }
    }

    pub(super) fn int(&mut self, arg: Arg) -> Option<Count> {
        match arg {
            Arg::Const(Const::I64(i)) => Some(Count::of(i128::from(i))),
            Arg::Const(_) => None,
            Arg::Slot(slot) | Arg::Take(slot) => (self.elem(slot) == Scalar::I64).then(|| self.of_known(slot)),
        }
    }

    /// As [`Machine::of_slot`], where it is not yet used as a size.
    pub(super) fn of_known(&self, slot: usize) -> Count {
        let symbol = || Count::symbol(Symbol::Var(VarId::from_index(slot)));
        self.ints.get(&slot).cloned().unwrap_or_else(symbol)
    }

    /// What is known of an integer that a primitive gives.
    pub(super) fn learn(&mut self, slot: usize, prim: Prim, args: &[Arg]) {
        let values: Vec<Option<Count>> = args.iter().map(|&a| self.int(a)).collect();
        if self.elem(slot) == Scalar::Bool {
            let known = match values.as_slice() {
                [Some(a), Some(b)] => self.compare(prim, a, b),
                _ => None,
            };
            self.truths.extend(known.map(|known| (slot, known)));
            return;
        }
        if self.elem(slot) != Scalar::I64 {
            return;
        }
        let known = match (prim, values.as_slice()) {
            (Prim::Add, [Some(a), Some(b)]) => Some(a.add(b)),
            (Prim::Sub, [Some(a), Some(b)]) => Some(a.sub(b)),
            (Prim::Mul, [Some(a), Some(b)]) => Some(a.mul(b)),
            (Prim::Neg, [Some(a)]) => Some(a.scaled(-1, 1)),
            (Prim::ToI64, [Some(a)]) => Some(a.clone()),
            (Prim::Max, [Some(a), Some(b)]) if self.is_at_least(a, b) => Some(a.clone()),
            (Prim::Max, [Some(a), Some(b)]) if self.is_at_least(b, a) => Some(b.clone()),
            (Prim::Min, [Some(a), Some(b)]) if self.is_at_least(a, b) => Some(b.clone()),
            (Prim::Min, [Some(a), Some(b)]) if self.is_at_least(b, a) => Some(a.clone()),
            _ => self.expression(prim, args),
        };
        if let Some(known) = known {
            self.ints.insert(slot, known);
        }
    }

    /// Whether one integer is at least another for all sizes of 1 and more.
    pub(super) fn is_at_least(&self, a: &Count, b: &Count) -> bool {
        let is_size = |s| matches!(s, Symbol::Var(v) if self.func.sizes.contains(&v));
        let is_index = |s| matches!(s, Symbol::Var(v) if self.indices.contains(&v.index()));
        let difference = a.sub(b);
        difference.symbols().into_iter().all(|s| is_size(s) || is_index(s))
            && difference.is_non_negative(&|symbol| i128::from(is_size(symbol)))
    }

    pub(super) fn truth(&self, cond: Arg) -> Option<bool> {
        match cond {
            Arg::Const(c) => c.as_bool(),
            Arg::Slot(slot) | Arg::Take(slot) => self.truths.get(&slot).copied(),
        }
    }

    /// What is known of a comparison of integers.
    pub(super) fn compare(&self, prim: Prim, a: &Count, b: &Count) -> Option<bool> {
        let above = |a: &Count, b: &Count| self.is_at_least(a, &b.add(&Count::of(1)));
        let is_above = |a: &Count, b: &Count| match (above(a, b), self.is_at_least(b, a)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        match prim {
            Prim::Gt => is_above(a, b),
            Prim::Lt => is_above(b, a),
            Prim::Ge => is_above(b, a).map(|below| !below),
            Prim::Le => is_above(a, b).map(|above| !above),
            Prim::Eq if a == b => Some(true),
            Prim::Ne if a == b => Some(false),
            Prim::Eq if above(a, b) || above(b, a) => Some(false),
            Prim::Ne if above(a, b) || above(b, a) => Some(true),
            _ => None,
        }
    }

    /// What is known of an integer that a reduction gives.
    pub(super) fn learn_reduction(&mut self, slot: usize, kind: Reduction, axes: &[PlanAxis], element: Option<Count>) {
        let Some(mut value) = element else { return };
        for axis in axes.iter().rev() {
            let extent = self.size(&axis.extent);
            let index = Symbol::Var(VarId::from_index(axis.index));
            let bound = |count: &Count| {
                let (bound, exact) = count.bound(index, &extent);
                exact.then_some(bound)
            };
            let reduced = match kind {
                Reduction::Sum => Some(value.sum(index, &extent)),
                Reduction::Max => bound(&value),
                Reduction::Min => bound(&value.scaled(-1, 1)).map(|count| count.scaled(-1, 1)),
                _ => None,
            };
            let Some(reduced) = reduced else { return };
            value = reduced;
        }
        self.ints.insert(slot, value);
    }

    /// `n / 2` and the like, as a symbol of its own.
    pub(super) fn expression(&mut self, prim: Prim, args: &[Arg]) -> Option<Count> {
        let [a, b] = args else { return None };
        let (a, b) = (self.named(*a)?, self.named(*b)?);
        let text = match prim {
            Prim::Div => format!("({a} / {b})"),
            Prim::Rem => format!("({a} % {b})"),
            Prim::Min => format!("min({a}, {b})"),
            Prim::Max => format!("max({a}, {b})"),
            _ => return None,
        };
        Some(Count::symbol(self.other(text)))
    }

    pub(super) fn named(&self, arg: Arg) -> Option<String> {
        match arg {
            Arg::Const(c) => c.as_i64().map(|i| i.to_string()),
            Arg::Slot(slot) | Arg::Take(slot) => {
                let whole = !self.ints.contains_key(&slot) && !self.varying.contains(&slot);
                whole.then(|| self.func.name(VarId::from_index(slot)).to_string())
            }
        }
    }

    pub(super) fn other(&mut self, text: String) -> Symbol {
        let at = self.others.iter().position(|other| *other == text).unwrap_or_else(|| {
            self.others.push(text);
            self.others.len() - 1
        });
        Symbol::Other(at as u32)
    }

    /// A symbol of this name, or with a number behind it.
    pub(super) fn unused(&mut self, name: &str) -> Symbol {
        let number = 1 + self.others.iter().filter(|other| other.starts_with(name)).count();
        self.other(if number == 1 { name.to_string() } else { format!("{name}{number}") })
    }

    /// The name of the last axis of an array, if it has one.
    pub(super) fn last_size(&mut self, slot: usize) -> Option<String> {
        let dim = *self.ty(slot)?.dims.last()?;
        let size = self.size(&plan::size(self.func, dim));
        let [Symbol::Var(v)] = size.symbols()[..] else { return None };
        (size == Count::symbol(Symbol::Var(v))).then(|| self.func.name(v).to_string())
    }
}
