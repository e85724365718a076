//! Sizes as products of locals, so that equal ones are recognised.

use super::local_of;
use arr_base::Polynomial;
use arr_ir::Prim;
use arr_loops::{Expr, LocalId, Operand, Stmt, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// A product of locals and a number: a polynomial of one term.
pub(crate) type Product = Polynomial<LocalId>;

/// The definitions of all locals of a function, and the values that its mutable ones are set to.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    pub lets: HashMap<LocalId, Expr>,
    pub sets: HashMap<LocalId, Vec<Option<Operand>>>,
    pub allocs: HashMap<LocalId, Vec<Operand>>,
    /// The extents of loops by their indices.
    pub extents: HashMap<LocalId, Operand>,
    /// The loop index and step of inductions.
    pub inductions: HashMap<LocalId, (LocalId, Operand)>,
    /// The values stored to buffers, by address.
    pub stores: Vec<(LocalId, Operand)>,
    /// Buffers that a statement other than a store writes.
    pub written: HashSet<LocalId>,
}

impl Definitions {
    pub fn find(body: &[Stmt]) -> Definitions {
        let mut found = Definitions::default();
        for_each_chunked_stmt(body, &mut |stmt| match stmt {
            Stmt::Let { local, expr } => {
                found.lets.insert(*local, expr.clone());
            }
            Stmt::Var { local, init } => found.sets.entry(*local).or_default().push(*init),
            Stmt::Set { local, value } => found.sets.entry(*local).or_default().push(Some(*value)),
            Stmt::Alloc { local, dims, .. } => {
                found.allocs.insert(*local, dims.clone());
            }
            Stmt::For(l) => {
                found.extents.insert(l.index, l.extent);
                for partial in l.parallel.iter().flat_map(|p| &p.partials) {
                    let values = [Some(partial.init.into()), Some(partial.local.into())];
                    found.sets.entry(partial.other).or_default().extend(values);
                }
                for induction in &l.inductions {
                    found.inductions.insert(induction.local, (l.index, induction.step));
                }
            }
            Stmt::Store { address, value, .. } => found.stores.push((*address, *value)),
            Stmt::MakeUnique { local, .. } => {
                found.written.insert(*local);
            }
            Stmt::Argsort { into, .. } => {
                found.written.insert(*into);
            }
            Stmt::MatMul(product) => {
                found.written.insert(product.into);
            }
            _ => {}
        });
        found
    }

    /// A size as a product of locals that are not products.
    pub fn product(&self, operand: Operand) -> Product {
        match operand {
            Operand::Const(_) => match operand.as_int() {
                Some(number) => Product::constant(number),
                None => Product::constant(1),
            },
            Operand::Local(local) => match self.lets.get(&local) {
                Some(Expr::Prim(Prim::Mul, args)) => {
                    args.iter().fold(Product::constant(1), |product, &a| product.mul(&self.product(a)))
                }
                Some(Expr::Copy(a)) if local_of(*a).is_none_or(|l| !self.sets.contains_key(&l)) => self.product(*a),
                _ => Product::var(local),
            },
        }
    }

    /// A number that is never more than a value, which is never negative: it is less than this.
    pub fn bound(&self, operand: Operand, root: &dyn Fn(LocalId) -> LocalId) -> Option<Product> {
        let mut seen = HashSet::new();
        match self.below(operand, root, &mut seen) {
            Below::Size(size) => Some(size),
            Below::Any | Below::Unknown => None,
        }
    }

    fn below(&self, operand: Operand, root: &dyn Fn(LocalId) -> LocalId, seen: &mut HashSet<LocalId>) -> Below {
        let local = match operand {
            // Zero is less than the size of anything that has elements.
            Operand::Const(_) if operand.as_int() == Some(0) => return Below::Any,
            Operand::Const(_) => return Below::Unknown,
            Operand::Local(local) => local,
        };
        if let Some(&extent) = self.extents.get(&local) {
            return Below::Size(self.product(extent));
        }
        if !seen.insert(local) {
            return Below::Any;
        }
        if let Some(values) = self.sets.get(&local) {
            return self.all(values.iter().map(|v| v.unwrap_or(Operand::int(0))), root, seen);
        }
        match self.lets.get(&local) {
            Some(Expr::Copy(a)) => self.below(*a, root, seen),
            Some(Expr::Prim(Prim::Select, args)) => self.all(args.iter().skip(1).copied(), root, seen),
            Some(Expr::Load(address, _)) => {
                let buffer = root(*address);
                if !self.allocs.contains_key(&buffer) || self.written.contains(&buffer) || !seen.insert(buffer) {
                    return Below::Unknown;
                }
                let stored = self.stores.iter().filter(|(address, _)| root(*address) == buffer);
                self.all(stored.map(|(_, value)| *value), root, seen)
            }
            _ => Below::Unknown,
        }
    }

    fn all(
        &self,
        values: impl Iterator<Item = Operand>,
        root: &dyn Fn(LocalId) -> LocalId,
        seen: &mut HashSet<LocalId>,
    ) -> Below {
        let mut all = Below::Any;
        for value in values {
            all = match (all, self.below(value, root, seen)) {
                (Below::Any, other) | (other, Below::Any) => other,
                (Below::Size(a), Below::Size(b)) if a == b => Below::Size(a),
                _ => return Below::Unknown,
            };
        }
        all
    }
}

enum Below {
    /// Less than a size.
    Size(Product),
    /// Less than every size there is.
    Any,
    Unknown,
}
