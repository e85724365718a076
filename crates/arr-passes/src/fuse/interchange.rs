//! Loop interchange: turns a loop of array passes into one kernel with the loop inside, so that the state is in
//! registers.
//!
//! ```text
//! r: [n]f64 = loop t<k (u: [n]f64 = x) {            r: [n]f64 = build i<n { a: f64 = read! x[i]
//!   v: [n]f64 = build i<n { a: f64 = read! u[i]       b: f64 = loop t<k (c: f64 = a) {
//!     b: f64 = sin a; yield b }                 =>      d: f64 = sin c; yield d }
//!   yield v }                                         yield b }
//! ```
//!
//! Legal without dependences between points: the arrays in the state have equal axes, every kernel of the body runs
//! over these axes, and an array made in the body (or carried) is read at the kernel's own indices only. An array from
//! outside may be read anywhere, since nothing changes it. Then point `i` of the last state depends only on point `i`
//! of the first one, and both orders of the (iteration, point) pairs execute the same operations on the same values.
//! Scalars of the state, and other scalar code of the body, are the same at every point; the kernel recomputes them at
//! each, so they must be cheap, and those that are used afterwards are computed once more by a separate loop. Both
//! forms run the same (iteration, point) pairs, so kernels fail for the same inputs; which of several errors comes
//! first may differ. Scalar code that may fail runs in the separate loop as well, as the kernel may have no points.
//!
//! A `while` is interchanged if its condition is such scalar code.
//!
//! Left alone: a loop that reads rows of an outer array as it proceeds (`a[t, i]`, `a[t, j]`): all points of an
//! iteration share a row, and point by point the whole array would be traversed repeatedly.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is fused; values are unchanged; nothing expensive is computed more often, and cheap
//!               scalar code once per point.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/interchange/
//! Paper: Allen and Kennedy, "Optimizing Compilers for Modern Architectures", section 5.2 (loop interchange).
//!
//! Of the workloads that it was measured on, it is worth something on `llsq` alone (docs/ablation.md).

use super::merge::take_values;
use crate::analysis::{Repeats, is_scalar_code};
use arr_ir::rewrite::{Enter, for_each_stmt, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use, free_vars, has_trace};
use arr_ir::{Atom, Axis, Block, Cost, Func, Op, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Scalar statements of the body that every point may repeat.
const MAX_REPEATED: usize = 8;

/// Whether anything changed.
pub(super) fn interchange(func: &mut Func) -> bool {
    // Inner loops come first: an outer one may then be a loop of kernels.
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| {
        let Some(shape) = ExchangeableLoop::of(func, &stmt) else { return out.push(stmt) };
        out.extend(shape.exchanged(func, stmt));
        changed = true;
    });
    changed
}

/// A loop that can be interchanged.
struct ExchangeableLoop {
    /// The axes of every array of the state.
    dims: Vec<SizeId>,
    /// Which parts of the state are scalars.
    scalars: Vec<bool>,
    /// Whether scalar code may stop the program, which a kernel without points would not.
    fails: bool,
}

impl ExchangeableLoop {
    fn of(func: &Func, stmt: &Stmt) -> Option<ExchangeableLoop> {
        let (inits, cond, body) = match &stmt.op {
            op if has_trace(op) => return None,
            Op::Loop { inits, body, .. } => (inits, None, body),
            Op::While { inits, cond, body } => (inits, Some(cond), body),
            _ => return None,
        };
        let array = body.params.iter().copied().find(|&p| !func.ty(p).is_scalar())?;
        let dims = func.ty(array).dims.clone();
        let scalars: Vec<bool> = body.params.iter().map(|&p| func.ty(p).is_scalar()).collect();
        let regular = |v: VarId| func.ty(v).is_scalar() || func.ty(v).dims == dims;
        let inits_fit = inits.iter().all(|a| a.var().is_none_or(regular));
        if !inits_fit || !body.params.iter().chain(&stmt.vars).all(|&v| regular(v)) {
            return None;
        }
        let mut survey =
            Survey { func, dims: &dims, own: FxHashSet::default(), varying: FxHashSet::default(), cheap: 0 };
        survey.own.extend(body.params.iter().zip(&scalars).filter(|(_, is)| !**is).map(|(&p, _)| p));
        survey.varying.extend(stmt.op.axes().iter().map(|a| a.index));
        survey.varying.extend(body.params.iter().zip(&scalars).filter(|(_, is)| **is).map(|(&p, _)| p));
        body.stmts.iter().try_for_each(|s| survey.stmt(s))?;
        body.stmts.iter().any(|s| matches!(s.op, Op::Build { .. })).then_some(())?;
        let made = |a: &Atom| a.var().is_some_and(|v| func.ty(v).is_scalar() || survey.own.contains(&v));
        if !body.results.iter().all(|a| a.constant().is_some() || made(a)) {
            return None;
        }
        if let Some(cond) = cond {
            // Scalar statements cannot read the arrays, so neither does the condition.
            let mut survey = Survey { own: FxHashSet::default(), ..survey };
            survey.own.extend(cond.params.iter().copied().filter(|&p| !func.ty(p).is_scalar()));
            cond.stmts.iter().try_for_each(|s| survey.scalar(s))?;
        }
        let fails = !has_points(func, &dims) && stmt.op.blocks().iter().any(|b| scalar_code_fails(func, b));
        Some(ExchangeableLoop { dims, scalars, fails })
    }

    /// The kernel, behind a loop for the final values of the scalars and their failures.
    fn exchanged(&self, func: &mut Func, stmt: Stmt) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        if self.fails || self.scalars.contains(&true) {
            stmts.push(self.scalar_loop(func, &stmt));
        }
        stmts.push(self.kernel(func, stmt));
        stmts
    }

    fn is_scalar(&self, k: usize) -> bool {
        self.scalars.get(k) == Some(&true)
    }

    /// A copy of the loop that keeps only the scalars of its state.
    fn scalar_loop(&self, func: &mut Func, stmt: &Stmt) -> Stmt {
        fn pick<T: Copy>(shape: &ExchangeableLoop, items: &[T]) -> Vec<T> {
            items.iter().enumerate().filter(|(k, _)| shape.is_scalar(*k)).map(|(_, &x)| x).collect()
        }
        let mut op = stmt.op.clone();
        if let Op::Loop { inits, .. } | Op::While { inits, .. } = &mut op {
            *inits = pick(self, inits);
        }
        if let Op::Loop { body, .. } | Op::While { body, .. } = &mut op {
            body.stmts.retain(|s| !matches!(s.op, Op::Build { .. }));
            body.results = pick(self, &body.results);
        }
        for block in op.blocks_mut() {
            block.params = pick(self, &block.params);
        }
        let op = Subst::new().clone_op(func, &op);
        Stmt { vars: pick(self, &stmt.vars), op, span: stmt.span }
    }

    fn kernel(&self, func: &mut Func, stmt: Stmt) -> Stmt {
        let Stmt { vars, mut op, span } = stmt;
        let axes: Vec<Axis> =
            self.dims.iter().map(|&extent| Axis { index: func.scalar_var("i", arr_ir::Scalar::I64), extent }).collect();
        let index: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
        let mut stmts = Vec::new();
        if let Op::Loop { inits, .. } | Op::While { inits, .. } = &mut op {
            for init in inits {
                if let Atom::Var(array) = *init
                    && !func.ty(array).is_scalar()
                {
                    let first = scalar_like(func, array);
                    let op = Op::Read { array, index: index.clone(), checked: false };
                    stmts.push(Stmt { vars: vec![first], op, span });
                    *init = Atom::Var(first);
                }
            }
        }
        if let Op::Loop { body, .. } | Op::While { body, .. } = &mut op {
            self.point(func, body, &axes);
        }
        for block in op.blocks_mut() {
            for p in &mut block.params {
                if !func.ty(*p).is_scalar() {
                    // The condition has an array param that nothing reads; the body's are scalars by now.
                    *p = scalar_like(func, *p);
                }
            }
        }
        let ends: Vec<VarId> = vars.iter().map(|&v| scalar_like(func, v)).collect();
        stmts.push(Stmt { vars: ends.clone(), op, span });
        let arrays = |k: &usize| !self.is_scalar(*k);
        let results = (0..ends.len()).filter(arrays).filter_map(|k| ends.get(k).copied()).map(Atom::Var).collect();
        let vars = (0..vars.len()).filter(arrays).filter_map(|k| vars.get(k).copied()).collect();
        let body = Block { params: Vec::new(), stmts, results };
        Stmt { vars, op: Op::Build { axes, body }, span }
    }

    /// The body at one point: kernels become their code, arrays their elements there.
    fn point(&self, func: &mut Func, body: &mut Block, axes: &[Axis]) {
        let mut made: FxHashMap<VarId, Atom> = FxHashMap::default();
        for p in &mut body.params {
            if !func.ty(*p).is_scalar() {
                let element = scalar_like(func, *p);
                made.insert(*p, Atom::Var(element));
                *p = element;
            }
        }
        let mut subst = Subst::new();
        for stmt in std::mem::take(&mut body.stmts) {
            let Stmt { vars, op, span } = stmt;
            let Op::Build { axes: own, body: code } = op else {
                body.stmts.push(Stmt { vars, op, span });
                continue;
            };
            subst.insert_axes(&own, axes);
            let mut stmts = code.stmts;
            take_values(&mut stmts, &made, &mut subst);
            for mut stmt in stmts {
                subst.apply_to_stmt(func, &mut stmt);
                body.stmts.push(stmt);
            }
            made.extend(vars.into_iter().zip(code.results.iter().map(|&a| subst.atom(a))));
        }
        for a in &mut body.results {
            if let Some(element) = a.var().and_then(|v| made.get(&v)) {
                *a = *element;
            }
        }
    }
}

/// Whether every axis is known to have points.
fn has_points(func: &Func, dims: &[SizeId]) -> bool {
    dims.iter().all(|&dim| func.types.poly(dim).as_constant().is_some_and(|n| n > 0))
}

/// Whether a statement beside the kernels of a block may stop the program.
fn scalar_code_fails(func: &Func, block: &Block) -> bool {
    block.stmts.iter().any(|s| !matches!(s.op, Op::Build { .. }) && s.op.may_fail(func))
}

fn scalar_like(func: &mut Func, array: VarId) -> VarId {
    let (name, elem) = (func.name(array).to_string(), func.ty(array).elem);
    func.scalar_var(name, elem)
}

/// Examines the body of a loop; `None` is an obstacle.
struct Survey<'a> {
    func: &'a Func,
    dims: &'a [SizeId],
    /// Arrays carried or made in the body.
    own: FxHashSet<VarId>,
    /// Scalars that differ from iteration to iteration, the same at every point.
    varying: FxHashSet<VarId>,
    /// Scalar statements so far.
    cheap: usize,
}

impl Survey<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match &stmt.op {
            Op::Build { axes, body } => self.kernel(stmt, axes, body),
            _ => self.scalar(stmt),
        }
    }

    /// Scalar code of the body, which every point will repeat.
    fn scalar(&mut self, stmt: &Stmt) -> Option<()> {
        self.cheap += 1;
        let cheap = match &stmt.op {
            Op::Prim(prim, _) => prim.cost() < Cost::Division,
            Op::Size(_) => true,
            Op::Read { array, .. } => !self.own.contains(array),
            _ => false,
        };
        self.varying.extend(&stmt.vars);
        (cheap && self.cheap <= MAX_REPEATED).then_some(())
    }

    fn kernel(&mut self, stmt: &Stmt, axes: &[Axis], body: &Block) -> Option<()> {
        let scalars = body.results.iter().all(|&a| self.func.atom_ty(a).is_scalar());
        let code = body.stmts.iter().all(|s| is_scalar_code(self.func, s, Repeats::Reductions));
        if !scalars || !code || !axes.iter().map(|a| a.extent).eq(self.dims.iter().copied()) {
            return None;
        }
        let index: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
        let mut uses = 0;
        for_each_use(self.func, &stmt.op, &mut |v| uses += usize::from(self.own.contains(&v)));
        let mut varying = self.varying.clone();
        let (pointwise, rows) = self.reads(body, &index, &mut varying);
        self.own.extend(&stmt.vars);
        (pointwise == uses && !rows).then_some(())
    }

    /// The number of reads of own arrays at the own indices, and whether an outer array is read by rows.
    fn reads(&self, block: &Block, own: &[Atom], varying: &mut FxHashSet<VarId>) -> (usize, bool) {
        let (mut pointwise, mut rows) = (0, false);
        for_each_stmt(&block.stmts, &mut |stmt| {
            if let Op::Read { array, index, .. } = &stmt.op {
                pointwise += usize::from(self.own.contains(array) && index == own);
                let varies = |a: &Atom| a.var().is_some_and(|v| varying.contains(&v));
                let (first, last) = (index.iter().position(varies), index.len().saturating_sub(1));
                rows |= first.is_some_and(|p| p < last && !index.iter().take(p).any(|a| own.contains(a)));
            }
            if free_vars(self.func, &stmt.op).iter().any(|v| varying.contains(v)) {
                varying.extend(&stmt.vars);
            }
        });
        (pointwise, rows)
    }
}
