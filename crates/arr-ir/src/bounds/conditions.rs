//! What follows from conditions: of branches, of guards, and of arrays of truth values.

use super::facts::{Bounds, Conditions, Def};
use crate::{Atom, Axis, Func, Poly, Prim, VarId};

/// The number of parts of a condition that are examined.
const MAX_PARTS: usize = 16;
/// The facts that an element of an array of conditions implies. An array whose elements combine several of another's would
/// otherwise have all of theirs, and one made of that again all of these.
const MAX_IMPLIED: usize = 16;

impl Bounds {
    /// Assumes that a condition holds, or does not, until the scope is left.
    pub fn assume(&mut self, func: &Func, cond: Atom, holds: bool) {
        let mut work = vec![(cond, holds)];
        for _ in 0..MAX_PARTS {
            let Some((atom, holds)) = work.pop() else { return };
            let Atom::Var(v) = atom else { continue };
            let (prim, args) = match self.defs.get(&v).cloned() {
                Some(Def::Condition(prim, args)) => (prim, args),
                Some(Def::Known { yes, no }) => {
                    let facts = if holds { yes } else { no };
                    facts.into_iter().for_each(|fact| self.add_fact(fact));
                    continue;
                }
                _ => continue,
            };
            match (prim, args.as_slice()) {
                (Prim::And, _) if holds => work.extend(args.iter().map(|&a| (a, true))),
                (Prim::Or, _) if !holds => work.extend(args.iter().map(|&a| (a, false))),
                (Prim::Not, _) => work.extend(args.iter().map(|&a| (a, !holds))),
                (prim, &[a, b]) => {
                    if let (Some(a), Some(b)) = (self.poly(func, a), self.poly(func, b)) {
                        self.compared(prim, &a, &b, holds);
                    }
                }
                _ => {}
            }
        }
    }

    fn compared(&mut self, prim: Prim, a: &Poly, b: &Poly, holds: bool) {
        let one = Poly::constant(1);
        let (more, less) = (a.sub(b), b.sub(a));
        match (prim, holds) {
            (Prim::Lt, true) | (Prim::Ge, false) => self.add_fact(less.sub(&one)),
            (Prim::Le, true) | (Prim::Gt, false) => self.add_fact(less),
            (Prim::Gt, true) | (Prim::Le, false) => self.add_fact(more.sub(&one)),
            (Prim::Ge, true) | (Prim::Lt, false) => self.add_fact(more),
            (Prim::Eq, true) | (Prim::Ne, false) => {
                self.add_fact(more);
                self.add_fact(less);
            }
            (Prim::Ne, true) | (Prim::Eq, false) => {
                if self.non_negative(&more) {
                    self.add_fact(more.sub(&one));
                } else if self.non_negative(&less) {
                    self.add_fact(less.sub(&one));
                }
            }
            _ => {}
        }
    }

    /// Whether a comparison of integers is known to hold, or not to.
    pub fn outcome(&self, func: &Func, prim: Prim, a: Atom, b: Atom) -> Option<bool> {
        let (a, b) = (self.poly(func, a)?, self.poly(func, b)?);
        let one = Poly::constant(1);
        let (more, less) = (a.sub(&b), b.sub(&a));
        let (holds, fails) = match prim {
            Prim::Lt => (less.sub(&one), more),
            Prim::Le => (less, more.sub(&one)),
            Prim::Gt => (more.sub(&one), less),
            Prim::Ge => (more, less.sub(&one)),
            Prim::Eq | Prim::Ne => {
                let differ = self.non_negative(&more.sub(&one)) || self.non_negative(&less.sub(&one));
                return differ.then_some(prim == Prim::Ne);
            }
            _ => return None,
        };
        if self.non_negative(&holds) {
            return Some(true);
        }
        self.non_negative(&fails).then_some(false)
    }

    /// What an element of an array of truth values implies about its point, both if true and if false.
    pub(super) fn built_of_conditions(&mut self, func: &Func, array: VarId, axes: &[Axis], result: Atom) {
        if !matches!(result, Atom::Var(v) if func.ty(v).is_scalar()) {
            return;
        }
        let [no, yes] = [false, true].map(|holds| {
            self.enter();
            let known = self.facts.len();
            self.assume(func, result, holds);
            let all = self.facts.get(known..).unwrap_or_default().to_vec();
            self.leave();
            // At other points, variables bound in the body have other values.
            let same = |v: VarId| axes.iter().any(|a| a.index == v) || self.is_from_outside(v);
            let mut facts: Vec<Poly> = Vec::new();
            for fact in &all {
                if facts.len() < MAX_IMPLIED && fact.vars().into_iter().all(same) && !facts.contains(fact) {
                    facts.push(Poly::clone(fact));
                }
            }
            facts
        });
        if !yes.is_empty() || !no.is_empty() {
            let point = axes.iter().map(|a| a.index).collect();
            self.conditions.insert(array, Conditions { point, yes, no });
        }
    }
}
