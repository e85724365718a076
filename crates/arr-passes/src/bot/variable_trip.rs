//! Kernels with variable trip counts: their points run loops of different lengths.
//!
//! Lifted over the axes, such a loop has the trip count of the longest point, over all points: points times the longest
//! loop, where the program costs the sum of the loops' lengths. So the kernel becomes a loop over its points, one after
//! the other, and its code runs once:
//!
//! ```text
//! y: [n]f64 = build i<n {                     z: [n]f64 = build i<n { yield 0.0 }
//!   r: f64 = while (a: f64 = ..) .. {     =>  y: [n]f64 = loop i<n (u: [n]f64 = z) {
//!   ..                                          r: f64 = while (a: f64 = ..) .. { .. }
//!   yield r                                     w: [n]f64 = scatter set u .. { yield true, i, r }
//! }                                             yield w }
//! ```
//!
//! A reduction or a scatter of such values uses the resulting array. Reverse mode of the loop over the points keeps the
//! states of one point at a time: memory for the longest loop, time for the sum of all.
//!
//! Outside reverse mode loops are lifted unless they hold an array whose size differs from point to point: a loop of
//! scalars goes back into a kernel (`interchange`), and passes over all points are faster than small arrays at each.
//!
//! Loops have one length if their extent, or their condition, is the same at every point, and they run under no
//! condition that differs from point to point. These are lifted, so that kernels stay kernels.

use super::Bot;
use crate::analysis::{Repeats, is_scalar_code};
use arr_ir::walk::{bound_in_op, free_vars, has_trace};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Prim, Scalar, ScatterKind, SizeId, Stmt, VarId};
use rustc_hash::FxHashSet;

impl Bot<'_> {
    /// The kernel as a loop over its points, if these run lifted loops of different lengths.
    pub(super) fn point_by_point(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let axes = stmt.op.axes();
        // A kernel over a triangle has no array for its values.
        let own = |v: &VarId| axes.iter().any(|a| a.index == *v);
        if axes.is_empty() || axes.iter().any(|a| self.func.types.poly(a.extent).vars().iter().any(own)) {
            return None;
        }
        let repeats = if self.in_vjp { Repeats::Nothing } else { Repeats::Loops };
        let mut search = Search { func: self.func, repeats, varying: FxHashSet::default() };
        if !search.kernel(&stmt.op) {
            return None;
        }
        let mut out = Vec::new();
        match &stmt.op {
            Op::Build { axes, body } => self.loop_over(&mut out, axes, body.clone(), stmt),
            Op::Reduce { kind, axes, body } => {
                let (axes, body) = self.values(&mut out, axes, body, stmt);
                let op = Op::Reduce { kind: *kind, axes, body };
                out.push(Stmt { vars: stmt.vars.clone(), op, span: stmt.span });
            }
            Op::Scatter { kind, dest, axes, body, checked } => {
                let (axes, body) = self.values(&mut out, axes, body, stmt);
                let op = Op::Scatter { kind: *kind, dest: *dest, axes, body, checked: *checked };
                out.push(Stmt { vars: stmt.vars.clone(), op, span: stmt.span });
            }
            _ => return None,
        }
        Some(out)
    }

    /// Arrays of the values that a body yields, made point by point, and a body that reads them.
    fn values(&mut self, out: &mut Vec<Stmt>, axes: &[Axis], body: &Block, stmt: &Stmt) -> (Vec<Axis>, Block) {
        let dims: Vec<SizeId> = axes.iter().map(|a| a.extent).collect();
        let stored: Vec<Atom> = body.results.iter().copied().filter(|a| a.var().is_some()).collect();
        let vars: Vec<VarId> = stored
            .iter()
            .map(|&a| {
                let ty = self.func.types.array(dims.clone(), self.func.atom_elem(a));
                self.func.var_for(a, ty)
            })
            .collect();
        let made = Block { params: Vec::new(), stmts: body.stmts.clone(), results: stored };
        let build = Stmt { vars: vars.clone(), op: Op::Build { axes: axes.to_vec(), body: made }, span: stmt.span };
        if let Op::Build { axes, body } = &build.op {
            self.loop_over(out, axes, body.clone(), &build);
        }
        let fresh: Vec<Axis> =
            axes.iter().map(|a| Axis { index: self.func.copy_var(a.index), extent: a.extent }).collect();
        let index: Vec<Atom> = fresh.iter().map(|a| Atom::Var(a.index)).collect();
        let mut reads = Block::default();
        let mut arrays = vars.into_iter();
        for &result in &body.results {
            let read = match result {
                Atom::Const(_) => result,
                Atom::Var(_) => {
                    let Some(array) = arrays.next() else {
                        return self.func.broken((fresh, reads), "a value that a kernel yields is not made");
                    };
                    let value = self.scalar_like(result, result);
                    let op = Op::Read { array, index: index.clone(), checked: false };
                    reads.stmts.push(Stmt { vars: vec![value], op, span: stmt.span });
                    Atom::Var(value)
                }
            };
            reads.results.push(read);
        }
        (fresh, reads)
    }

    /// The loop over the points of a build, behind the arrays that it fills.
    pub(super) fn loop_over(&mut self, out: &mut Vec<Stmt>, axes: &[Axis], body: Block, stmt: &Stmt) {
        let span = stmt.span;
        let (axis, mut stmts) = self.points(out, axes, stmt);
        stmts.extend(body.stmts);
        let (mut inits, mut params, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for (&var, &value) in stmt.vars.iter().zip(&body.results) {
            let [empty, before, after] = [0; 3].map(|_| self.func.copy_var(var));
            out.push(self.zeros(empty, stmt));
            let op = self.write(before, axes, value, stmt);
            stmts.push(Stmt { vars: vec![after], op, span });
            inits.push(Atom::Var(empty));
            params.push(before);
            results.push(Atom::Var(after));
        }
        let body = Block { params, stmts, results };
        out.push(Stmt { vars: stmt.vars.clone(), op: Op::Loop { axis, reverse: false, inits, body }, span });
    }

    /// One axis for several, and code for their indices.
    fn points(&mut self, out: &mut Vec<Stmt>, axes: &[Axis], stmt: &Stmt) -> (Axis, Vec<Stmt>) {
        if let [axis] = axes {
            return (*axis, Vec::new());
        }
        let span = stmt.span;
        let extents: Vec<Atom> = axes.iter().map(|a| self.extent_of(out, a.extent, stmt)).collect();
        let mut count = Atom::int(1);
        for &extent in &extents {
            count = self.integer(out, Prim::Mul, [count, extent], "points", stmt);
        }
        let mut code = Vec::new();
        let point = self.func.scalar_var("point", Scalar::I64);
        let mut rest = Atom::Var(point);
        for (axis, &extent) in axes.iter().zip(&extents).skip(1).rev() {
            code.push(Stmt { vars: vec![axis.index], op: Op::Prim(Prim::Rem, vec![rest, extent]), span });
            rest = self.integer(&mut code, Prim::Div, [rest, extent], "point", stmt);
        }
        if let Some(first) = axes.first() {
            let op = Op::Prim(Prim::Add, vec![rest, Atom::int(0)]);
            code.push(Stmt { vars: vec![first.index], op, span });
        }
        (Axis { index: point, extent: self.func.size_of_atom(count) }, code)
    }

    /// An extent as a non-negative number.
    fn extent_of(&mut self, out: &mut Vec<Stmt>, extent: SizeId, stmt: &Stmt) -> Atom {
        if let Some(constant) = self.func.types.poly(extent).as_constant() {
            return Atom::int(constant.max(0));
        }
        let size = self.func.scalar_var("extent", Scalar::I64);
        out.push(Stmt { vars: vec![size], op: Op::Size(extent), span: stmt.span });
        self.integer(out, Prim::Max, [Atom::Var(size), Atom::int(0)], "extent", stmt)
    }

    fn integer(&mut self, out: &mut Vec<Stmt>, prim: Prim, args: [Atom; 2], name: &str, stmt: &Stmt) -> Atom {
        let constants: Option<Vec<Const>> = args.iter().map(|a| a.constant()).collect();
        if let Some(folded) = constants.and_then(|c| prim.eval(&c)) {
            return Atom::Const(folded);
        }
        let var = self.func.scalar_var(name, Scalar::I64);
        out.push(Stmt { vars: vec![var], op: Op::Prim(prim, args.to_vec()), span: stmt.span });
        Atom::Var(var)
    }

    /// An array of zeros.
    fn zeros(&mut self, var: VarId, stmt: &Stmt) -> Stmt {
        let ty = self.func.ty(var).clone();
        let axes = self.fresh_axes(&ty.dims);
        let body = Block { params: Vec::new(), stmts: Vec::new(), results: vec![Atom::Const(Const::zero(ty.elem))] };
        Stmt { vars: vec![var], op: Op::Build { axes, body }, span: stmt.span }
    }

    pub(super) fn fresh_axes(&mut self, dims: &[SizeId]) -> Vec<Axis> {
        dims.iter().map(|&extent| Axis { index: self.func.scalar_var("i", Scalar::I64), extent }).collect()
    }

    /// The array with the value of one point stored at its index.
    fn write(&mut self, array: VarId, axes: &[Axis], value: Atom, stmt: &Stmt) -> Op {
        let dims: Vec<SizeId> = self.func.ty(array).dims.iter().skip(axes.len()).copied().collect();
        let own = self.fresh_axes(&dims);
        let index: Vec<Atom> = own.iter().map(|a| Atom::Var(a.index)).collect();
        let mut body = Block::default();
        let element = match value {
            Atom::Var(v) if !own.is_empty() => {
                let element = self.scalar_like(value, value);
                let op = Op::Read { array: v, index: index.clone(), checked: false };
                body.stmts.push(Stmt { vars: vec![element], op, span: stmt.span });
                Atom::Var(element)
            }
            _ => value,
        };
        let point = axes.iter().map(|a| Atom::Var(a.index)).chain(index);
        body.results = std::iter::once(Atom::bool(true)).chain(point).chain([element]).collect();
        Op::Scatter { kind: ScatterKind::Set, dest: array, axes: own, body, checked: false }
    }
}

/// Finds a loop that runs longer at some points than at others and would be lifted.
struct Search<'a> {
    func: &'a Func,
    /// The repetition that a kernel may hold.
    repeats: Repeats,
    /// Variables that differ from point to point.
    varying: FxHashSet<VarId>,
}

impl Search<'_> {
    fn varies(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|v| self.varying.contains(&v))
    }

    fn kernel(&mut self, op: &Op) -> bool {
        self.varying.extend(op.axes().iter().map(|a| a.index));
        op.blocks().into_iter().any(|b| self.block(b, false))
    }

    /// Whether there is one in the block; `guarded` if the block runs at some of the points only.
    fn block(&mut self, block: &Block, guarded: bool) -> bool {
        block.stmts.iter().any(|stmt| {
            self.mark(stmt);
            if is_scalar_code(self.func, stmt, self.repeats) && !has_trace(&stmt.op) {
                return false;
            }
            match &stmt.op {
                Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } => {
                    self.varying.extend(stmt.op.axes().iter().map(|a| a.index));
                    stmt.op.blocks().into_iter().any(|b| self.block(b, guarded))
                }
                Op::Loop { axis, body, .. } => {
                    let extent = self.func.types.poly(axis.extent).vars();
                    let uneven = guarded || extent.iter().any(|v| self.varying.contains(v));
                    uneven && self.costs_more_lifted(stmt) || self.block(body, false)
                }
                Op::While { cond, body, .. } => {
                    let uneven = guarded || cond.results.iter().any(|&a| self.varies(a));
                    uneven && self.costs_more_lifted(stmt) || self.block(body, false)
                }
                Op::If { cond, then_block, else_block } => {
                    let guarded = guarded || self.varies(*cond);
                    self.block(then_block, guarded) || self.block(else_block, guarded)
                }
                Op::Custom { body, rule, .. } => self.block(body, guarded) || self.block(rule, guarded),
                _ => false,
            }
        })
    }

    /// Whether lifting would cost more than the loops do: in reverse mode, and where an array is as long as the point's own
    /// loop (the states that a derivative keeps, say).
    fn costs_more_lifted(&self, stmt: &Stmt) -> bool {
        let mut bound = FxHashSet::default();
        bound_in_op(&stmt.op, &mut bound);
        let ragged = |v: VarId| {
            let dims = &self.func.ty(v).dims;
            dims.iter().any(|&d| self.func.types.poly(d).vars().iter().any(|v| self.varying.contains(v)))
        };
        self.repeats == Repeats::Nothing || stmt.vars.iter().copied().chain(bound).any(ragged)
    }

    /// Records which of the statement's results, and of the variables bound in its blocks, differ from point to point.
    fn mark(&mut self, stmt: &Stmt) {
        let any = free_vars(self.func, &stmt.op).iter().any(|v| self.varying.contains(v));
        if !any {
            return;
        }
        match &stmt.op {
            Op::Loop { axis, inits, body, .. } => {
                let uneven = self.func.types.poly(axis.extent).vars().iter().any(|v| self.varying.contains(v));
                self.mark_state(stmt, inits, body, None, uneven);
            }
            Op::While { inits, cond, body } => self.mark_state(stmt, inits, body, Some(cond), false),
            Op::If { cond, then_block, else_block } => {
                let either = self.varies(*cond);
                self.mark_block(then_block);
                self.mark_block(else_block);
                for ((&v, &a), &b) in stmt.vars.iter().zip(&then_block.results).zip(&else_block.results) {
                    if either || self.varies(a) || self.varies(b) {
                        self.varying.insert(v);
                    }
                }
            }
            op => {
                if let Op::Custom { body, rule, .. } = op {
                    self.varying.extend(body.params.iter().chain(&rule.params));
                }
                self.varying.extend(&stmt.vars);
                op.blocks().into_iter().for_each(|b| self.mark_block(b));
            }
        }
    }

    fn mark_block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|s| self.mark(s));
    }

    /// The parts of a loop's state: the least solution.
    fn mark_state(&mut self, stmt: &Stmt, inits: &[Atom], body: &Block, cond: Option<&Block>, uneven: bool) {
        let mut parts: Vec<bool> = inits.iter().map(|&a| uneven || self.varies(a)).collect();
        loop {
            for block in cond.into_iter().chain([body]) {
                self.varying.extend(block.params.iter().zip(&parts).filter(|(_, p)| **p).map(|(&v, _)| v));
                self.mark_block(block);
            }
            let uneven = cond.is_some_and(|c| c.results.iter().any(|&a| self.varies(a)));
            let next: Vec<bool> =
                parts.iter().zip(&body.results).map(|(&p, &r)| p || uneven || self.varies(r)).collect();
            if next == parts {
                break;
            }
            parts = next;
        }
        self.varying.extend(stmt.vars.iter().zip(parts).filter(|(_, p)| *p).map(|(&v, _)| v));
    }
}
