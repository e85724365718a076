//! Orders the statements of a block when some of them are lifted together.

use super::Bot;
use super::irregular::uses_of;
use arr_ir::walk::has_trace;
use arr_ir::{Block, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Statements that are lifted together.
pub(super) struct Unit {
    /// By position in the block.
    pub members: Vec<usize>,
    /// Whether they use arrays or extents that differ from point to point.
    pub ragged: bool,
}

/// The dependences between statements.
pub(super) struct Order {
    /// For each statement its dependencies.
    needs: Vec<Vec<usize>>,
    /// For each statement its dependents.
    needed_by: Vec<Vec<usize>>,
    /// For each statement the number of its unit.
    unit: Vec<usize>,
    ragged: FxHashSet<usize>,
}

impl Order {
    pub(super) fn new(bot: &Bot<'_>, block: &Block, groups: &[Option<usize>]) -> Order {
        let count = block.stmts.len();
        let mut order = Order {
            needs: vec![Vec::new(); count],
            needed_by: vec![Vec::new(); count],
            unit: (0..count).map(|k| groups.get(k).copied().flatten().unwrap_or(k)).collect(),
            ragged: groups.iter().flatten().copied().collect(),
        };
        let mut made: FxHashMap<VarId, usize> = FxHashMap::default();
        let mut check = None;
        for (k, stmt) in block.stmts.iter().enumerate() {
            let mut needs: Vec<usize> = uses_of(bot, stmt).iter().filter_map(|v| made.get(v).copied()).collect();
            needs.extend(check);
            needs.sort_unstable();
            needs.dedup();
            for &other in &needs {
                if let Some(list) = order.needed_by.get_mut(other) {
                    list.push(k);
                }
            }
            if let Some(list) = order.needs.get_mut(k) {
                *list = needs;
            }
            made.extend(stmt.vars.iter().map(|&v| (v, k)));
            if matches!(stmt.op, Op::Check { .. }) || has_trace(&stmt.op) {
                check = Some(k);
            }
        }
        order
    }

    fn unit_of(&self, stmt: usize) -> usize {
        self.unit.get(stmt).copied().unwrap_or(stmt)
    }

    fn members(&self) -> FxHashMap<usize, Vec<usize>> {
        let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (k, &unit) in self.unit.iter().enumerate() {
            members.entry(unit).or_default().push(k);
        }
        members
    }

    /// The units that can be reached from one along the edges.
    fn reached(&self, from: usize, edges: &[Vec<usize>], members: &FxHashMap<usize, Vec<usize>>) -> FxHashSet<usize> {
        let (mut seen, mut work) = (FxHashSet::default(), vec![from]);
        while let Some(unit) = work.pop() {
            for next in members.get(&unit).into_iter().flatten().filter_map(|&k| edges.get(k)).flatten() {
                let next = self.unit_of(*next);
                if next != from && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        seen
    }

    /// Adds to each group the units that both depend on it and are needed by it.
    pub(super) fn merge(&mut self) {
        let mut groups: Vec<usize> = self.ragged.iter().copied().collect();
        groups.sort_unstable();
        for group in groups {
            if !self.ragged.contains(&group) {
                continue;
            }
            let members = self.members();
            let before = self.reached(group, &self.needs, &members);
            let after = self.reached(group, &self.needed_by, &members);
            for unit in &mut self.unit {
                if before.contains(unit) && after.contains(unit) {
                    self.ragged.remove(unit);
                    *unit = group;
                }
            }
        }
    }

    /// The units, each behind its dependencies, otherwise by its last statement.
    pub(super) fn sorted(&self) -> Vec<Unit> {
        let members = self.members();
        let last = |unit: usize| members.get(&unit).and_then(|m| m.last().copied()).unwrap_or(unit);
        let mut waits: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
        for (k, needs) in self.needs.iter().enumerate() {
            let unit = self.unit_of(k);
            let others = needs.iter().map(|&n| self.unit_of(n)).filter(|&n| n != unit);
            waits.entry(unit).or_default().extend(others);
        }
        let mut ready: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
        ready.extend(waits.iter().filter(|(_, w)| w.is_empty()).map(|(&u, _)| Reverse((last(u), u))));
        let mut sorted = Vec::new();
        while let Some(Reverse((_, unit))) = ready.pop() {
            let own = members.get(&unit).cloned().unwrap_or_default();
            for u in own.iter().filter_map(|&k| self.needed_by.get(k)).flatten().map(|&k| self.unit_of(k)) {
                if let Some(w) = waits.get_mut(&u)
                    && w.remove(&unit)
                    && w.is_empty()
                {
                    ready.push(Reverse((last(u), u)));
                }
            }
            sorted.push(Unit { members: own, ragged: self.ragged.contains(&unit) });
        }
        sorted
    }
}
