//! Hoisting of integers: values of a loop that the host can compute before it.

use crate::plan::local_of;
use crate::plan::steps::Planner;
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, LocalId, Operand, Ty};
use std::collections::{HashMap, HashSet};

/// The bindings and changes in a loop, and the known values before it.
pub(super) struct Hoist<'h> {
    inner: &'h HashSet<LocalId>,
    set: &'h HashSet<LocalId>,
    known: HashMap<LocalId, Option<Operand>>,
    /// Upper and lower bounds of values.
    bounds: HashMap<(LocalId, bool), Option<Operand>>,
}

impl<'h> Hoist<'h> {
    pub fn new(inner: &'h HashSet<LocalId>, set: &'h HashSet<LocalId>) -> Hoist<'h> {
        Hoist { inner, set, known: HashMap::new(), bounds: HashMap::new() }
    }
}

impl Planner<'_, '_> {
    /// A value that the host can compute before the loop, from its definition in the loop.
    pub(super) fn hoist(&mut self, operand: Operand, hoist: &mut Hoist<'_>) -> Option<Operand> {
        let Some(local) = local_of(operand) else { return Some(operand) };
        if let Some(&known) = hoist.known.get(&local) {
            return known;
        }
        let found = if hoist.inner.contains(&local) {
            match self.definitions.lets.get(&local).cloned() {
                Some(Expr::Copy(from)) => self.hoist(from, hoist),
                Some(Expr::Prim(prim @ (Prim::Add | Prim::Sub | Prim::Mul | Prim::Max | Prim::Min), args)) => {
                    let args: Option<Vec<Operand>> = args.iter().map(|&a| self.hoist(a, hoist)).collect();
                    args.filter(|_| matches!(self.b.func.ty(local), Ty::Scalar(Scalar::I64)))
                        .map(|args| self.let_host("size", Scalar::I64, prim, args))
                }
                _ => None,
            }
        } else {
            (!hoist.set.contains(&local) && !self.placement.is_device(local)).then_some(operand)
        };
        hoist.known.insert(local, found);
        found
    }

    /// An upper bound of a value, if `up`, or a lower bound, which the host can compute before the loop.
    pub(super) fn bound(&mut self, operand: Operand, up: bool, hoist: &mut Hoist<'_>) -> Option<Operand> {
        if let Some(known) = self.hoist(operand, hoist) {
            return Some(known);
        }
        let local = local_of(operand)?;
        if let Some(&known) = hoist.bounds.get(&(local, up)) {
            return known;
        }
        hoist.bounds.insert((local, up), None);
        let found = self.new_bound(local, up, hoist);
        hoist.bounds.insert((local, up), found);
        found
    }

    fn new_bound(&mut self, local: LocalId, up: bool, hoist: &mut Hoist<'_>) -> Option<Operand> {
        if let Some(&extent) = self.definitions.extents.get(&local) {
            if !up {
                return Some(Operand::int(0));
            }
            let extent = self.bound(extent, true, hoist)?;
            return Some(self.integers(Prim::Sub, extent, Operand::int(1)));
        }
        if let Some(&(index, step)) = self.definitions.inductions.get(&local) {
            let up = if step.as_int()? < 0 { !up } else { up };
            let index = self.bound(index.into(), up, hoist)?;
            return Some(self.integers(Prim::Mul, index, step));
        }
        match self.definitions.lets.get(&local).cloned()? {
            Expr::Copy(from) => self.bound(from, up, hoist),
            Expr::Prim(prim, args) if matches!(self.b.func.ty(local), Ty::Scalar(Scalar::I64)) => {
                let &[a, b] = args.as_slice() else { return None };
                let (a, b) = match prim {
                    // One of two is enough.
                    Prim::Min if up => return self.either(prim, a, b, up, hoist),
                    Prim::Max if !up => return self.either(prim, a, b, up, hoist),
                    Prim::Add | Prim::Max | Prim::Min => (self.bound(a, up, hoist)?, self.bound(b, up, hoist)?),
                    Prim::Sub => (self.bound(a, up, hoist)?, self.bound(b, !up, hoist)?),
                    Prim::Mul => {
                        let (a, factor) = if b.as_int().is_some() { (a, b) } else { (b, a) };
                        let up = if factor.as_int()? < 0 { !up } else { up };
                        (self.bound(a, up, hoist)?, factor)
                    }
                    _ => return None,
                };
                Some(self.integers(prim, a, b))
            }
            _ => None,
        }
    }

    /// The bound of the minimum or the maximum of two, which that of either is.
    fn either(&mut self, prim: Prim, a: Operand, b: Operand, up: bool, hoist: &mut Hoist<'_>) -> Option<Operand> {
        match (self.bound(a, up, hoist), self.bound(b, up, hoist)) {
            (Some(a), Some(b)) => Some(self.integers(prim, a, b)),
            (known, None) | (None, known) => known,
        }
    }
}
