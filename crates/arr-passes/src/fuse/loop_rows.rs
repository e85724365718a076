//! Rows of arrays in loops: where a loop works on one row of an array alone, it carries and reads that row.
//!
//! ```text
//! loop t<m (b = b0) {                                loop t<m (b = b0) {
//!   c: [m][n]f64 = loop i<n (u = b) {                  r: [n]f64 = build k<n { e: f64 = read! b[t, k]; yield e }
//!     ..                                               s: [n]f64 = loop i<n (u: [n]f64 = r) {
//!     v: [m][n]f64 = scatter! set u {           =>       .. v: [n]f64 = scatter! set u { yield true, i, x } ..
//!       yield true, t, i, x }                            yield v }
//!     yield v }                                        c: [m][n]f64 = scatter! set b, k<n {
//!   yield c }                                            e: f64 = read! s[k]; yield true, t, k, e }
//!                                                      yield c }
//! ```
//!
//! XLA compiles a loop over little memory as one function, and executes the operations of others one by one, which takes
//! some hundred times as long. The write log of a loop inside of a loop is such an array of rows.
//!
//! A row has as many elements as the loop has iterations, so that the copies cost no more than the loop does. Reads of it
//! may be under a condition in the loop, in front of which there is none: where the range analysis does not prove the
//! row's place there, the array stays whole.
//!
//! Assumes:      a verified bulk or fused function, its loops in their final form (`simplify` would forward the copies).
//! Guarantees:   the function is as before; values are unchanged.
//! Leaves alone: accesses with checks; arrays that an inner loop or branch writes.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/contract/rows*.ir

use crate::analysis::uses;
use arr_ir::rewrite::{Enter, for_each_block, for_each_stmt, for_each_stmt_mut, rewrite_stmts};
use arr_ir::walk::for_each_use_in_block;
use arr_ir::{Atom, Axis, Block, Func, Op, ScatterKind, Stmt, Type, VarId, bounds};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether anything changed.
pub(super) fn loop_rows(func: &mut Func) -> bool {
    let before = func.clone();
    let mut whole = FxHashSet::default();
    loop {
        let mut rows = Rows { whole: &whole, made: FxHashMap::default() };
        rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| rows.narrow(func, stmt, out));
        let made = rows.made;
        if made.is_empty() {
            return false;
        }
        let unproved = bounds::unproved(func);
        if unproved.is_empty() {
            return true;
        }
        let known = whole.len();
        whole.extend(unproved.iter().filter_map(|v| made.get(v)));
        func.clone_from(&before);
        if whole.len() == known {
            return false;
        }
    }
}

/// Puts rows in the place of arrays.
struct Rows<'w> {
    /// Arrays that stay as they are.
    whole: &'w FxHashSet<VarId>,
    /// The array that each copy of a row is for, by what the accesses to that array bind.
    made: FxHashMap<VarId, VarId>,
}

impl Rows<'_> {
    /// Emits a loop, on rows where possible.
    fn narrow(&mut self, func: &mut Func, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let Op::Loop { axis, inits, body, .. } = &mut stmt.op else { return out.push(stmt) };
        let axis = *axis;
        let found = Found::new(func, axis, body);
        let mut rows: FxHashMap<VarId, VarId> = FxHashMap::default();
        let mut behind = Vec::new();
        for (array, place) in found.read_from_outside() {
            if !self.whole.contains(&array) {
                rows.insert(array, self.row_of(func, axis, (array, array), &place, out));
            }
        }
        for k in 0..body.params.len() {
            let Some((place, versions)) = found.row_of_state(body, k) else { continue };
            let (Some(param), Some(var)) = (body.params.get_mut(k), stmt.vars.get_mut(k)) else { continue };
            let Some(&Atom::Var(init)) = inits.get(k) else { continue };
            if self.whole.contains(param) {
                continue;
            }
            for version in versions {
                rows.insert(version, like_row(func, axis, version));
            }
            let first = self.row_of(func, axis, (init, *param), &place, out);
            let last = like_row(func, axis, *var);
            behind.push(put_back(func, axis, (init, *var), last, &place));
            self.made.insert(*var, *param);
            *var = last;
            *param = rows.get(param).copied().unwrap_or(*param);
            if let Some(atom) = inits.get_mut(k) {
                *atom = Atom::Var(first);
            }
        }
        for_each_stmt_mut(&mut body.stmts, &mut |stmt| on_rows(&rows, stmt));
        for result in &mut body.results {
            *result = result.var().and_then(|v| rows.get(&v)).map_or(*result, |&row| Atom::Var(row));
        }
        out.push(stmt);
        out.extend(behind);
    }

    /// Emits the copy of a row, in the place of an array whose uses are those of `of`.
    fn row_of(
        &mut self,
        func: &mut Func,
        axis: Axis,
        (array, of): (VarId, VarId),
        place: &Place,
        out: &mut Vec<Stmt>,
    ) -> VarId {
        let row = like_row(func, axis, array);
        let own = fresh_axis(func, axis);
        let index = place.iter().copied().chain([Atom::Var(own.index)]).collect();
        let (stmt, value) = element(func, array, index);
        self.made.extend(stmt.vars.iter().map(|&v| (v, of)));
        let body = Block { params: Vec::new(), stmts: vec![stmt], results: vec![value] };
        out.push(Stmt { vars: vec![row], op: Op::Build { axes: vec![own], body }, span: None });
        row
    }
}

/// A place of a row: all components of the index but the last.
type Place = Vec<Atom>;

/// How a loop uses arrays.
#[derive(Default)]
struct Found {
    /// Uses of any kind.
    uses: FxHashMap<VarId, usize>,
    /// Accesses to rows, by array: their places.
    places: FxHashMap<VarId, Vec<Place>>,
    /// Arrays by the one they are made from by writing an element, in the iteration itself.
    from: FxHashMap<VarId, VarId>,
    bound: FxHashSet<VarId>,
}

impl Found {
    fn new(func: &Func, axis: Axis, body: &Block) -> Found {
        let mut found = Found::default();
        found.bound.insert(axis.index);
        for_each_block(body, &mut |block| found.bound.extend(&block.params));
        for_each_stmt(&body.stmts, &mut |stmt| {
            found.bound.extend(&stmt.vars);
            found.bound.extend(stmt.op.axes().iter().map(|axis| axis.index));
        });
        for_each_use_in_block(func, body, &mut |v| *found.uses.entry(v).or_insert(0) += 1);
        for_each_stmt(&body.stmts, &mut |stmt| {
            if let Op::Read { array, index, checked: false } = &stmt.op {
                found.access(func, axis, *array, index);
            }
        });
        for stmt in &body.stmts {
            if let (Op::Scatter { dest, body, .. }, &[var]) = (&stmt.op, stmt.vars.as_slice())
                && let Some(index) = written_at(func, &stmt.op)
                && found.access(func, axis, *dest, index)
                && !uses(func, body, *dest)
            {
                found.from.insert(var, *dest);
            }
        }
        found
    }

    /// Takes note of an access, if it is to a row that is the same in all iterations.
    fn access(&mut self, func: &Func, axis: Axis, array: VarId, index: &[Atom]) -> bool {
        let Some((_, place)) = index.split_last() else { return false };
        let moves = |a: &Atom| a.var().is_some_and(|v| self.bound.contains(&v));
        let is_row = !place.is_empty() && !place.iter().any(moves);
        let fits = func.ty(array).dims.last() == Some(&axis.extent);
        if is_row && fits {
            self.places.entry(array).or_default().push(place.to_vec());
        }
        is_row && fits
    }

    /// The one place of all uses of an array, except for `others` that are no accesses.
    fn only_place(&self, array: VarId, others: usize) -> Option<&Place> {
        let (first, rest) = self.places.get(&array)?.split_first()?;
        let all = self.uses.get(&array).copied().unwrap_or(0) == rest.len() + 1 + others;
        (all && rest.iter().all(|place| place == first)).then_some(first)
    }

    /// Arrays from outside of which one row is read, with its place.
    fn read_from_outside(&self) -> Vec<(VarId, Place)> {
        let outside = self.places.keys().filter(|array| !self.bound.contains(array));
        let mut rows: Vec<(VarId, Place)> =
            outside.filter_map(|&array| Some((array, self.only_place(array, 0)?.clone()))).collect();
        rows.sort_unstable_by_key(|(array, _)| *array);
        rows
    }

    /// The row that a state is used in, if it is one: its place, and all versions of the state in an iteration.
    fn row_of_state(&self, body: &Block, k: usize) -> Option<(Place, Vec<VarId>)> {
        let (&param, last) = (body.params.get(k)?, body.results.get(k)?.var()?);
        let (mut versions, mut place) = (vec![last], None);
        while let Some(&version) = versions.last().filter(|v| **v != param) {
            versions.push(*self.from.get(&version)?);
        }
        for &version in &versions {
            // The last version is used as the result, too, and perhaps for nothing else.
            let as_result = usize::from(version == last);
            if as_result == 1 && self.uses.get(&last) == Some(&1) {
                continue;
            }
            let own = self.only_place(version, as_result)?;
            if place.get_or_insert(own) != &own {
                return None;
            }
        }
        (param != last).then(|| Some((place?.clone(), versions))).flatten()
    }
}

/// The index of the only element that a scatter without axes or checks writes.
fn written_at<'o>(func: &Func, op: &'o Op) -> Option<&'o [Atom]> {
    match op {
        Op::Scatter { dest, axes, body, checked: false, .. } if axes.is_empty() => {
            let rank = func.ty(*dest).dims.len();
            (body.results.len() == rank + 2).then(|| body.results.get(1..=rank)).flatten()
        }
        _ => None,
    }
}

/// A variable for a row of elements like those of a variable.
pub(super) fn like_row(func: &mut Func, axis: Axis, like: VarId) -> VarId {
    let ty = Type { elem: func.ty(like).elem, dims: vec![axis.extent] };
    let ty = func.types.ty(ty);
    func.var(func.name(like).to_string(), ty)
}

pub(super) fn fresh_axis(func: &mut Func, axis: Axis) -> Axis {
    Axis { index: func.copy_var(axis.index), ..axis }
}

/// An element of a row or an array, as the only statement of a block.
fn element(func: &mut Func, array: VarId, index: Vec<Atom>) -> (Stmt, Atom) {
    let elem = func.ty(array).elem;
    let var = func.scalar_var(func.name(array).to_string(), elem);
    (Stmt { vars: vec![var], op: Op::Read { array, index, checked: false }, span: None }, Atom::Var(var))
}

/// The array `to`, which is `from` with another row.
fn put_back(func: &mut Func, axis: Axis, (from, to): (VarId, VarId), row: VarId, place: &Place) -> Stmt {
    let own = fresh_axis(func, axis);
    let index = Atom::Var(own.index);
    let (stmt, value) = element(func, row, vec![index]);
    let results = [Atom::bool(true)].into_iter().chain(place.iter().copied()).chain([index, value]).collect();
    let body = Block { params: Vec::new(), stmts: vec![stmt], results };
    let op = Op::Scatter { kind: ScatterKind::Set, dest: from, axes: vec![own], body, checked: false };
    Stmt { vars: vec![to], op, span: None }
}

/// Puts rows in the place of arrays.
fn on_rows(rows: &FxHashMap<VarId, VarId>, stmt: &mut Stmt) {
    match &mut stmt.op {
        Op::Read { array, index, .. } => {
            if let Some(&row) = rows.get(array) {
                *array = row;
                index.drain(..index.len().saturating_sub(1));
            }
        }
        Op::Scatter { dest, body, .. } => {
            if let Some(&row) = rows.get(dest) {
                *dest = row;
                // A guard, the last component of the index, and a value are left.
                body.results.drain(1..body.results.len().saturating_sub(2).max(1));
                stmt.vars.iter_mut().for_each(|v| *v = rows.get(v).copied().unwrap_or(*v));
            }
        }
        _ => {}
    }
}
