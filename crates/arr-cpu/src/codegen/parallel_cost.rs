//! The cost model of parallel loops: operations counted in the text of a loop, times the extents of the loops inside, as far as
//! they are known before the loop begins. It decides whether and how the loop is divided, so it must depend on sizes alone.

use super::{Codegen, Result, Slot};
use arr_ir::Cost as Class;
use arr_loops::{Expr, For, LocalId, Operand, Stmt};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use std::collections::HashSet;

/// Iterations of a loop whose extent is not known before.
const UNKNOWN: f64 = 16.0;

/// A sum of products: of a number, and extents that are known when the loop begins.
#[derive(Clone, Default)]
struct Cost {
    terms: Vec<(f64, Vec<LocalId>)>,
}

impl Cost {
    fn add(&mut self, cost: f64) {
        match self.terms.iter_mut().find(|(_, extents)| extents.is_empty()) {
            Some((sum, _)) => *sum += cost,
            None => self.terms.push((cost, Vec::new())),
        }
    }

    /// Adds the cost of this many iterations.
    fn add_loop(&mut self, extent: Operand, body: Cost, inside: &HashSet<LocalId>) {
        for (factor, mut extents) in body.terms {
            let factor = match extent {
                Operand::Local(local) if inside.contains(&local) => factor * UNKNOWN,
                Operand::Local(local) => {
                    extents.push(local);
                    factor
                }
                Operand::Const(c) => factor * c.as_i64().unwrap_or(0).max(0) as f64,
            };
            if extents.is_empty() { self.add(factor) } else { self.terms.push((factor, extents)) }
        }
    }
}

/// The cost of statements; `inside` are the locals bound in the loop so far.
fn cost_of(stmts: &[Stmt], inside: &mut HashSet<LocalId>) -> Cost {
    let mut cost = Cost::default();
    cost.add(0.0);
    for stmt in stmts {
        match stmt {
            Stmt::Let { local, expr } => {
                inside.insert(*local);
                cost.add(expr_cost(expr));
            }
            Stmt::Var { local, .. } => drop(inside.insert(*local)),
            Stmt::For(l) => {
                inside.insert(l.index);
                inside.extend(l.inductions.iter().map(|i| i.local));
                let extent = l.extent;
                let mut body = cost_of(&l.body, inside);
                body.add(1.0);
                cost.add_loop(extent, body, inside);
            }
            Stmt::While(l) => {
                let mut body = cost_of(&l.head, inside);
                body.terms.extend(cost_of(&l.body, inside).terms);
                for (factor, extents) in body.terms {
                    cost.terms.push((factor * UNKNOWN, extents));
                }
            }
            Stmt::If { then_body, else_body, .. } => {
                for side in [then_body, else_body] {
                    cost.terms.extend(cost_of(side, inside).terms);
                }
                cost.add(1.0);
            }
            _ => cost.add(1.0),
        }
    }
    cost
}

fn expr_cost(expr: &Expr) -> f64 {
    match expr {
        Expr::Prim(prim, _) => prim_cost(prim.cost()),
        Expr::Copy(_) => 0.0,
        _ => 1.0,
    }
}

/// Compound operations count as one, and divisions as a quarter more than the table has. Chunks follow from these figures,
/// and with them the bits of sums, so they are kept.
fn prim_cost(class: Class) -> f64 {
    match class {
        Class::Cheap | Class::Compound => Class::Cheap.cycles().into(),
        Class::Division | Class::Root => 1.25 * f64::from(class.cycles()),
        Class::Function => class.cycles().into(),
    }
}

fn iteration(l: &For) -> Cost {
    let mut inside = HashSet::from([l.index]);
    inside.extend(l.inductions.iter().map(|i| i.local));
    let mut cost = cost_of(&l.body, &mut inside);
    cost.add(1.0);
    cost
}

impl Codegen<'_, '_> {
    /// The cost of a loop, if it is known at compile time.
    pub(super) fn known_cost(&self, l: &For) -> Option<f64> {
        let n = l.extent.as_int()?.max(0) as f64;
        let cost = iteration(l);
        cost.terms
            .iter()
            .try_fold(0.0, |sum, (factor, extents)| extents.is_empty().then_some(sum + factor))
            .map(|c| n * c)
    }

    /// The cost of `n` iterations of a loop.
    pub(super) fn cost(&mut self, l: &For, n: Value) -> Result<Value> {
        let mut constant = 0.0;
        let mut sum = None;
        for (factor, extents) in iteration(l).terms {
            if extents.iter().any(|&e| !matches!(self.slots[e], Slot::Value(_))) {
                constant += factor * UNKNOWN;
                continue;
            }
            if extents.is_empty() {
                constant += factor;
                continue;
            }
            let mut product = self.b.ins().f64const(factor);
            for extent in extents {
                let extent = self.local(extent)?;
                let zero = self.int(0);
                let extent = self.b.ins().smax(extent, zero);
                let extent = self.b.ins().fcvt_from_sint(types::F64, extent);
                product = self.b.ins().fmul(product, extent);
            }
            sum = Some(match sum {
                Some(sum) => self.b.ins().fadd(sum, product),
                None => product,
            });
        }
        let constant = self.b.ins().f64const(constant);
        let each = match sum {
            Some(sum) => self.b.ins().fadd(sum, constant),
            None => constant,
        };
        let n = self.b.ins().fcvt_from_sint(types::F64, n);
        Ok(self.b.ins().fmul(n, each))
    }
}
