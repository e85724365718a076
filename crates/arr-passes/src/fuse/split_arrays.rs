//! Array splitting, from an array of structures to a structure of arrays: loops work on the columns of short rows, each an
//! array of its own.
//!
//! ```text
//! r: [n][2]f64 = loop t<k (u: [n][2]f64 = x) {           x0: [n]f64, x1: [n]f64 = build i<n { .. x[i, 0] .. x[i, 1] .. }
//!   v: [n][2]f64 = scatter! add u, i<n {            =>   r0: [n]f64, r1: [n]f64 = loop t<k (u0 = x0, u1 = x1) {
//!     .. a[i, 0] .. a[i, 1] .. yield true, i, 0, b }       v0: [n]f64 = scatter! add u0, i<n { .. a0[i] .. a1[i] .. }
//!   yield v }                                              yield v0, u1 }
//!                                                        r: [n][2]f64 = build i<n, c<2 { .. }
//! ```
//!
//! Points that run side by side read and write a column element by element, and rows in strides. A kernel that adds to
//! a column at its own point is like any other, and is merged with the producer of the terms. The copies around the
//! loop are made once, while the loop traverses its arrays repeatedly.
//!
//! Arrays of the state are split where the loop reads and writes them only at constant columns. Arrays from outside are
//! split where kernels in the loop read them so, row by row; as those copies are only views, the pass `layout` makes
//! them, at the end.
//!
//! Assumes:      a verified bulk function, simplified.
//! Guarantees:   the function is bulk; values are unchanged.
//! Leaves alone: rows of more than a few elements; reads that may fail; arrays that inner loops carry.
//! Cost:         O(statements x nesting depth).
//! Paper:        Henriksen et al., "Futhark: Purely Functional GPU-Programming with Nested Parallelism and In-Place Array
//!               Updates", section 5.2 (the transposition of arrays for coalesced access).
//! Tests:        tests/fuse/columns*.ir, tests/layout/columns.ir
//!
//! Of the workloads that it was measured on, it is worth something on `lotka` alone (docs/ablation.md).

use arr_base::Span;
use arr_ir::rewrite::{Enter, for_each_stmt_mut, rewrite_stmts};
use arr_ir::walk::for_each_use_in_block;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Scalar, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximal number of elements of a row.
const MAX_COLUMNS: i64 = 8;

/// Whether anything changed.
pub(super) fn split_arrays(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| changed |= split(func, stmt, out));
    changed
}

/// The columns of an array: their number, and their rank.
fn count(func: &Func, array: VarId) -> Option<usize> {
    let (last, before) = func.ty(array).dims.split_last()?;
    let n = func.types.poly(*last).as_constant()?;
    (!before.is_empty() && (2..=MAX_COLUMNS).contains(&n) && func.ty(array).elem.is_float()).then_some(n as usize)
}

/// A loop with arrays of its state in columns where possible; returns whether any are.
fn split(func: &mut Func, mut stmt: Stmt, out: &mut Vec<Stmt>) -> bool {
    let span = stmt.span;
    let Op::Loop { inits, body, .. } = &mut stmt.op else {
        out.push(stmt);
        return false;
    };
    let mut found = Found::new(func, body);
    found.keep_whole_chains(func, body);
    let states: Vec<usize> = (0..body.params.len()).filter(|&k| found.is_state(func, body, k)).collect();
    let mut parts: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut behind = Vec::new();
    for &k in states.iter().rev() {
        let (Some(&param), Some(&var)) = (body.params.get(k), stmt.vars.get(k)) else { continue };
        let Some(&Atom::Var(init)) = inits.get(k) else { continue };
        let (made, firsts) = apart(func, init, span);
        out.extend(made);
        let (params, ends) = (alike(func, param), alike(func, var));
        behind.push(together(func, var, &ends, span));
        parts.insert(param, params.clone());
        body.params.splice(k..=k, params);
        inits.splice(k..=k, firsts.into_iter().map(Atom::Var));
        stmt.vars.splice(k..=k, ends);
    }
    let mut rewrite = Rewrite { func, parts };
    for_each_stmt_mut(&mut body.stmts, &mut |stmt| rewrite.stmt(stmt));
    let mut results = Vec::new();
    for result in std::mem::take(&mut body.results) {
        match result.var().and_then(|v| rewrite.parts.get(&v)) {
            Some(parts) => results.extend(parts.iter().map(|&v| Atom::Var(v))),
            None => results.push(result),
        }
    }
    body.results = results;
    out.push(stmt);
    out.extend(behind);
    !states.is_empty()
}

/// Makes a loop read columns of arrays from outside, which are copied in front of it.
pub(crate) fn of_outer_arrays(func: &mut Func, stmt: &mut Stmt, out: &mut Vec<Stmt>) {
    let span = stmt.span;
    let Op::Loop { body, .. } = &mut stmt.op else { return };
    let arrays = Found::new(func, body).outer(func, body);
    let mut parts: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    for array in arrays {
        let (made, columns) = apart(func, array, span);
        out.extend(made);
        parts.insert(array, columns);
    }
    let mut rewrite = Rewrite { func, parts };
    for_each_stmt_mut(&mut body.stmts, &mut |stmt| rewrite.stmt(stmt));
}

/// How a loop uses arrays.
#[derive(Default)]
struct Found {
    /// Reads at a constant column, by array.
    reads: FxHashMap<VarId, usize>,
    /// Those of them where the row is the last axis of a kernel.
    rows: FxHashMap<VarId, usize>,
    /// Arrays by the one they are made from by writing to one constant column.
    from: FxHashMap<VarId, VarId>,
    /// Uses of any kind.
    uses: FxHashMap<VarId, usize>,
    bound: FxHashSet<VarId>,
}

impl Found {
    fn new(func: &Func, body: &Block) -> Found {
        let mut found = Found::default();
        for_each_use_in_block(func, body, &mut |v| *found.uses.entry(v).or_insert(0) += 1);
        found.block(func, body, &mut Vec::new());
        found
    }

    fn block(&mut self, func: &Func, block: &Block, axes: &mut Vec<VarId>) {
        self.bound.extend(&block.params);
        for stmt in &block.stmts {
            self.bound.extend(&stmt.vars);
            match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Read { array, index, checked: false }, _) if column(func, *array, index).is_some() => {
                    *self.reads.entry(*array).or_insert(0) += 1;
                    let row = index.len().checked_sub(2).and_then(|k| index.get(k)).and_then(|a| a.var());
                    if row.is_some() && row == axes.last().copied() {
                        *self.rows.entry(*array).or_insert(0) += 1;
                    }
                }
                (Op::Scatter { dest, body, checked: false, .. }, &[var]) if written(func, *dest, body).is_some() => {
                    self.from.insert(var, *dest);
                }
                _ => {}
            }
            let own = stmt.op.axes();
            let kernel = !matches!(stmt.op, Op::Loop { .. } | Op::While { .. });
            let before = axes.len();
            axes.extend(own.iter().filter(|_| kernel).map(|a| a.index));
            for inner in stmt.op.blocks() {
                self.block(func, inner, axes);
            }
            axes.truncate(before);
        }
    }

    /// Drops writes whose result is used by anything but reads at columns, the next such write, and the loop's result.
    fn keep_whole_chains(&mut self, func: &Func, body: &Block) {
        let mut results: FxHashMap<VarId, usize> = FxHashMap::default();
        for v in body.results.iter().filter_map(|a| a.var()) {
            *results.entry(v).or_insert(0) += 1;
        }
        loop {
            let before = self.from.len();
            let dests: FxHashSet<VarId> = self.from.values().copied().collect();
            let fits = |v: &VarId| {
                let known = self.reads.get(v).copied().unwrap_or(0)
                    + usize::from(dests.contains(v))
                    + usize::from(results.get(v) == Some(&1));
                self.uses.get(v) == Some(&known) && count(func, *v).is_some()
            };
            let kept = self.from.iter().filter(|(v, _)| fits(v)).map(|(&v, &d)| (v, d)).collect();
            self.from = kept;
            if self.from.len() == before {
                return;
            }
        }
    }

    /// Whether a part of the state, and everything derived from it, is used only by columns.
    fn is_state(&self, func: &Func, body: &Block, k: usize) -> bool {
        let (Some(&param), Some(Atom::Var(result))) = (body.params.get(k), body.results.get(k)) else { return false };
        let mut steps = 0;
        let mut at = *result;
        while let Some(&dest) = self.from.get(&at) {
            at = dest;
            steps += 1;
        }
        let known = self.reads.get(&param).copied().unwrap_or(0) + 1;
        let once = body.results.iter().filter(|&&r| r == Atom::Var(*result)).count() == 1;
        at == param && steps > 0 && once && count(func, param).is_some() && self.uses.get(&param) == Some(&known)
    }

    /// Arrays from outside that are read row by row, only at columns.
    fn outer(&self, func: &Func, body: &Block) -> Vec<VarId> {
        let fits = |&v: &VarId| {
            let all = self.rows.get(&v).copied();
            !self.bound.contains(&v) && count(func, v).is_some() && all.is_some() && all == self.uses.get(&v).copied()
        };
        let mut arrays: Vec<VarId> =
            self.rows.keys().copied().filter(|v| !body.params.contains(v)).filter(fits).collect();
        arrays.sort_unstable();
        arrays
    }
}

/// The column of an array at the end of an index. A constant outside the columns comes behind a check that fails.
fn column(func: &Func, array: VarId, index: &[Atom]) -> Option<usize> {
    let (last, before) = index.split_last()?;
    let k = usize::try_from(last.constant()?.as_i64()?).ok()?;
    (!before.is_empty() && k < count(func, array)?).then_some(k)
}

/// The column that a scatter with one write per point writes to.
fn written(func: &Func, dest: VarId, body: &Block) -> Option<usize> {
    let [_, index @ .., _] = body.results.as_slice() else { return None };
    (index.len() == func.ty(dest).dims.len()).then_some(())?;
    column(func, dest, index)
}

/// Variables for the columns of an array.
fn alike(func: &mut Func, array: VarId) -> Vec<VarId> {
    let ty = func.ty(array).clone();
    let dims = ty.dims.split_last().map(|(_, before)| before.to_vec()).unwrap_or_default();
    let ty = func.types.array(dims, ty.elem);
    let columns = count(func, array);
    let columns = columns.unwrap_or_else(|| func.broken(0, "an array that is split has no columns"));
    (0..columns).map(|_| func.var_like(array, ty)).collect()
}

fn axes_of(func: &mut Func, array: VarId) -> Vec<Axis> {
    let dims = func.ty(array).dims.clone();
    dims.into_iter().map(|extent| Axis { index: func.scalar_var("i", Scalar::I64), extent }).collect()
}

fn read(func: &mut Func, array: VarId, index: Vec<Atom>, span: Option<Span>) -> (VarId, Stmt) {
    let (name, elem) = (func.name(array).to_string(), func.ty(array).elem);
    let var = func.scalar_var(name, elem);
    (var, Stmt { vars: vec![var], op: Op::Read { array, index, checked: false }, span })
}

/// One kernel per column that copies it.
fn apart(func: &mut Func, array: VarId, span: Option<Span>) -> (Vec<Stmt>, Vec<VarId>) {
    let columns = alike(func, array);
    let mut stmts = Vec::new();
    for (k, &column) in columns.iter().enumerate() {
        let mut axes = axes_of(func, array);
        axes.pop();
        let index = axes.iter().map(|a| Atom::Var(a.index)).chain([Atom::int(k as i64)]).collect();
        let (element, stmt) = read(func, array, index, span);
        let body = Block { params: Vec::new(), stmts: vec![stmt], results: vec![element.into()] };
        stmts.push(Stmt { vars: vec![column], op: Op::Build { axes, body }, span });
    }
    (stmts, columns)
}

/// The array that has these columns.
fn together(func: &mut Func, array: VarId, columns: &[VarId], span: Option<Span>) -> Stmt {
    let axes = axes_of(func, array);
    let mut body = Block::default();
    let mut value: Option<Atom> = None;
    let index: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
    let (last, point) = match index.split_last() {
        Some((last, point)) => (*last, point.to_vec()),
        None => func.broken((Atom::int(0), Vec::new()), "columns of an array without axes"),
    };
    for (k, &column) in columns.iter().enumerate().rev() {
        let (element, stmt) = read(func, column, point.clone(), span);
        body.stmts.push(stmt);
        value = Some(match value {
            None => element.into(),
            Some(other) => {
                let here = func.scalar_var("here", Scalar::Bool);
                let chosen = func.copy_var(element);
                let test = Op::Prim(Prim::Eq, vec![last, Atom::int(k as i64)]);
                body.stmts.push(Stmt { vars: vec![here], op: test, span });
                let select = Op::Prim(Prim::Select, vec![here.into(), element.into(), other]);
                body.stmts.push(Stmt { vars: vec![chosen], op: select, span });
                chosen.into()
            }
        });
    }
    body.results.extend(value);
    Stmt { vars: vec![array], op: Op::Build { axes, body }, span }
}

/// Rewrites code to use columns.
struct Rewrite<'f> {
    func: &'f mut Func,
    /// The columns of arrays, including intermediate ones.
    parts: FxHashMap<VarId, Vec<VarId>>,
}

impl Rewrite<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.op {
            Op::Read { array, index, .. } => {
                let column = column(self.func, *array, index).and_then(|k| self.parts.get(array)?.get(k));
                if let Some(&column) = column {
                    *array = column;
                    index.pop();
                }
            }
            Op::Scatter { dest, body, .. } => {
                let Some(column) = written(self.func, *dest, body) else { return };
                let (Some(parts), &[var]) = (self.parts.get(dest), stmt.vars.as_slice()) else { return };
                let (mut after, Some(&old)) = (parts.clone(), parts.get(column)) else { return };
                let new = self.func.copy_var(old);
                after.get_mut(column).into_iter().for_each(|place| *place = new);
                *dest = old;
                stmt.vars = vec![new];
                self.parts.insert(var, after);
                let place = body.results.len().saturating_sub(2);
                body.results.remove(place);
            }
            _ => {}
        }
    }
}
