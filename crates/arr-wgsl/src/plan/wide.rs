//! Nests whose points are long reductions: one workgroup per point, if points are few and reductions long.
//!
//! The statements of a point are the parts of a kernel of one workgroup (`kernel/cluster`): the lanes traverse a row in
//! parallel, and a tree in workgroup memory combines their results.

use super::persistent::parts;
use super::steps::Planner;
use crate::kernel::cluster::{self, WorkgroupPerRow};
use crate::kernel::nest::Nest;
use crate::kernel::text::Result;
use crate::library::known;
use crate::program::Step;
use crate::walk::{Use, uses};
use arr_ir::{Const, Prim};
use arr_loops::{Expr, For, LocalId, Operand, Stmt, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// Enough elements of a reduction for a workgroup.
const LONG: i64 = 128;

/// The maximal number of points. If neighbouring elements of a reduction are not contiguous in memory, neighbouring
/// points should read together instead, unless there are hardly any.
const POINTS: i64 = 1 << 14;
const POINTS_APART: i64 = 256;

impl Planner<'_, '_> {
    /// Plans a nest that writes elements; `plain` are the steps with one invocation per point.
    pub(super) fn wide(&mut self, nest: &Nest<'_>, plain: Vec<Step>) -> Result<Vec<Step>> {
        let Some((row, together)) = self.long_row(nest) else { return Ok(plain) };
        let most = if together { POINTS } else { POINTS_APART };
        let around = std::mem::take(&mut self.steps);
        let mut cond = self.all_of(&[(row.clone(), Prim::Ge, LONG), (nest.extents.clone(), Prim::Le, most)]);
        if let Some(longest) = self.b.longest_loop() {
            let too_long = self.all_of(&[(row, Prim::Gt, longest)]);
            cond = self.any_of(cond, too_long);
        }
        let lets = std::mem::replace(&mut self.steps, around);
        if known(cond) == Some(false) {
            return Ok(plain);
        }
        let mut stmts: Vec<Stmt> = nest.between.iter().copied().flatten().cloned().collect();
        stmts.extend(nest.body.iter().cloned());
        let parts = parts::of(self.b, self.placement, &stmts);
        let rows = WorkgroupPerRow { nest, width: self.b.options.workgroup.min(LONG as u32) };
        let kernel = cluster::make(self.b, self.placement, &parts, &[], &HashMap::new(), Some(&rows))?;
        let wide = vec![Step::Dispatch(kernel)];
        let mut steps = lets;
        match cond {
            Operand::Const(Const::Bool(true)) => steps.extend(wide),
            cond => steps.push(Step::If { cond, then_steps: wide, else_steps: plain }),
        }
        Ok(steps)
    }

    /// The extents of the longest reductions of a point, known to the host, and whether one of them reads contiguous
    /// elements.
    fn long_row(&self, nest: &Nest<'_>) -> Option<(Vec<Operand>, bool)> {
        let plain = |stmt: &Stmt| match stmt {
            Stmt::For(l) => l.parallel.is_some() && l.scan.is_none(),
            Stmt::While(_) => false,
            Stmt::If { then_body, else_body, .. } => !has_loops(then_body) && !has_loops(else_body),
            _ => true,
        };
        if nest.guarded.contains(&true) || !nest.body.iter().all(plain) {
            return None;
        }
        let mut bound: HashSet<LocalId> = nest.indices().into_iter().collect();
        uses(&nest.statements(), &mut |used| {
            if let Use::Bind(local) | Use::Set(local) = used {
                bound.insert(local);
            }
        });
        let mut found: Option<(Vec<Operand>, bool)> = None;
        for stmt in nest.body {
            let Stmt::For(l) = stmt else { continue };
            if l.parallel.as_ref().is_none_or(|p| p.partials.is_empty()) {
                continue;
            }
            let row = Nest::of(l, self.placement);
            let known = |o: &Operand| match o {
                Operand::Local(local) => !bound.contains(local) && !self.placement.is_computed(*local),
                Operand::Const(_) => true,
            };
            if !row.extents.iter().all(known) || row.guarded.contains(&true) {
                return None;
            }
            let together = row.loops.last().is_some_and(|inner| reads_neighbours(inner));
            found = match found {
                Some((extents, before)) if extents.len() >= row.extents.len() => Some((extents, before || together)),
                before => Some((row.extents, together || before.is_some_and(|(_, b)| b))),
            };
        }
        found
    }
}

fn has_loops(stmts: &[Stmt]) -> bool {
    let mut found = false;
    for_each_chunked_stmt(stmts, &mut |stmt| found |= matches!(stmt, Stmt::For(_) | Stmt::While(_)));
    found
}

/// Whether neighbouring iterations of a loop read neighbouring elements.
fn reads_neighbours(l: &For) -> bool {
    let mut found = false;
    for_each_chunked_stmt(&l.body, &mut |stmt| {
        found |= matches!(stmt, Stmt::Let { expr: Expr::Load(_, at), .. } if *at == Operand::Local(l.index));
    });
    found
}
