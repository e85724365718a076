//! The amount of work of a loop, for the host to know before: iterations of the loops of one invocation.

use super::hoist::Hoist;
use crate::plan::steps::Planner;
use arr_ir::{Prim, Scalar};
use arr_loops::{For, Operand, Stmt};

/// The assumed length of a loop that depends on elements.
const UNKNOWN: i64 = 64;

/// The assumed minimal number of invocations of a nest.
const WIDTH: i64 = 32;

/// Iterations of the tree of a reduction.
const TREE: i64 = 9;

impl Planner<'_, '_> {
    /// The iterations that statements have.
    pub(super) fn work(&mut self, stmts: &[Stmt], hoist: &mut Hoist<'_>) -> Operand {
        let mut all = Operand::int(0);
        for stmt in stmts {
            let own = match stmt {
                Stmt::For(l) if l.parallel.is_some() => self.nest_work(l, hoist),
                Stmt::For(l) => {
                    let turns = self.bound(l.extent, true, hoist).unwrap_or(Operand::int(UNKNOWN));
                    let turn = self.work(&l.body, hoist);
                    self.turns(turns, turn)
                }
                Stmt::While(l) => {
                    let (head, body) = (self.work(&l.head, hoist), self.work(&l.body, hoist));
                    let turn = self.integers(Prim::Add, head, body);
                    self.turns(Operand::int(UNKNOWN), turn)
                }
                Stmt::If { then_body, else_body, .. } => {
                    let (one, other) = (self.work(then_body, hoist), self.work(else_body, hoist));
                    self.integers(Prim::Add, one, other)
                }
                _ => continue,
            };
            all = self.integers(Prim::Add, all, own);
        }
        all
    }

    fn nest_work(&mut self, l: &For, hoist: &mut Hoist<'_>) -> Operand {
        let mut points = self.bound(l.extent, true, hoist).unwrap_or(Operand::int(UNKNOWN));
        let mut body = &l.body;
        while let Some(Stmt::For(inner)) = body.last()
            && inner.parallel.is_some()
        {
            let extent = self.bound(inner.extent, true, hoist).unwrap_or(Operand::int(UNKNOWN));
            points = self.integers(Prim::Mul, points, extent);
            body = &inner.body;
        }
        let turns = self.integers(Prim::Div, points, Operand::int(WIDTH));
        let turns = self.integers(Prim::Add, turns, Operand::int(1));
        let turn = self.work(body, hoist);
        let all = self.turns(turns, turn);
        let reduces = l.parallel.as_ref().is_some_and(|p| !p.partials.is_empty());
        self.integers(Prim::Add, all, Operand::int(if reduces { TREE } else { 0 }))
    }

    /// The iterations of a loop and of those in it.
    fn turns(&mut self, turns: Operand, turn: Operand) -> Operand {
        let turn = self.integers(Prim::Add, turn, Operand::int(1));
        self.integers(Prim::Mul, turns, turn)
    }

    pub(super) fn integers(&mut self, prim: Prim, a: Operand, b: Operand) -> Operand {
        match (prim, a.as_int(), b.as_int()) {
            (Prim::Add, Some(0), _) | (Prim::Mul, Some(1), _) => b,
            (Prim::Add, _, Some(0)) | (Prim::Mul, _, Some(1)) => a,
            _ => self.let_host("work", Scalar::I64, prim, vec![a, b]),
        }
    }
}
