//! Loop distribution: moves code out of a loop that its scalars do not depend on; a kernel computes it afterwards, all
//! points side by side.
//!
//! ```text
//! s, r: [n]f64 = loop i<n (c = 0.0, u: [n]f64 = z) {         zero: [n]f64 = build i<n { yield 0.0 }
//!   a = read! x[i]; d = mul c, a                             s, h: [n]f64 = loop i<n (c = 0.0, g: [n]f64 = zero) {
//!   q = div d, a; t = sqrt q; ..                       =>      a = read! x[i]; d = mul c, a
//!   v: [n]f64 = scatter! add u { yield true, i, t }            v = scatter! set g { yield true, i, c }
//!   yield d, v                                                 yield d, v }
//! }                                                          r: [n]f64 = build i<n { .. read! z[i] .. read! h[i] .. }
//! ```
//!
//! Code of an iteration that writes only its own array elements can run when all states are known; the loop keeps the
//! states. Code that both need is duplicated, so it must be cheap compared with the code that leaves the loop.
//!
//! Assumes:      a verified bulk function, simplified.
//! Guarantees:   the function is bulk; values are unchanged.
//! Leaves alone: loops with anything but arithmetic and reads that cannot fail, with arrays of more axes, or that read
//!               elements written by other iterations; loops without scalars (`loop_to_map` makes kernels of them).
//! Cost:         O(statements x nesting depth).
//! Paper:        Allen and Kennedy, "Optimizing Compilers for Modern Architectures", section 2.4 (loop distribution).
//! Tests:        tests/fuse/distribute*.ir
//!
//! Of the workloads that it was measured on, it is worth something on `stiff` alone (docs/ablation.md).

use arr_base::Span;
use arr_ir::cost::is_function;
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use, has_traces};
use arr_ir::{Atom, Axis, Block, Const, Cost, Func, Op, Prim, Scalar, ScatterKind, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The minimal gain: operations that leave the loop, with the weights of [`weight`].
const LEAST_FREED: u32 = 10;

/// An impossible case: the statement is no longer the loop that parts were found in.
const NO_LOOP: &str = "what is distributed is no loop";
const FEWER_STATES: &str = "a loop has fewer states than were found in it";

/// Whether anything changed.
pub(super) fn distribute(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| {
        let Some(parts) = Parts::of(func, &stmt) else { return out.push(stmt) };
        parts.distributed(func, &stmt, out);
        changed = true;
    });
    changed
}

/// Cycles that are saved where an operation is not done in order.
fn cycles(op: &Op) -> u32 {
    match op {
        Op::Prim(prim, _) => prim.cost().cycles(),
        _ => Cost::Cheap.cycles(),
    }
}

/// A loop, with its statements grouped by purpose.
struct Parts {
    axis: Axis,
    reverse: bool,
    /// Arrays of the state, by their positions in it: the writes to them, in order.
    writes: Vec<(usize, Vec<(ScatterKind, Atom)>)>,
    /// Statements that the scalars need.
    kept: Vec<Stmt>,
    /// Statements that written values need.
    freed: Vec<Stmt>,
    /// The scalars that these need.
    needed: Vec<usize>,
}

impl Parts {
    fn of(func: &Func, stmt: &Stmt) -> Option<Parts> {
        let Op::Loop { axis, reverse, body, inits } = &stmt.op else { return None };
        if has_traces(&body.stmts) {
            return None;
        }
        let is_scalar = |k: &usize| body.params.get(*k).is_some_and(|&p| func.ty(p).is_scalar());
        let (scalars, arrays): (Vec<usize>, Vec<usize>) = (0..body.params.len()).partition(is_scalar);
        let floats = scalars.iter().all(|&k| body.params.get(k).is_some_and(|&p| func.ty(p).elem.is_float()));
        if scalars.is_empty() || arrays.is_empty() || !floats || inits.len() != body.params.len() {
            return None;
        }
        let mut arrays_at = Arrays { func, axis: *axis, at: FxHashMap::default(), writes: FxHashMap::default() };
        for &k in &arrays {
            let param = *body.params.get(k)?;
            (func.ty(param).dims == [axis.extent] && func.ty(param).elem.is_float()).then_some(())?;
            (func.ty(inits.get(k)?.var()?).dims == [axis.extent]).then_some(())?;
            arrays_at.at.insert(param, k);
        }
        let mut code = Vec::new();
        for inner in &body.stmts {
            arrays_at.stmt(inner, &mut code)?;
        }
        for &k in &arrays {
            let last = body.results.get(k)?.var()?;
            (arrays_at.at.get(&last) == Some(&k) && arrays_at.writes.contains_key(&k)).then_some(())?;
        }
        let kept = slice(func, &code, scalars.iter().filter_map(|&k| body.results.get(k)?.var()));
        let values = arrays_at.writes.values().flatten().filter_map(|(_, value)| value.var());
        let freed = slice(func, &code, values.clone());
        let both: FxHashSet<VarId> = kept.iter().flat_map(|s| s.vars.iter().copied()).collect();
        let is_shared = |s: &&Stmt| s.vars.iter().any(|v| both.contains(v));
        if freed.iter().filter(is_shared).any(|s| is_function(&s.op)) {
            return None;
        }
        let alone: u32 = freed.iter().filter(|s| !is_shared(s)).map(|s| cycles(&s.op)).sum();
        if alone < LEAST_FREED {
            return None;
        }
        let mut used: FxHashSet<VarId> = values.collect();
        freed.iter().for_each(|s| {
            for_each_use(func, &s.op, &mut |v| {
                used.insert(v);
            })
        });
        let needed = scalars.into_iter().filter(|&k| body.params.get(k).is_some_and(|p| used.contains(p))).collect();
        let mut writes: Vec<(usize, Vec<(ScatterKind, Atom)>)> = arrays_at.writes.into_iter().collect();
        writes.sort_unstable_by_key(|(k, _)| *k);
        Some(Parts { axis: *axis, reverse: *reverse, writes, kept, freed, needed })
    }

    fn distributed(self, func: &mut Func, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let Op::Loop { inits, body, .. } = &stmt.op else { return func.broken((), NO_LOOP) };
        // Iterations read only elements that the arrays had before.
        let mut first = Subst::new();
        for (k, &param) in body.params.iter().enumerate() {
            if let (false, Some(&init)) = (func.ty(param).is_scalar(), inits.get(k)) {
                first.insert(param, init);
            }
        }
        let history = self.states(func, stmt, &first, out);
        let index = func.copy_var(self.axis.index);
        let mut points = Subst::new();
        points.insert(self.axis.index, index);
        let mut code = Block::default();
        for (&k, &states) in self.needed.iter().zip(&history) {
            let Some(&param) = body.params.get(k) else { return func.broken((), FEWER_STATES) };
            let (value, read) = element(func, states, index, span);
            code.stmts.push(read);
            points.insert(param, value);
        }
        for inner in &self.freed {
            let mut inner = inner.clone();
            first.apply_to_stmt(func, &mut inner);
            code.stmts.push(points.clone_stmt(func, &inner));
        }
        let mut vars = Vec::new();
        for (k, writes) in &self.writes {
            let (Some(&var), Some(Atom::Var(init))) = (stmt.vars.get(*k), inits.get(*k)) else {
                return func.broken((), FEWER_STATES);
            };
            let mut value: Option<Atom> = None;
            for (kind, next) in writes {
                let next = points.atom(*next);
                value = Some(match kind {
                    ScatterKind::Set => next,
                    ScatterKind::Add => {
                        let old = value.unwrap_or_else(|| {
                            let (old, read) = element(func, *init, index, span);
                            code.stmts.push(read);
                            old.into()
                        });
                        let sum = func.scalar_var("sum", func.ty(var).elem);
                        code.stmts.push(Stmt { vars: vec![sum], op: Op::Prim(Prim::Add, vec![old, next]), span });
                        sum.into()
                    }
                });
            }
            vars.push(var);
            code.results.extend(value);
        }
        let axes = vec![Axis { index, extent: self.axis.extent }];
        out.push(Stmt { vars, op: Op::Build { axes, body: code }, span });
    }

    /// The loop of the scalars; returns the arrays of those that are needed afterwards.
    fn states(&self, func: &mut Func, stmt: &Stmt, first: &Subst, out: &mut Vec<Stmt>) -> Vec<VarId> {
        let span = stmt.span;
        let Op::Loop { inits, body, .. } = &stmt.op else { return func.broken(Vec::new(), NO_LOOP) };
        let scalar = |func: &Func, k: usize| body.params.get(k).is_some_and(|&p| func.ty(p).is_scalar());
        let own: Vec<usize> = (0..body.params.len()).filter(|&k| scalar(func, k)).collect();
        let pick = |from: &[Atom]| -> Vec<Atom> { own.iter().filter_map(|&k| from.get(k).copied()).collect() };
        let (mut starts, mut results) = (pick(inits), pick(&body.results));
        let mut vars: Vec<VarId> = own.iter().filter_map(|&k| stmt.vars.get(k).copied()).collect();
        let mut params: Vec<VarId> = own.iter().filter_map(|&k| body.params.get(k).copied()).collect();
        let (mut history, mut stmts) = (Vec::new(), Vec::new());
        for &k in &self.needed {
            let Some(&param) = body.params.get(k) else { return func.broken(Vec::new(), FEWER_STATES) };
            let (name, elem) = (format!("{}s", func.name(param)), func.ty(param).elem);
            let ty = func.types.array(vec![self.axis.extent], elem);
            let [zeros, carried, written, all] = [(); 4].map(|()| func.var(name.clone(), ty));
            let axes = vec![Axis { index: func.copy_var(self.axis.index), extent: self.axis.extent }];
            let zero = Block { params: Vec::new(), stmts: Vec::new(), results: vec![Const::zero(elem).into()] };
            out.push(Stmt { vars: vec![zeros], op: Op::Build { axes, body: zero }, span });
            let write = vec![Atom::bool(true), self.axis.index.into(), param.into()];
            let write = Block { params: Vec::new(), stmts: Vec::new(), results: write };
            let op =
                Op::Scatter { kind: ScatterKind::Set, dest: carried, axes: Vec::new(), body: write, checked: false };
            stmts.push(Stmt { vars: vec![written], op, span });
            starts.push(zeros.into());
            params.push(carried);
            results.push(written.into());
            vars.push(all);
            history.push(all);
        }
        for inner in &self.kept {
            let mut inner = inner.clone();
            first.apply_to_stmt(func, &mut inner);
            stmts.push(inner);
        }
        let body = Block { params, stmts, results };
        let op = Op::Loop { axis: self.axis, reverse: self.reverse, inits: starts, body };
        out.push(Stmt { vars, op, span });
        history
    }
}

fn element(func: &mut Func, array: VarId, index: VarId, span: Option<Span>) -> (VarId, Stmt) {
    let (name, elem): (String, Scalar) = (func.name(array).to_string(), func.ty(array).elem);
    let var = func.scalar_var(name, elem);
    (var, Stmt { vars: vec![var], op: Op::Read { array, index: vec![index.into()], checked: false }, span })
}

/// The statements that compute some variables, in order.
fn slice(func: &Func, code: &[Stmt], of: impl Iterator<Item = VarId>) -> Vec<Stmt> {
    let mut needed: FxHashSet<VarId> = of.collect();
    let mut found: Vec<Stmt> = Vec::new();
    for stmt in code.iter().rev() {
        if stmt.vars.iter().any(|v| needed.contains(v)) {
            for_each_use(func, &stmt.op, &mut |v| {
                needed.insert(v);
            });
            found.push(stmt.clone());
        }
    }
    found.reverse();
    found
}

/// The arrays of a loop's state, during the scan of its statements.
struct Arrays<'f> {
    func: &'f Func,
    axis: Axis,
    /// Names of arrays of the state, by their positions in it.
    at: FxHashMap<VarId, usize>,
    writes: FxHashMap<usize, Vec<(ScatterKind, Atom)>>,
}

impl Arrays<'_> {
    /// Records a write; other code goes to `code`. `None` is an obstacle.
    fn stmt(&mut self, stmt: &Stmt, code: &mut Vec<Stmt>) -> Option<()> {
        let own = [Atom::Var(self.axis.index)];
        match &stmt.op {
            Op::Prim(..) if !stmt.op.may_fail(self.func) => {}
            Op::Read { array, index, checked: false } => {
                let k = self.at.get(array);
                // Its own element, before it is written.
                let fresh = k.is_none_or(|k| index.as_slice() == own && !self.writes.contains_key(k));
                fresh.then_some(())?;
            }
            Op::Scatter { kind, dest, axes, body, checked: false } if axes.is_empty() && body.stmts.is_empty() => {
                let k = *self.at.get(dest)?;
                let [guard, index, value] = body.results.as_slice() else { return None };
                (*guard == Atom::bool(true) && [*index] == own).then_some(())?;
                self.at.insert(*stmt.vars.first()?, k);
                self.writes.entry(k).or_default().push((*kind, *value));
                return Some(());
            }
            _ => return None,
        }
        code.push(stmt.clone());
        Some(())
    }
}
