//! Persistent kernels: ordered loops of the program with small nests become one kernel of one workgroup, whatever the
//! number of iterations.
//!
//! Nests, reductions, branches and further loops in it are parts of the kernel (`parts`). The arrays that an iteration
//! makes live in buffers that the host allocates before (`slots`).

mod hoist;
pub(super) mod parts;
mod plain;
mod slots;
mod work;

use super::steps::Planner;
use crate::error::CompileError;
use crate::kernel::cluster;
use crate::kernel::text::{Result, span_of};
use crate::program::{HostFor, KernelId, Options, Step};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, Induction, LocalId, Operand, Origin, SpanId, Stmt, Ty, for_each_chunked_stmt};
use hoist::Hoist;
use slots::{Class, Slots};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The maximal number of steps of one workgroup for each nest of the loop.
const SMALL: i64 = 1 << 13;

/// The maximal number of iterations of sums at computed places and of scans, which run in one invocation.
const SERIAL: i64 = 1 << 10;

/// The maximal number of elements of the buffers for the loop's arrays.
const ROOM: i64 = 1 << 24;

/// A comparison of the product of operands with a number.
type Condition = (Vec<Operand>, Prim, i64);

/// A loop as one kernel, valid under the condition.
pub(super) struct Persistent {
    /// The computation of the condition.
    pub lets: Vec<Step>,
    pub cond: Operand,
    pub steps: Vec<Step>,
}

/// Makes an array for all arrays with elements of one type, which end at `ends`.
fn arenas(slots: &mut Slots<'_, '_>, ends: &BTreeMap<Scalar, Operand>, span: SpanId) -> Vec<Step> {
    let mut allocs = Vec::new();
    for (&elem, &end) in ends {
        let arena = slots.b.local("arrays", Ty::Buffer(elem));
        let data = slots.b.local("arrays.data", Ty::Address(elem));
        slots.b.place_address(data, arena, true);
        slots.arenas.push((elem, arena, data));
        allocs.push(Step::Alloc { local: arena, dims: vec![end], span });
    }
    allocs
}

impl Planner<'_, '_> {
    /// Plans a loop as one kernel, if it can be one.
    pub(super) fn persistent(&mut self, stmt: &Stmt) -> Result<Option<Persistent>> {
        // The host counts the iterations of its loops.
        if self.b.options.count_steps {
            return Ok(None);
        }
        let Some(plain) = plain::of(stmt) else { return Ok(None) };
        let around = std::mem::take(&mut self.steps);
        let made = self.in_one_kernel(&plain);
        self.steps = around;
        match made {
            // Separately, the loop's statements may still be kernels.
            Err(CompileError::Unsupported { .. } | CompileError::TooManyBuffers { .. }) => Ok(None),
            made => made,
        }
    }

    fn in_one_kernel(&mut self, plain: &plain::Plain) -> Result<Option<Persistent>> {
        let span = span_of(&plain.stmts);
        for literal in &plain.literals {
            if let Stmt::Let { local, expr } = literal {
                self.step(Step::Let { local: *local, expr: expr.clone() });
            }
        }
        let Some(mut found) = Slots::find(self.b, self.aliases, &plain.stmts, span) else { return Ok(None) };
        let (inner, set) = (found.inner.clone(), found.set.clone());
        let mut hoist = Hoist::new(&inner, &set);
        let Some(ends) = self.class_starts(&mut found.classes, &mut hoist) else { return Ok(None) };
        let most = self.b.options.loop_steps.saturating_mul(32).min(ROOM);
        let mut conds: Vec<Condition> = ends.values().map(|&end| (vec![end], Prim::Le, most)).collect();
        let mut slots = Slots::new(self.b, self.aliases, found, span);
        let allocs = arenas(&mut slots, &ends, span);
        let [before, body, after] = slots.rewrite(&plain.stmts);
        let Slots { found, regions, fine, arenas, .. } = slots;
        let Some((turns, body)) = self.in_turns(&plain.stmts, body, &mut hoist) else { return Ok(None) };
        let stmts = [before, body, after].concat();
        if !fine || !self.can_bind(&stmts) {
            return Ok(None);
        }
        for &extent in &plain.scans {
            let extent = self.hoist(extent, &mut hoist);
            conds.extend(extent.map(|extent| (vec![extent], Prim::Le, SERIAL)));
        }
        self.paths(&plain.stmts, &mut Vec::new(), &mut hoist, &mut conds);
        conds.extend(turns.iter().map(|turns| (vec![turns.work], Prim::Le, self.b.options.loop_steps)));
        let cond = self.all_of(&conds);
        let lets = std::mem::take(&mut self.steps);
        if crate::library::known(cond) == Some(false) {
            return Ok(None);
        }
        for class in found.classes.values() {
            for (&local, &own) in class.from_outside.iter().zip(&class.own) {
                self.step(Step::MakeUnique { local: own, buffer: local, span });
                self.step(Step::Set { local, value: own.into() });
            }
        }
        self.steps.extend(allocs);
        let changed = self.changed(&inner, &set);
        let parts = parts::of(self.b, self.placement, &stmts);
        let kernel = cluster::make(self.b, self.placement, &parts, &[], &regions, None)?;
        let run = match turns.and_then(|turns| turns.chunks) {
            None => Step::Dispatch(kernel),
            Some(chunks) => chunks.steps(kernel, span),
        };
        self.run_with(changed, run);
        for (_, arena, _) in arenas {
            self.step(Step::Release(arena));
        }
        Ok(Some(Persistent { lets, cond, steps: std::mem::take(&mut self.steps) }))
    }

    /// Gives the arrays of each class their places in the array that holds all of one type. Returns the ends of these;
    /// `None` if a size is not known before the loop.
    fn class_starts(
        &mut self,
        classes: &mut BTreeMap<LocalId, Class>,
        hoist: &mut Hoist<'_>,
    ) -> Option<BTreeMap<Scalar, Operand>> {
        let mut ends: BTreeMap<Scalar, Operand> = BTreeMap::new();
        for (root, class) in classes {
            for local in class.from_outside.clone() {
                let info = self.b.func.locals[local].clone();
                class.own.push(self.b.local(&format!("{}.own", info.name), info.ty));
            }
            if class.stays() {
                continue;
            }
            let size = self.class_size(*root, class, hoist)?;
            class.size = Some(size);
            let end = ends.entry(self.b.func.elem((*root).into())).or_insert(Operand::int(0));
            for _ in 0..class.places {
                class.starts.push(*end);
                *end = self.let_host("start", Scalar::I64, Prim::Add, vec![*end, size]);
            }
        }
        Some(ends)
    }

    /// Runs a kernel. The host's scalars that it changes are the kernel's as long as it runs.
    fn run_with(&mut self, changed: Vec<LocalId>, run: Step) {
        if !changed.is_empty() {
            self.step(Step::Put(changed.iter().map(|&local| (local, local.into())).collect()));
        }
        self.step(run);
        if !changed.is_empty() {
            self.step(Step::Fetch(changed));
        }
    }

    /// The loop in chunks of iterations that are short enough for a kernel: the work of an iteration, and the loop of a
    /// chunk. `None` if that cannot be known.
    fn in_turns(
        &mut self,
        plain: &[Stmt],
        body: Vec<Stmt>,
        hoist: &mut Hoist<'_>,
    ) -> Option<(Option<Turns>, Vec<Stmt>)> {
        let mut body = body;
        let at = body.iter().position(|stmt| matches!(stmt, Stmt::For(_) | Stmt::While(_)))?;
        let found = plain.iter().find_map(|stmt| if let Stmt::For(l) = stmt { Some(l) } else { None });
        let (Some(l), Some(Stmt::For(made))) = (found, body.get_mut(at)) else {
            // Its length is unknown.
            return (self.b.options.loop_steps >= Options::default().loop_steps).then_some((None, body));
        };
        let extent = self.hoist(l.extent, hoist)?;
        let work = self.work(&l.body, hoist);
        let work = self.integers(Prim::Add, work, Operand::int(1));
        let most = Operand::int(self.b.options.loop_steps);
        let chunk = self.integers(Prim::Div, most, work);
        let chunk = self.integers(Prim::Max, chunk, Operand::int(1));
        let rounded = self.integers(Prim::Add, extent, chunk);
        let rounded = self.integers(Prim::Sub, rounded, Operand::int(1));
        let count = self.integers(Prim::Div, rounded, chunk);
        if count.as_int().is_some_and(|count| count <= 1) {
            return Some((Some(Turns { work, chunks: None }), body));
        }
        // An iteration's number is its number in the chunk plus the start of the chunk.
        let int = Ty::Scalar(Scalar::I64);
        let (turn, index) = (self.b.local("turn", int), self.b.local("chunk", int));
        let (first, length) = (self.b.local("chunk.first", int), self.b.local("chunk.length", int));
        let mut begin = Vec::new();
        let mut bind = |local: LocalId, prim: Prim, args: Vec<Operand>| {
            begin.push(Stmt::Let { local, expr: Expr::Prim(prim, args) });
        };
        if made.reverse {
            let (rest, last) = (self.b.local("rest", int), self.b.local("last", int));
            bind(rest, Prim::Sub, vec![extent, first.into()]);
            bind(last, Prim::Sub, vec![rest.into(), Operand::int(1)]);
            bind(made.index, Prim::Sub, vec![last.into(), turn.into()]);
        } else {
            bind(made.index, Prim::Add, vec![first.into(), turn.into()]);
        }
        for induction in std::mem::take(&mut made.inductions) {
            bind(induction.local, Prim::Mul, vec![made.index.into(), induction.step]);
        }
        begin.append(&mut made.body);
        made.body = begin;
        (made.index, made.extent, made.reverse) = (turn, length.into(), false);
        Some((Some(Turns { work, chunks: Some(Chunks { index, first, length, chunk, count, extent }) }), body))
    }

    /// Scalars from outside that the host knows before the loop, and that the loop changes.
    fn changed(&self, inner: &HashSet<LocalId>, set: &HashSet<LocalId>) -> Vec<LocalId> {
        let mut changed: Vec<LocalId> = set.difference(inner).copied().collect();
        changed.retain(|&local| matches!(self.b.func.ty(local), Ty::Scalar(_)) && !self.placement.is_device(local));
        changed.sort();
        changed
    }

    /// Whether one kernel can bind all that statements read and write, every buffer once.
    fn can_bind(&self, stmts: &[Stmt]) -> bool {
        let mut buffers: HashMap<LocalId, bool> = HashMap::new();
        for_each_chunked_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Let { expr: Expr::Load(address, _), .. } => {
                buffers.entry(self.b.root(*address)).or_insert(false);
            }
            Stmt::Store { address, .. } => {
                buffers.insert(self.b.root(*address), true);
            }
            _ => {}
        });
        let one = |buffer: LocalId, other: LocalId| self.aliases.class(buffer) != self.aliases.class(other);
        let apart = buffers
            .iter()
            .filter(|(_, writes)| **writes)
            .all(|(&written, _)| buffers.keys().all(|&other| other == written || one(written, other)));
        apart && buffers.len() + 2 <= self.b.options.storage_buffers as usize
    }

    /// The number of elements of an array of a class: all have the same.
    fn class_size(&mut self, root: LocalId, class: &Class, hoist: &mut Hoist<'_>) -> Option<Operand> {
        let mut known: Vec<Vec<Operand>> = class.made.clone();
        let outside = class.from_outside.iter().chain(&class.copied);
        for &local in outside {
            known.extend(self.dims_of(local));
        }
        if known.is_empty() {
            known.extend(self.dims_of(root));
        }
        known.iter().find_map(|dims| {
            let mut size = Operand::int(1);
            for &dim in dims {
                // Arrays that are never exchanged with one of another loop may be smaller than their places.
                let dim = match self.hoist(dim, hoist) {
                    None if class.from_outside.is_empty() && class.copied.is_empty() => self.bound(dim, true, hoist)?,
                    dim => dim?,
                };
                let dim = self.let_host("size", Scalar::I64, Prim::Max, vec![dim, Operand::int(0)]);
                size = if size == Operand::int(1) {
                    dim
                } else {
                    self.let_host("size", Scalar::I64, Prim::Mul, vec![size, dim])
                };
            }
            Some(size)
        })
    }

    /// The extents of the loops of nests on the way to every innermost one, as far as the host knows them before.
    fn paths(&mut self, stmts: &[Stmt], path: &mut Vec<Operand>, hoist: &mut Hoist<'_>, conds: &mut Vec<Condition>) {
        for stmt in stmts {
            match stmt {
                Stmt::For(l) if l.parallel.is_some() || !path.is_empty() => {
                    let extent = self.bound(l.extent, true, hoist);
                    path.push(extent.unwrap_or(Operand::int(1)));
                    self.paths(&l.body, path, hoist, conds);
                    conds.push((path.clone(), Prim::Le, SMALL));
                    path.pop();
                }
                // Long ones of these run in parallel elsewhere.
                Stmt::For(l) if crate::library::scatter::find(self.b, l).is_some() => {
                    let extent = self.hoist(l.extent, hoist);
                    conds.extend(extent.map(|extent| (vec![extent], Prim::Le, SERIAL)));
                }
                _ => stmt.chunked_blocks().into_iter().for_each(|block| self.paths(block, path, hoist, conds)),
            }
        }
    }
}

/// A loop as iterations.
struct Turns {
    /// The work of one.
    work: Operand,
    /// `None` if all of them can be one chunk.
    chunks: Option<Chunks>,
}

/// Runs of iterations, each of which is one run of the kernel.
struct Chunks {
    index: LocalId,
    first: LocalId,
    length: LocalId,
    /// Iterations of a chunk, and chunks.
    chunk: Operand,
    count: Operand,
    extent: Operand,
}

impl Chunks {
    fn steps(&self, kernel: KernelId, span: SpanId) -> Step {
        let rest = Expr::Prim(Prim::Sub, vec![self.extent, self.first.into()]);
        let length = Expr::Prim(Prim::Min, vec![self.chunk, self.length.into()]);
        Step::For(Box::new(HostFor {
            index: self.index,
            extent: self.count,
            reverse: false,
            inductions: vec![Induction { local: self.first, step: self.chunk }],
            origin: Origin::Kernel,
            span,
            body: vec![
                Step::Let { local: self.length, expr: rest },
                Step::Let { local: self.length, expr: length },
                Step::Dispatch(kernel),
            ],
        }))
    }
}
