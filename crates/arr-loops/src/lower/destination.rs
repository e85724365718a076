//! Destination passing: a `build` and the scatters behind it become one nest, which writes the build's values directly
//! to their destination.
//!
//! ```text
//! u: [m]f64 = build j<m { .. }                                                   for j < m {
//! b: [n][m]f64 = scatter! set a, k<m { e: f64 = read! u[k]; yield true, i, k, e }    .. store b[i, j] = u
//!                                                                              =>  }
//! ```
//!
//! A result of the build that nothing else reads needs no memory. Loops over states and their tapes are such code, many
//! small kernels per step. The scatters stand right behind the build, run over the same extents, and read its results
//! only at their own point. Each point writes to places that no other point of the nest reads or writes, so that
//! finishing one point before the next changes nothing.

use super::split_index_set::parts;
use super::{Lowerer, Result, ill_formed, same_length};
use crate::address::{ElementAddress, place};
use crate::{LocalId, Operand, Parallel, Stmt as LoopStmt};
use arr_ir::walk::{for_each_use, for_each_use_in_block};
use arr_ir::{Atom, Axis, Block, Func, Op, ScatterKind, Stmt, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The maximal number of scatters that join a build: each takes a pointer in the machine code.
const MOST: usize = 12;

/// The buffer of a build's result and its extents, if it needs one.
type Output = Option<(LocalId, Vec<Operand>)>;

/// A scatter, decomposed.
#[derive(Clone, Copy)]
struct Placed<'a> {
    stmt: &'a Stmt,
    var: VarId,
    kind: ScatterKind,
    dest: VarId,
    axes: &'a [Axis],
    body: &'a Block,
}

fn placed(stmt: &Stmt) -> Option<Placed<'_>> {
    match (&stmt.op, stmt.vars.as_slice()) {
        (Op::Scatter { kind, dest, axes, body, checked: false }, &[var]) => {
            Some(Placed { stmt, var, kind: *kind, dest: *dest, axes, body })
        }
        _ => None,
    }
}

impl Lowerer<'_> {
    /// How many statements behind the build at `at` are scatters that can join it.
    pub(super) fn joining(&self, block: &Block, at: usize) -> usize {
        let Some((build, behind)) = block.stmts.get(at..).and_then(<[Stmt]>::split_first) else { return 0 };
        let Op::Build { axes, body } = &build.op else { return 0 };
        if self.options.nested || self.options.check_all || !self.stored.is_empty() || !is_simple(self.func, body) {
            return 0;
        }
        let mut run: Vec<Placed<'_>> = Vec::new();
        for stmt in behind.iter().take(MOST) {
            let Some(next) = placed(stmt) else { break };
            if !joins(self.func, block, (build, axes, body), &run, next) {
                break;
            }
            run.push(next);
        }
        let reads_build = run.iter().any(|s| uses_any(self.func, s.body, &build.vars));
        if !reads_build || self.products(axes, body).is_some() || parts(self.func, &self.integers, axes, body).is_some()
        {
            return 0;
        }
        run.len()
    }

    /// Lowers the build at `at` and the `count` scatters behind it.
    pub(super) fn build_placed(&mut self, block: &Block, at: usize, count: usize) -> Result<()> {
        let Some((build, behind)) = block.stmts.get(at..).and_then(<[Stmt]>::split_first) else {
            return Err(ill_formed("nothing is where a build was found"));
        };
        let Op::Build { axes, body } = &build.op else { return Err(ill_formed("what scatters join is no build")) };
        let run: Vec<Placed<'_>> = behind.iter().take(count).filter_map(placed).collect();
        same_length("scatters that join a build", run.len(), count)?;
        let needed = used_outside(self.func, block, at + 1 + count);
        let mut outputs = Vec::new();
        for (&var, &result) in build.vars.iter().zip(&body.results) {
            let wanted = needed.contains(&var);
            outputs.push(if wanted { Some(self.alloc_result(var, axes, result)?) } else { None });
        }
        for (output, &var) in outputs.iter().zip(&build.vars) {
            if let Some((buffer, _)) = output {
                self.bind_owned(var, (*buffer).into());
            }
        }
        let mut dying = self.take_dying();
        let mut buffers: BTreeMap<VarId, LocalId> = BTreeMap::new();
        for (k, scatter) in run.iter().enumerate() {
            if let Some(frame) = self.frames.last_mut() {
                frame.enter_stmt(self.func, at + 1 + k, scatter.stmt);
            }
            let around = self.span;
            self.span = scatter.stmt.span.or(around);
            let buffer = self.unique(scatter.dest, scatter.var, false)?;
            self.span = around;
            self.bind_owned(scatter.var, buffer.into());
            dying.extend(self.take_dying());
            // The old contents, as changed by earlier scatters of the run, are now in this buffer.
            let mut before = Some(scatter.dest);
            while let Some(v) = before {
                buffers.insert(v, buffer);
                before = run.iter().find(|s| s.var == v).map(|s| s.dest);
            }
            buffers.insert(scatter.var, buffer);
        }
        let mut kept = Vec::new();
        for (&v, &buffer) in &buffers {
            kept.push((v, self.value(v)?));
            self.bind(v, buffer.into());
        }
        self.points(axes, body, (build, &outputs), (&run, &buffers))?;
        // An array that is needed later was copied, and is unchanged.
        kept.into_iter().filter(|(v, _)| run.iter().all(|s| s.var != *v)).for_each(|(v, old)| self.bind(v, old));
        run.iter().for_each(|scatter| self.integers.note(self.func, scatter.stmt));
        self.release(&dying)?;
        for scatter in &run {
            self.release_unused(std::slice::from_ref(&scatter.var))?;
        }
        Ok(())
    }

    /// The nest: the build's body, and at each point the writes of the scatters.
    fn points(
        &mut self,
        axes: &[Axis],
        body: &Block,
        (build, outputs): (&Stmt, &[Output]),
        (run, buffers): (&[Placed<'_>], &BTreeMap<VarId, LocalId>),
    ) -> Result<()> {
        let marked = self.marks_loops();
        let indices = self.open_axes(axes)?;
        let values = self.block(body, BTreeSet::new())?;
        let index: Vec<Operand> = indices.iter().map(|&i| i.into()).collect();
        for (output, &value) in outputs.iter().zip(&values) {
            if let Some((buffer, dims)) = output {
                let ElementAddress { address, offset } = place(&mut self.emit, *buffer, dims, &index);
                self.emit.push(LoopStmt::Store { address, offset, value });
            }
        }
        let mut distinct = if marked { axes.len() } else { 0 };
        for scatter in run {
            for (axis, &i) in scatter.axes.iter().zip(&index) {
                self.bind(axis.index, i);
                self.extents.insert(axis.index, axis.extent);
            }
            let mut own = scatter.body.clone();
            own.stmts.retain(|stmt| match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Read { array, .. }, &[v]) => match build.vars.iter().position(|b| b == array) {
                    Some(k) => {
                        values.get(k).into_iter().for_each(|&value| self.bind(v, value));
                        false
                    }
                    None => true,
                },
                _ => true,
            });
            let results = self.block(&own, BTreeSet::new())?;
            let buffer = buffers.get(&scatter.var).copied().ok_or_else(|| ill_formed("a scatter has no array"))?;
            self.writes(scatter.kind, buffer, scatter.dest, scatter.body, &results, false)?;
            let writes: Vec<&[Operand]> = results.chunks(self.func.ty(scatter.dest).dims.len() + 2).collect();
            let apart = indices.iter().take_while(|i| self.emit.tells_apart(**i, &writes)).count();
            distinct = distinct.min(apart);
        }
        self.close_axes(axes, vec![Parallel::default(); distinct]);
        Ok(())
    }
}

/// Whether straight-line code computes a build's scalar results, without a demand that may fail.
fn is_simple(func: &Func, body: &Block) -> bool {
    body.results.iter().all(|&a| func.atom_ty(a).is_scalar())
        && body.stmts.iter().all(|s| matches!(s.op, Op::Prim(..) | Op::Size(_) | Op::Read { checked: false, .. }))
        && !body.stmts.iter().any(|s| arr_ir::walk::may_fail_deep(func, &s.op))
}

/// Whether a scatter can join a build and the scatters that have joined it.
fn joins(
    func: &Func,
    block: &Block,
    (build, axes, body): (&Stmt, &[Axis], &Block),
    run: &[Placed<'_>],
    next: Placed<'_>,
) -> bool {
    let extents = |axes: &[Axis]| axes.iter().map(|a| a.extent).collect::<Vec<_>>();
    if extents(axes) != extents(next.axes) || !is_simple_scatter(func, next) || build.vars.contains(&next.dest) {
        return false;
    }
    // The build's results are read at its own point.
    let own: Vec<Atom> = next.axes.iter().map(|a| Atom::Var(a.index)).collect();
    let pointwise = next.body.stmts.iter().all(|s| match &s.op {
        Op::Read { array, index, .. } if build.vars.contains(array) => *index == own,
        _ => true,
    });
    if !pointwise {
        return false;
    }
    // Nothing else in the nest mentions the array that it writes, except reads or writes of the same place at each
    // point.
    let others = |v: VarId| v == next.dest || run.iter().any(|s| s.var == v || s.dest == v);
    if uses_any_of(func, next.body, &others) || run.iter().any(|s| uses_any_of(func, s.body, &|v| v == next.dest)) {
        return false;
    }
    let places = places_of(func, next, axes);
    let reads_own = body.stmts.iter().all(|s| match &s.op {
        Op::Read { array, index, .. } if *array == next.dest => {
            places.as_ref().is_some_and(|places| places.iter().all(|place| place == index))
        }
        _ => true,
    });
    if !reads_own {
        return false;
    }
    match run.iter().find(|s| s.var == next.dest) {
        Some(first) => {
            let (Some(before), Some(places)) = (places_of(func, *first, axes), places) else { return false };
            let only = count_uses(func, block, next.dest) == 1;
            only && before.iter().chain(&places).all(|place| before.first() == Some(place))
        }
        None => run.iter().all(|s| s.dest != next.dest),
    }
}

fn is_simple_scatter(func: &Func, s: Placed<'_>) -> bool {
    !s.axes.is_empty() && is_simple(func, s.body)
}

/// The places that a scatter writes, with its axes renamed; nothing unless two points always differ in theirs.
fn places_of(func: &Func, s: Placed<'_>, axes: &[Axis]) -> Option<Vec<Vec<Atom>>> {
    let rank = func.ty(s.dest).dims.len();
    let mut bound = BTreeSet::new();
    s.body.stmts.iter().for_each(|stmt| bound.extend(stmt.vars.iter().copied()));
    let mut all = Vec::new();
    for write in s.body.results.chunks(rank + 2) {
        all.push(write.get(1..=rank)?.to_vec());
    }
    let first = all.first()?.clone();
    // Every axis is an index of all writes, at the same position.
    for axis in s.axes {
        let at = first.iter().position(|a| *a == Atom::Var(axis.index))?;
        if !all.iter().all(|place| place.get(at) == Some(&Atom::Var(axis.index))) {
            return None;
        }
    }
    if all.iter().flatten().any(|a| a.var().is_some_and(|v| bound.contains(&v))) {
        return None;
    }
    Some(all.iter().map(|place| place.iter().map(|&a| renamed(a, s.axes, axes)).collect()).collect())
}

fn renamed(atom: Atom, from: &[Axis], to: &[Axis]) -> Atom {
    let found = from.iter().zip(to).find(|(a, _)| atom == Atom::Var(a.index));
    found.map_or(atom, |(_, b)| Atom::Var(b.index))
}

fn uses_any(func: &Func, body: &Block, vars: &[VarId]) -> bool {
    uses_any_of(func, body, &|v| vars.contains(&v))
}

fn uses_any_of(func: &Func, body: &Block, is: &dyn Fn(VarId) -> bool) -> bool {
    let mut found = false;
    for_each_use_in_block(func, body, &mut |v| found |= is(v));
    found
}

fn count_uses(func: &Func, block: &Block, var: VarId) -> usize {
    let mut uses = 0;
    for_each_use_in_block(func, block, &mut |v| uses += usize::from(v == var));
    uses
}

/// What the statements of a block from `at` on use, and its results.
fn used_outside(func: &Func, block: &Block, at: usize) -> BTreeSet<VarId> {
    let mut used: BTreeSet<VarId> = block.results.iter().filter_map(|a| a.var()).collect();
    for stmt in block.stmts.iter().skip(at) {
        for_each_use(func, &stmt.op, &mut |v| {
            used.insert(v);
        });
    }
    used
}
