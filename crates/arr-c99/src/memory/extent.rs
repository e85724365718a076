//! The lengths of arrays, and how much room they need, from what is known when the function begins.
//!
//! A size that a loop computes is bounded by the range of the loop's index, where that bound is known (interval
//! arithmetic); one that depends on data has the room that the caller gives.

use super::for_each_body;
use arr_ir::{Const, Prim};
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The number of elements of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    /// The product of these sizes; a negative one counts as 0.
    Product(Vec<Operand>),
    /// That of an argument.
    Param(LocalId),
    Constant(usize),
}

/// The largest value that a size can have, over what is known when the function begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// A known integer.
    Known(Operand),
    /// `add`, `sub`, `mul`, `min` or `max` of two bounds.
    Of(Prim, Box<Bound>, Box<Bound>),
    /// What the caller says.
    Room,
}

impl Bound {
    fn of(prim: Prim, a: Bound, b: Bound) -> Bound {
        Bound::Of(prim, Box::new(a), Box::new(b))
    }

    /// The known integers in it.
    fn operands(&self, all: &mut Vec<Operand>) {
        match self {
            Bound::Known(operand) => all.push(*operand),
            Bound::Of(_, a, b) => {
                a.operands(all);
                b.operands(all);
            }
            Bound::Room => {}
        }
    }
}

/// The room for an array: the product of bounds of its sizes, or the length of another array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Capacity {
    Product(Vec<Bound>),
    Same(Length),
}

/// How a name is bound.
#[derive(Clone, Debug)]
enum Origin {
    Prim(Prim, Vec<Operand>),
    Copy(Operand),
    /// The index of a loop with this extent.
    Index(Operand),
}

/// The integers that are known when the function begins, and what they are computed from.
#[derive(Debug)]
pub(crate) struct Known {
    origins: BTreeMap<LocalId, Origin>,
    /// Parameters.
    given: BTreeSet<LocalId>,
    /// The answers so far.
    known: BTreeMap<LocalId, bool>,
    /// Those that lengths need, each behind those that it is computed from.
    pub needed: Vec<LocalId>,
}

impl Known {
    pub fn of(func: &LoopFunc) -> Known {
        let mut origins = BTreeMap::new();
        for_each_body(&func.body, &mut |stmt| match stmt {
            Stmt::Let { local, expr: Expr::Prim(prim, args) } => {
                origins.insert(*local, Origin::Prim(*prim, args.clone()));
            }
            Stmt::Let { local, expr: Expr::Copy(of) } => {
                origins.insert(*local, Origin::Copy(*of));
            }
            Stmt::For(l) => {
                origins.insert(l.index, Origin::Index(l.extent));
            }
            _ => {}
        });
        let given = func.sizes.iter().copied().chain(func.params.iter().map(|p| p.local)).collect();
        // A copy of a variable is a copy of what it is at that time.
        let known = func.locals.iter().filter(|(_, info)| info.mutable).map(|(local, _)| (local, false)).collect();
        Known { origins, given, known, needed: Vec::new() }
    }

    /// The definition of a needed name.
    pub fn definition(&self, local: LocalId) -> Option<Expr> {
        match self.origins.get(&local)? {
            Origin::Prim(prim, args) => Some(Expr::Prim(*prim, args.clone())),
            Origin::Copy(of) => Some(Expr::Copy(*of)),
            Origin::Index(_) => None,
        }
    }

    /// The length of an array of these sizes.
    pub fn length(dims: &[Operand]) -> Length {
        let constants: Option<Vec<i64>> = dims.iter().map(|dim| dim.as_int()).collect();
        let product = |c: Vec<i64>| c.iter().try_fold(1usize, |n, &c| n.checked_mul(usize::try_from(c).unwrap_or(0)));
        constants.and_then(product).map_or_else(|| Length::Product(dims.to_vec()), Length::Constant)
    }

    /// The room for an array of these sizes.
    pub fn capacity(&mut self, dims: &[Operand]) -> Capacity {
        if let Length::Constant(n) = Known::length(dims) {
            return Capacity::Same(Length::Constant(n));
        }
        let bounds: Vec<Bound> = dims.iter().map(|&dim| self.upper(dim, 0).unwrap_or(Bound::Room)).collect();
        let mut operands = Vec::new();
        bounds.iter().for_each(|bound| bound.operands(&mut operands));
        operands.into_iter().for_each(|operand| self.need(operand));
        Capacity::Product(bounds)
    }

    /// Whether an integer is known when the function begins.
    pub fn is_known(&mut self, operand: Operand) -> bool {
        let Operand::Local(local) = operand else { return true };
        if self.given.contains(&local) {
            return true;
        }
        if let Some(&known) = self.known.get(&local) {
            return known;
        }
        let args = match self.origins.get(&local).cloned() {
            Some(Origin::Prim(_, args)) => args,
            Some(Origin::Copy(of)) => vec![of],
            Some(Origin::Index(_)) | None => Vec::new(),
        };
        let known = !args.is_empty() && args.iter().all(|&arg| self.is_known(arg));
        self.known.insert(local, known);
        known
    }

    /// No less than the integer ever is.
    fn upper(&mut self, operand: Operand, depth: usize) -> Option<Bound> {
        if self.is_known(operand) {
            return Some(Bound::Known(operand));
        }
        let one = || Bound::Known(Operand::int(1));
        match self.origin(operand, depth)? {
            Origin::Copy(of) => self.upper(of, depth + 1),
            Origin::Index(extent) => Some(Bound::of(Prim::Sub, self.upper(extent, depth + 1)?, one())),
            Origin::Prim(prim, args) => match (prim, args.as_slice()) {
                (Prim::Add | Prim::Max, &[a, b]) => {
                    Some(Bound::of(prim, self.upper(a, depth + 1)?, self.upper(b, depth + 1)?))
                }
                (Prim::Select, &[_, a, b]) => {
                    Some(Bound::of(Prim::Max, self.upper(a, depth + 1)?, self.upper(b, depth + 1)?))
                }
                (Prim::Sub, &[a, b]) => Some(Bound::of(prim, self.upper(a, depth + 1)?, self.lower(b, depth + 1)?)),
                (Prim::Mul, &[a, Operand::Const(Const::I64(c))] | &[Operand::Const(Const::I64(c)), a]) if c >= 0 => {
                    Some(Bound::of(prim, self.upper(a, depth + 1)?, Bound::Known(Operand::int(c))))
                }
                // What is negative is an empty axis, before the division and after it.
                (Prim::Div, &[a, Operand::Const(Const::I64(c))]) if c > 0 => self.upper(a, depth + 1),
                (Prim::Rem, &[_, Operand::Const(Const::I64(c))]) if c > 0 => Some(Bound::Known(Operand::int(c - 1))),
                (Prim::Min, &[a, b]) => match (self.upper(a, depth + 1), self.upper(b, depth + 1)) {
                    (Some(a), Some(b)) => Some(Bound::of(prim, a, b)),
                    (one, other) => one.or(other),
                },
                _ => None,
            },
        }
    }

    /// No more than the integer ever is.
    fn lower(&mut self, operand: Operand, depth: usize) -> Option<Bound> {
        if self.is_known(operand) {
            return Some(Bound::Known(operand));
        }
        match self.origin(operand, depth)? {
            Origin::Copy(of) => self.lower(of, depth + 1),
            Origin::Index(_) => Some(Bound::Known(Operand::int(0))),
            Origin::Prim(prim, args) => match (prim, args.as_slice()) {
                (Prim::Add | Prim::Min, &[a, b]) => {
                    Some(Bound::of(prim, self.lower(a, depth + 1)?, self.lower(b, depth + 1)?))
                }
                (Prim::Sub, &[a, b]) => Some(Bound::of(prim, self.lower(a, depth + 1)?, self.upper(b, depth + 1)?)),
                (Prim::Max, &[a, b]) => match (self.lower(a, depth + 1), self.lower(b, depth + 1)) {
                    (Some(a), Some(b)) => Some(Bound::of(prim, a, b)),
                    (one, other) => one.or(other),
                },
                _ => None,
            },
        }
    }

    /// How an integer is bound; bounds of long chains are not looked for.
    fn origin(&self, operand: Operand, depth: usize) -> Option<Origin> {
        let Operand::Local(local) = operand else { return None };
        if depth > 8 { None } else { self.origins.get(&local).cloned() }
    }

    fn need(&mut self, operand: Operand) {
        let Operand::Local(local) = operand else { return };
        if self.given.contains(&local) || self.needed.contains(&local) {
            return;
        }
        let args = match self.origins.get(&local).cloned() {
            Some(Origin::Prim(_, args)) => args,
            Some(Origin::Copy(of)) => vec![of],
            Some(Origin::Index(_)) | None => Vec::new(),
        };
        args.into_iter().for_each(|arg| self.need(arg));
        self.needed.push(local);
    }
}
