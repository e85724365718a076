//! Fuses nests over the same rows into one nest.
//!
//! If every nest reads of an earlier one's results only its own row, an invocation can run a row of all of them. The
//! index space then consists of the rows alone, so this is for many rows of little work each.

use super::alias::{Aliases, memory};
use super::size::{Definitions, Product};
use crate::builder::Builder;
use arr_loops::{Expr, For, LocalId, Operand, Stmt, for_each_chunked_stmt};
use std::collections::HashMap;

pub(crate) struct RowFusion<'p, 'a> {
    pub b: &'p Builder<'a>,
    pub aliases: &'p Aliases,
    pub definitions: &'p Definitions,
}

impl RowFusion<'_, '_> {
    /// Whether nests can be fused row by row.
    pub fn fit(&self, nests: &[&For]) -> bool {
        let Some(first) = nests.first() else { return false };
        let alike = |l: &&For| {
            let plain = l.parallel.as_ref().is_some_and(|p| p.partials.is_empty()) && l.scan.is_none();
            plain && !l.reverse && l.extent == first.extent
        };
        if !nests.iter().all(alike) {
            return false;
        }
        // Which buffers the nests change, by class.
        let mut changed: HashMap<LocalId, LocalId> = HashMap::new();
        for l in nests {
            for stmt in &l.body {
                memory(self.b, stmt, &mut |buffer, writes| {
                    if writes {
                        changed.insert(self.aliases.class(buffer), buffer);
                    }
                });
            }
        }
        nests.iter().all(|l| self.stays_in_rows(l, &changed))
    }

    /// Whether every access of a nest to the buffers is in the row of its outermost index.
    fn stays_in_rows(&self, l: &For, changed: &HashMap<LocalId, LocalId>) -> bool {
        let mut fine = true;
        for_each_chunked_stmt(&l.body, &mut |stmt| {
            let (address, offset) = match stmt {
                Stmt::Let { expr: Expr::Load(address, offset), .. } => (*address, *offset),
                Stmt::Store { address, offset, .. } => (*address, *offset),
                _ => return,
            };
            let buffer = self.b.root(address);
            if let Some(&known) = changed.get(&self.aliases.class(buffer)) {
                fine &= known == buffer && self.is_in_row(l, buffer, address, offset);
            }
        });
        fine
    }

    fn is_in_row(&self, l: &For, buffer: LocalId, address: LocalId, offset: Operand) -> bool {
        let Some(dims) = self.dims(buffer) else { return false };
        let Some((&rows, inner)) = dims.split_first() else { return false };
        if self.definitions.product(rows) != self.definitions.product(l.extent) {
            return false;
        }
        // Of every axis: the number of elements of it and those inside; the last is 1.
        let mut steps = vec![Product::constant(1)];
        for &dim in inner.iter().rev() {
            steps.extend(steps.last().map(|s| s.mul(&self.definitions.product(dim))));
        }
        steps.reverse();
        let mut terms = Vec::new();
        if !self.terms(address, offset, &mut terms) {
            return false;
        }
        let Some(row) = terms.iter().position(|&t| self.is_row(l, t, steps.first())) else { return false };
        terms.remove(row);
        // The others run along different axes, and not past the end of theirs.
        let mut taken = vec![false; inner.len()];
        terms.into_iter().all(|term| self.takes_axes(term, &steps, &mut taken))
    }

    /// The sizes of a buffer's axes.
    fn dims(&self, buffer: LocalId) -> Option<Vec<Operand>> {
        if let Some(dims) = self.definitions.allocs.get(&buffer) {
            return Some(dims.clone());
        }
        // A buffer made unique has the axes of its original.
        let class = self.aliases.class(buffer);
        let mut found = self.definitions.allocs.iter().filter(|(b, _)| self.aliases.class(**b) == class);
        let (_, dims) = found.next()?;
        found.next().is_none().then(|| dims.clone())
    }

    /// The summands of an element's offset, and whether they are known.
    fn terms(&self, address: LocalId, offset: Operand, terms: &mut Vec<Operand>) -> bool {
        self.summands(offset, terms);
        match self.definitions.lets.get(&address) {
            Some(Expr::BaseAddr(_)) => true,
            Some(Expr::Copy(Operand::Local(other))) => self.terms(*other, Operand::int(0), terms),
            Some(Expr::Offset(base, further)) => self.terms(*base, *further, terms),
            _ => false,
        }
    }

    fn summands(&self, operand: Operand, terms: &mut Vec<Operand>) {
        if operand.as_int() == Some(0) {
            return;
        }
        if let Operand::Local(local) = operand
            && let Some(Expr::Prim(arr_ir::Prim::Add, args)) = self.definitions.lets.get(&local)
        {
            return args.iter().for_each(|&a| self.summands(a, terms));
        }
        terms.push(operand);
    }

    /// Whether a summand is the outermost index times the length of a row.
    fn is_row(&self, l: &For, term: Operand, row: Option<&Product>) -> bool {
        let Operand::Local(local) = term else { return false };
        if local == l.index {
            return row == Some(&Product::constant(1));
        }
        let own = l.inductions.iter().find(|i| i.local == local);
        own.is_some_and(|i| row == Some(&self.definitions.product(i.step)))
    }

    /// Whether a summand is a place along axes that no other has taken.
    fn takes_axes(&self, term: Operand, steps: &[Product], taken: &mut [bool]) -> bool {
        let root = |address: LocalId| self.b.root(address);
        let induction = match term {
            Operand::Local(local) => self.definitions.inductions.get(&local).copied(),
            Operand::Const(_) => None,
        };
        let (index, step) = match induction {
            Some((index, step)) => (Operand::Local(index), self.definitions.product(step)),
            None => (term, Product::constant(1)),
        };
        let Some(size) = self.definitions.bound(index, &root) else { return false };
        let Some(last) = steps.iter().rposition(|s| *s == step) else { return false };
        let whole = size.mul(&step);
        let Some(first) = steps.iter().take(last).rposition(|s| *s == whole) else { return false };
        let Some(axes) = taken.get_mut(first..last) else { return false };
        let free = axes.iter().all(|t| !t);
        axes.fill(true);
        free
    }
}

/// The fused nest over the rows of all.
pub(crate) fn fuse(nests: &[&For]) -> Option<For> {
    let (first, others) = nests.split_first()?;
    let mut fused = (*first).clone();
    for l in others {
        fused.body.push(Stmt::Let { local: l.index, expr: Expr::Copy(first.index.into()) });
        fused.inductions.extend(l.inductions.iter().cloned());
        fused.body.extend(l.body.iter().cloned());
    }
    Some(fused)
}
