//! Reverse mode of one kernel: from the cotangents of its results to those of the arrays and scalars it reads.
//!
//! With `y[g] = sum_s f(x[a(g, s)], ..)`, the cotangent of `x` is `dx[h]`, the sum over `(g, s)` with `a(g, s) = h` of
//! the cotangents that the scalar sweep of `f` gives for that read. Where the index map can be solved this is written
//! as a `build` over `h` of a sum over the axes that are left (gather form: no zero-filled array, no accumulation in
//! place), and elsewhere as an update of the places that were read.

use crate::analysis::affine::{Solution, solve};
use crate::analysis::index::Defs;
use crate::code::{CodeBuilder, copy_stmt, d_name, emit_poly, needed};
use crate::error::AdError;
use crate::reverse::cotangents::{Cotangents, Ct, Gathered, Update};
use crate::reverse::gather::{gather, renamed};
use crate::reverse::scalar::{Adjoint, ReadAdjoint, reverse_scalar};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Op, Poly, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Returns the cotangents of the results of a kernel's body at a point, from the outer indices, inner indices and
/// results.
pub(crate) type Seed<'a> = dyn Fn(&mut CodeBuilder<'_>, &[Atom], &[Atom], &[Atom]) -> Vec<(Atom, Ct)> + 'a;

/// A kernel to run backwards. `inner` are the axes of a reduction.
pub(crate) struct Kernel<'a> {
    pub outer: &'a [Axis],
    pub inner: &'a [Axis],
    pub body: &'a Block,
    /// Variables of the body whose values are kept, each with its array over the outer axes, or over those of `place`.
    pub saved: &'a FxHashMap<VarId, VarId>,
    /// The index at which the values of a point are kept, if it is not the point of the outer axes.
    pub place: Option<&'a [Atom]>,
    pub seed: &'a Seed<'a>,
    /// Whether the cotangents of reads must be stored at once, because the arrays that the seeds read are overwritten
    /// next.
    pub store: bool,
}

/// Bodies with at most this many statements, none of them expensive, and at most [`FEW_READS`] reads are run again for
/// each read. Other bodies run once and store a cotangent for each read.
const LIGHT: u32 = 8;
const _: () = assert!(arr_ir::Cost::Function.operations() > LIGHT);
/// See [`LIGHT`].
const FEW_READS: usize = 3;

/// The report on an impossible sweep: run again, it makes the same reads.
const FEWER_READS: &str = "a sweep that is run again reads less";

/// Whether scalar code is so cheap that running it again costs less than storing its result.
pub(crate) fn is_light(body: &Block) -> bool {
    fn count(block: &Block) -> u32 {
        block
            .stmts
            .iter()
            .map(|s| match &s.op {
                Op::Prim(prim, _) => prim.cost().operations(),
                op => 1 + op.blocks().iter().map(|b| count(b)).sum::<u32>(),
            })
            .sum()
    }
    count(body) <= LIGHT
}

impl Kernel<'_> {
    fn axes(&self) -> Vec<Axis> {
        self.outer.iter().chain(self.inner).copied().collect()
    }

    /// Writes the body and its sweep, with the axes replaced as `subst` says. Fails as [`Self::reverse`] does.
    fn sweep(
        &self,
        code: &mut CodeBuilder<'_>,
        mut subst: Subst,
        active: &dyn Fn(VarId) -> bool,
    ) -> Result<Adjoint, AdError> {
        let at = |subst: &Subst, axes: &[Axis]| axes.iter().map(|a| subst.atom(Atom::Var(a.index))).collect::<Vec<_>>();
        let (g, s) = (at(&subst, self.outer), at(&subst, self.inner));
        let start = code.stmts.len();
        for stmt in &self.body.stmts {
            let kept = match stmt.vars.as_slice() {
                [v] => self.saved.get(v).copied(),
                _ => None,
            };
            if let (Some(array), [v]) = (kept, stmt.vars.as_slice()) {
                let name = code.func.name(*v).to_string();
                let place = self.place.map(|p| p.iter().map(|&i| subst.atom(i)).collect());
                let value = code.read(array, place.unwrap_or_else(|| g.clone()), &name);
                subst.insert(*v, value);
                continue;
            }
            if matches!(stmt.op, Op::Check { .. } | Op::Trace { .. }) {
                continue;
            }
            let copy = copy_stmt(code.func, &mut subst, stmt);
            code.stmts.push(copy);
        }
        let primal: Vec<Stmt> = code.stmts.iter().skip(start).cloned().collect();
        let results: Vec<Atom> = self.body.results.iter().map(|&r| subst.atom(r)).collect();
        let seeds = (self.seed)(code, &g, &s, &results);
        reverse_scalar(code, &self.with_kept(&primal, &subst), &seeds, active)
    }

    /// The copied statements, with each read of a kept value replaced by the operation that computed it.
    fn with_kept(&self, primal: &[Stmt], subst: &Subst) -> Vec<Stmt> {
        let mut made: FxHashMap<VarId, Stmt> = FxHashMap::default();
        for stmt in &self.body.stmts {
            if let [v] = stmt.vars.as_slice()
                && self.saved.contains_key(v)
                && let Atom::Var(value) = subst.atom(Atom::Var(*v))
            {
                let mut op = stmt.op.clone();
                op.map_operands(&mut |a| subst.atom(a));
                made.insert(value, Stmt { vars: vec![value], op, span: stmt.span });
            }
        }
        primal
            .iter()
            .map(|stmt| match stmt.vars.as_slice() {
                [v] => made.get(v).cloned().unwrap_or_else(|| stmt.clone()),
                _ => stmt.clone(),
            })
            .collect()
    }

    /// Fresh axes in place of all axes of the kernel, and the substitution for them.
    fn fresh_axes(&self, code: &mut CodeBuilder<'_>) -> (Subst, Vec<Axis>) {
        let mut subst = Subst::new();
        let axes = subst.fresh_axes(code.func, &self.axes());
        (subst, axes)
    }

    /// Adds the contributions of the kernel to `cots`. Fails with [`AdError::NoRule`] where something in the body has
    /// no derivative rule.
    pub fn reverse(
        &self,
        code: &mut CodeBuilder<'_>,
        cots: &mut Cotangents,
        active: &dyn Fn(VarId) -> bool,
    ) -> Result<(), AdError> {
        // A trial sweep, which may be thrown away, finds what is read and where.
        let (subst, axes) = self.fresh_axes(code);
        let (stmts, swept) = code.nested(|code| self.sweep(code, subst, active));
        let swept = swept?;
        let defs = Defs::new(code.func, &stmts);
        if swept.reads.is_empty() && swept.scalars.is_empty() {
            return Ok(());
        }
        let again = !self.store && is_light(self.body) && swept.reads.len() <= FEW_READS;
        if !axes.is_empty() && !again {
            return self.reverse_stored(code, cots, stmts, axes, swept, defs);
        }
        if axes.is_empty() {
            code.stmts.extend(stmts);
            for read in &swept.reads {
                cots.add_update(read.array, update_with(Vec::new(), Vec::new(), read.clone()));
            }
            for (v, ct) in swept.scalars {
                cots.add_dense(v, ct);
            }
            return Ok(());
        }
        for (k, read) in swept.reads.iter().enumerate() {
            self.reverse_read(code, cots, active, &axes, &defs, (k, read))?;
        }
        for k in 0..swept.scalars.len() {
            self.reverse_scalar_use(code, cots, active, k)?;
        }
        Ok(())
    }

    /// Adds to the cotangent of a captured scalar: number `k`, summed over all points.
    fn reverse_scalar_use(
        &self,
        code: &mut CodeBuilder<'_>,
        cots: &mut Cotangents,
        active: &dyn Fn(VarId) -> bool,
        k: usize,
    ) -> Result<(), AdError> {
        let (subst, axes) = self.fresh_axes(code);
        let (stmts, swept) = code.nested(|code| self.sweep(code, subst, active));
        let Some(&(v, ct)) = swept?.scalars.get(k) else { return code.broken("a sweep has fewer cotangents") };
        let results = vec![ct.atom];
        let body = Block { params: Vec::new(), stmts: needed(code.func, stmts, &results), results };
        let name = d_name(code.func, v);
        let sum = code.sum_one(axes, body, &name);
        cots.add_dense(v, Ct { atom: sum, ..ct });
        Ok(())
    }

    /// Adds the contribution of one read, for which the body is run again.
    fn reverse_read(
        &self,
        code: &mut CodeBuilder<'_>,
        cots: &mut Cotangents,
        active: &dyn Fn(VarId) -> bool,
        trial_axes: &[Axis],
        defs: &Defs,
        (k, read): (usize, &ReadAdjoint),
    ) -> Result<(), AdError> {
        let solution = solve(code.func, read.array, &read.index, defs, trial_axes);
        let Some(solution) = solution.filter(|s| s.bounded) else {
            if let Some(update) = self.update_of(code, active, k)? {
                cots.add_update(read.array, update);
            }
            return Ok(());
        };
        let (whole, sparse) = (solution.is_whole(), solution.is_sparse());
        let mut failure = None;
        let (stmts, array) = code.nested(|code| {
            gather(code, read.array, trial_axes, solution, |code, point| {
                let mut subst = Subst::new();
                for (axis, &atom) in self.axes().iter().zip(point) {
                    subst.insert(axis.index, atom);
                }
                match self.sweep(code, subst, active) {
                    Ok(swept) => match swept.reads.get(k) {
                        Some(read) => Some(read.ct.atom),
                        None => code.func.broken(None, FEWER_READS),
                    },
                    Err(error) => {
                        failure = Some(error);
                        None
                    }
                }
            })
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let Some(atom) = array else { return Ok(()) };
        if whole {
            code.stmts.extend(stmts);
            cots.add_dense(read.array, Ct { atom, selective: read.ct.selective });
        } else if let Some(update) = self.update_of(code, active, k)? {
            cots.add_partial(read.array, update, Gathered { stmts, array: atom, sparse });
        }
        Ok(())
    }

    /// The update of the places that read number `k` reads, for which the body is run again.
    fn update_of(
        &self,
        code: &mut CodeBuilder<'_>,
        active: &dyn Fn(VarId) -> bool,
        k: usize,
    ) -> Result<Option<Update>, AdError> {
        let (subst, axes) = self.fresh_axes(code);
        let (stmts, swept) = code.nested(|code| self.sweep(code, subst, active));
        match swept?.reads.into_iter().nth(k) {
            Some(read) => Ok(Some(update_with(axes, stmts, read))),
            None => Ok(code.func.broken(None, FEWER_READS)),
        }
    }

    /// Adds all contributions from one run of the body and its sweep, which stores the cotangent of every read, and its
    /// index where that cannot be recomputed.
    fn reverse_stored(
        &self,
        code: &mut CodeBuilder<'_>,
        cots: &mut Cotangents,
        stmts: Vec<Stmt>,
        axes: Vec<Axis>,
        swept: Adjoint,
        defs: Defs,
    ) -> Result<(), AdError> {
        let Adjoint { reads, scalars } = swept;
        let mut results: Vec<Atom> = reads.iter().map(|r| r.ct.atom).collect();
        results.extend(scalars.iter().map(|(_, ct)| ct.atom));
        let mut slot = |atom: Atom| {
            results.push(atom);
            results.len() - 1
        };
        let mut plans = Vec::new();
        for read in &reads {
            let solution = solve(code.func, read.array, &read.index, &defs, &axes).filter(|s| s.bounded);
            // An update needs the guard and the index at each point.
            let updates = !solution.as_ref().is_some_and(Solution::is_whole);
            let guard = read.guard.filter(|_| updates).map(&mut slot);
            let index = read.index.iter().filter(|_| updates).map(|&i| match defs.of_atom(code.func, i) {
                Some(poly) => Index::Poly(poly),
                None => Index::Slot(slot(i)),
            });
            let index = index.collect();
            plans.push((solution, Places { guard, index, span: read.span }));
        }
        let body = Block { params: Vec::new(), stmts: needed(code.func, stmts, &results), results };
        let arrays = code.build(axes.clone(), body, "d");
        for (k, (read, (solution, places))) in reads.iter().zip(plans).enumerate() {
            let Some(Atom::Var(ct)) = arrays.get(k).copied() else {
                return code.broken("the cotangents of a read are not stored");
            };
            code.func.vars[ct].name = d_name(code.func, read.array);
            add_stored(code, cots, read, (solution, &places), (&axes, &arrays, ct));
        }
        for (k, (v, ct)) in scalars.iter().enumerate() {
            let Some(Atom::Var(array)) = arrays.get(reads.len() + k).copied() else {
                return code.broken("the cotangents of a scalar are not stored");
            };
            let dims: Vec<_> = axes.iter().map(|a| a.extent).collect();
            let (sum_axes, index) = code.axes(&dims);
            let body = code.block(|code| vec![code.read(array, index, "d")]);
            let name = d_name(code.func, *v);
            let atom = code.sum_one(sum_axes, body, &name);
            cots.add_dense(*v, Ct { atom, ..*ct });
        }
        Ok(())
    }
}

/// Where a stored cotangent belongs. Guard and indices are given by their positions among the stored arrays.
struct Places {
    guard: Option<usize>,
    index: Vec<Index>,
    /// The span of the read.
    span: Option<Span>,
}

enum Index {
    Poly(Poly),
    Slot(usize),
}

/// Adds the contribution of a read whose cotangents are stored in the array `ct`, one of `arrays` over `axes`.
fn add_stored(
    code: &mut CodeBuilder<'_>,
    cots: &mut Cotangents,
    read: &ReadAdjoint,
    (solution, places): (Option<Solution>, &Places),
    (axes, arrays, ct): (&[Axis], &[Atom], VarId),
) {
    let Some(solution) = solution else {
        let update = stored_update(code, axes, arrays, places, ct);
        return cots.add_update(read.array, update);
    };
    if solution.is_whole() {
        return stored_gather(code, cots, read, ct, axes, solution);
    }
    let sparse = solution.is_sparse();
    let (stmts, array) = code.nested(|code| {
        gather(code, read.array, axes, solution, |code, point| Some(code.read(ct, point.to_vec(), "d")))
    });
    let update = stored_update(code, axes, arrays, places, ct);
    if let Some(array) = array {
        cots.add_partial(read.array, update, Gathered { stmts, array, sparse });
    }
}

/// Adds the contribution of a read that reaches every element, with its cotangents stored over the kernel's axes.
fn stored_gather(
    code: &mut CodeBuilder<'_>,
    cots: &mut Cotangents,
    read: &ReadAdjoint,
    ct: VarId,
    axes: &[Axis],
    solution: Solution,
) {
    let selective = read.ct.selective;
    let dims = &code.func.ty(read.array).dims;
    // The array of cotangents must not be larger than the array that is read: a kernel with more points fails at run
    // time, but its cotangents would have the wrong size.
    let as_large = axes.len() == dims.len() && axes.iter().zip(dims).all(|(a, dim)| a.extent == *dim);
    let plain = as_large
        && solution.free.is_empty()
        && axes
            .iter()
            .zip(&solution.element)
            .all(|(a, h)| solution.solved.iter().any(|(v, poly)| *v == a.index && poly.as_var() == Some(*h)));
    if plain {
        cots.add_dense(read.array, Ct { atom: Atom::Var(ct), selective });
        return;
    }
    let atom = gather(code, read.array, axes, solution, |code, point| Some(code.read(ct, point.to_vec(), "d")));
    if let Some(atom) = atom {
        cots.add_dense(read.array, Ct { atom, selective });
    }
}

/// An update from stored cotangents, with its guard and indices as far as they are stored.
fn stored_update(code: &mut CodeBuilder<'_>, own: &[Axis], arrays: &[Atom], places: &Places, ct: VarId) -> Update {
    let dims: Vec<_> = own.iter().map(|a| a.extent).collect();
    let (axes, point) = code.axes(&dims);
    let mut subst = Subst::new();
    for (axis, &i) in own.iter().zip(&point) {
        subst.insert(axis.index, i);
    }
    let body = code.block(|code| {
        let stored = |code: &mut CodeBuilder<'_>, slot: usize| match arrays.get(slot) {
            Some(&Atom::Var(v)) => code.read(v, point.clone(), "d"),
            Some(&atom) => atom,
            None => code.func.broken(Atom::bool(true), "what an update needs to know is not stored"),
        };
        let mut results = vec![places.guard.map_or(Atom::bool(true), |slot| stored(code, slot))];
        for index in &places.index {
            results.push(match index {
                Index::Poly(poly) => emit_poly(code, &renamed(poly, &subst)),
                Index::Slot(slot) => stored(code, *slot),
            });
        }
        results.push(code.read(ct, point.clone(), "d"));
        results
    });
    Update { axes, body, span: places.span }
}

/// An update of the places that `read` reads: `stmts` compute its guard, index and cotangent at each point.
pub(crate) fn update_with(axes: Vec<Axis>, stmts: Vec<Stmt>, read: ReadAdjoint) -> Update {
    let mut results = vec![read.guard.unwrap_or(Atom::bool(true))];
    results.extend(read.index);
    results.push(read.ct.atom);
    Update { axes, body: Block { params: Vec::new(), stmts, results }, span: read.span }
}
