//! Runs of kernels over the same sizes: fused into one kernel if the sizes allow it, and separate otherwise.

use super::alias::memory;
use super::rows::{RowFusion, fuse};
use super::schedule::paths;
use super::steps::Planner;
use crate::kernel::cluster::{self, Part};
use crate::kernel::nest::Nest;
use crate::kernel::reduce::Reduction;
use crate::kernel::text::Result;
use crate::library::known;
use crate::program::Step;
use crate::walk::{Use, uses};
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{For, LocalId, Operand, Stmt};
use std::collections::{HashMap, HashSet};

/// The maximal number of steps of one workgroup for each nest of a cluster.
const SMALL: i64 = 1 << 15;

/// Enough rows for one invocation each.
const ROWS: i64 = 128;

/// The maximal number of points of a row in one invocation, for each nest.
const ROW: i64 = 1024;

impl Planner<'_, '_> {
    /// Plans statements of a run, in pieces that bind no more buffers than a kernel can.
    pub(super) fn run(&mut self, stmts: &[&Stmt]) -> Result<()> {
        let mut piece: Vec<&Stmt> = Vec::new();
        for &stmt in stmts {
            piece.push(stmt);
            if piece.len() > 1 && !self.binds_few(&piece) {
                piece.pop();
                self.piece(&piece)?;
                piece = vec![stmt];
            }
        }
        self.piece(&piece)
    }

    /// Whether one kernel can bind all buffers of statements, each once, and those for slots and faults.
    fn binds_few(&self, stmts: &[&Stmt]) -> bool {
        let mut buffers = HashSet::new();
        for stmt in stmts {
            memory(self.b, stmt, &mut |buffer, _| {
                buffers.insert(buffer);
            });
        }
        buffers.len() + 2 <= self.b.options.storage_buffers as usize && self.is_apart(stmts)
    }

    fn piece(&mut self, stmts: &[&Stmt]) -> Result<()> {
        let nests = stmts.iter().filter(|s| matches!(s, Stmt::For(_))).count();
        if nests == 0 || nests == 1 && stmts.len() == 1 {
            return stmts.iter().try_for_each(|stmt| self.stmt(stmt));
        }
        self.flush()?;
        let apart = self.captured(|planner| planner.run_apart(stmts))?;
        let kernels = most_dispatches(&apart);
        let small = if kernels > 1 { self.smallness(stmts) } else { None };
        let Some(small) = small else {
            self.steps.extend(apart);
            return Ok(());
        };
        let lets = small.1;
        self.steps.extend(lets);
        let one = self.captured(|planner| planner.cluster(stmts))?;
        match small.0 {
            Operand::Const(Const::Bool(true)) => self.steps.extend(one),
            Operand::Const(_) => self.steps.extend(apart),
            cond => self.step(Step::If { cond, then_steps: one, else_steps: apart }),
        }
        Ok(())
    }

    fn captured(&mut self, plan: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Step>> {
        let around = std::mem::take(&mut self.steps);
        let done = plan(self);
        let steps = std::mem::replace(&mut self.steps, around);
        done.map(|()| steps)
    }

    /// Every kernel separately, except that nests over the same rows are fused if there are many rows.
    fn run_apart(&mut self, stmts: &[&Stmt]) -> Result<()> {
        let mut at = 0;
        while let Some(stmt) = stmts.get(at) {
            let Stmt::For(first) = stmt else {
                self.stmt(stmt)?;
                at += 1;
                continue;
            };
            let mut nests: Vec<&For> = vec![first];
            let rows = RowFusion { b: self.b, aliases: self.aliases, definitions: self.definitions };
            while let Some(Stmt::For(next)) = stmts.get(at + nests.len()) {
                nests.push(next);
                let all = stmts.get(at..at + nests.len()).unwrap_or_default();
                if !rows.fit(&nests) || !self.binds_few(all) {
                    nests.pop();
                    break;
                }
            }
            at += nests.len();
            match (nests.len(), fuse(&nests)) {
                (1, _) | (_, None) => self.nest(first)?,
                (_, Some(fused)) => self.rows(&nests, &fused)?,
            }
        }
        self.flush()
    }

    fn rows(&mut self, nests: &[&For], fused: &For) -> Result<()> {
        self.flush()?;
        let mut conds = vec![(vec![fused.extent], Prim::Ge, ROWS)];
        for l in nests {
            let nest = Nest::of(l, self.placement);
            let inner: Vec<Operand> = nest.extents.iter().skip(1).copied().collect();
            if !inner.is_empty() {
                conds.push((inner, Prim::Le, ROW));
            }
        }
        let cond = self.all_of(&conds);
        let apart = self.captured(|planner| nests.iter().try_for_each(|l| planner.nest(l)))?;
        let one = self.captured(|planner| planner.nest(fused))?;
        match cond {
            Operand::Const(Const::Bool(true)) => self.steps.extend(one),
            Operand::Const(_) => self.steps.extend(apart),
            cond => self.step(Step::If { cond, then_steps: one, else_steps: apart }),
        }
        Ok(())
    }

    /// Whether all products satisfy the comparisons with their limits: for the host.
    pub(super) fn all_of(&mut self, conds: &[(Vec<Operand>, Prim, i64)]) -> Operand {
        let mut all = Operand::Const(Const::Bool(true));
        let mut seen: HashSet<(Vec<Operand>, Prim)> = HashSet::new();
        for (extents, compare, limit) in conds {
            if !seen.insert((extents.clone(), *compare)) {
                continue;
            }
            let mut product = Operand::int(1);
            for &extent in extents {
                product = match product.as_int() {
                    Some(1) => extent,
                    _ => self.let_host("s", Scalar::I64, Prim::Mul, vec![product, extent]),
                };
            }
            let one = self.let_host("fits", Scalar::Bool, *compare, vec![product, Operand::int(*limit)]);
            all = match (all, one) {
                (Operand::Const(Const::Bool(true)), one) => one,
                (all, Operand::Const(Const::Bool(true))) => all,
                (all, one) => self.let_host("fit", Scalar::Bool, Prim::And, vec![all, one]),
            };
        }
        all
    }

    /// Whether one of two conditions holds.
    pub(super) fn any_of(&mut self, a: Operand, b: Operand) -> Operand {
        match (known(a), known(b)) {
            (Some(true), _) | (_, Some(false)) => a,
            (_, Some(true)) | (Some(false), _) => b,
            _ => self.let_host("fit", Scalar::Bool, Prim::Or, vec![a, b]),
        }
    }

    /// The condition under which a run is small enough for one workgroup, and the host's computations for it; `None` if
    /// it is never known to be.
    fn smallness(&mut self, stmts: &[&Stmt]) -> Option<(Operand, Vec<Step>)> {
        let mut conds: Vec<(Vec<Operand>, Prim, i64)> = Vec::new();
        for stmt in stmts {
            if let Stmt::For(l) = stmt {
                let known = |operand: Operand| self.is_outside(stmts, operand);
                for path in paths(l, &known)? {
                    conds.push((path, Prim::Le, SMALL));
                }
            }
        }
        let around = std::mem::take(&mut self.steps);
        let cond = self.all_of(&conds);
        let lets = std::mem::replace(&mut self.steps, around);
        Some((cond, lets))
    }

    /// Whether the host knows an operand before a run.
    fn is_outside(&self, stmts: &[&Stmt], operand: Operand) -> bool {
        let Operand::Local(local) = operand else { return true };
        let mut bound = false;
        for stmt in stmts {
            uses(std::slice::from_ref(*stmt), &mut |used| {
                bound |= matches!(used, Use::Bind(l) | Use::Set(l) if l == local);
            });
        }
        !bound && !self.placement.is_computed(local)
    }

    fn cluster(&mut self, stmts: &[&Stmt]) -> Result<()> {
        let mut parts: Vec<Part<'_>> = Vec::new();
        let mut lets = Vec::new();
        let mut before: Vec<Stmt> = Vec::new();
        for stmt in stmts {
            match stmt {
                Stmt::For(l) => {
                    let mut nest = Nest::of(l, self.placement);
                    lets.extend(nest.guard(self.b));
                    match l.parallel.as_ref().filter(|p| !p.partials.is_empty()) {
                        Some(parallel) => {
                            let known = parallel.partials.iter().map(|p| known_init(&before, p.local)).collect();
                            parts.push(Part::Reduce(Reduction { nest, parallel, before: known }));
                        }
                        None => parts.push(Part::Map(nest)),
                    }
                }
                stmt => match parts.last_mut() {
                    Some(Part::Scalars(list)) if is_plain(stmt) == list.iter().all(is_plain) => {
                        list.push((*stmt).clone());
                    }
                    _ => parts.push(Part::Scalars(vec![(*stmt).clone()])),
                },
            }
            before.push((*stmt).clone());
        }
        for (local, expr) in lets {
            self.step(Step::Let { local, expr });
        }
        let escapes = self.escapes(&before);
        let kernel = cluster::make(self.b, self.placement, &parts, &escapes, &HashMap::new(), None)?;
        self.step(Step::Dispatch(kernel));
        Ok(())
    }
}

/// Whether a statement writes only scalars.
fn is_plain(stmt: &Stmt) -> bool {
    !matches!(stmt, Stmt::Store { .. })
}

/// The initial value of a local, if nothing has used it since.
fn known_init(before: &[Stmt], wanted: LocalId) -> Option<Operand> {
    let mut found = None;
    for stmt in before {
        match stmt {
            Stmt::Var { local, init } if *local == wanted => found = *init,
            _ => {
                let mut used = false;
                uses(std::slice::from_ref(stmt), &mut |u| {
                    used |= matches!(u, Use::Read(l) | Use::Set(l) if l == wanted);
                });
                if used {
                    found = None;
                }
            }
        }
    }
    found
}

/// The maximal number of kernels that steps run.
fn most_dispatches(steps: &[Step]) -> usize {
    steps
        .iter()
        .map(|step| match step {
            Step::Dispatch(_) => 1,
            Step::If { then_steps, else_steps, .. } => most_dispatches(then_steps).max(most_dispatches(else_steps)),
            Step::For(l) => most_dispatches(&l.body),
            Step::While(l) => most_dispatches(&l.head) + most_dispatches(&l.body),
            _ => 0,
        })
        .sum()
}
