//! `build`, `reduce`, `scatter` and `reshape`.

use super::term::is_minus_zero;
use super::view::{View, ViewKind};
use super::{Def, Simplifier};
use arr_base::Span;
use arr_ir::walk::may_fail_deep;
use arr_ir::{Atom, Axis, Block, Const, Op, Prim, Reduction, Scalar, ScatterKind, Stmt, VarId};
use std::rc::Rc;

impl Simplifier<'_> {
    /// Opens the body of a kernel: extents are rewritten, indices bound, and an index of an axis of one element is 0.
    /// Call [`Self::close`] after.
    fn enter(&mut self, axes: &mut [Axis]) {
        for axis in axes.iter_mut() {
            axis.extent = self.size(axis.extent);
        }
        self.open();
        self.kernels.push(axes.to_vec());
        for axis in axes.iter() {
            self.bind(axis.index);
            if self.is_unit(axis) {
                self.subst.insert(axis.index, Atom::int(0));
            }
        }
        self.known.axes(self.func, axes);
    }

    fn is_unit(&self, axis: &Axis) -> bool {
        self.func.types.poly(axis.extent).as_constant() == Some(1)
    }

    /// The body, and a query about its results while its scope is open.
    fn kernel_body<T>(&mut self, body: Block, look: impl FnOnce(&mut Self, &[Atom]) -> T) -> (Block, T) {
        self.stmts(body.stmts);
        let results: Vec<Atom> = body.results.iter().map(|&a| self.resolve(a)).collect();
        let seen = look(self, &results);
        self.kernels.pop();
        (Block { params: body.params, stmts: self.close(), results }, seen)
    }

    pub(super) fn build(&mut self, vars: Vec<VarId>, mut axes: Vec<Axis>, body: Block, span: Option<Span>) {
        self.enter(&mut axes);
        let (body, ()) = self.kernel_body(body, |cx, results| cx.known.yielded(cx.func, &vars, &axes, results));
        let (vars, axes, body) = self.without_fills(vars, axes, body, span);
        let fills = body.results.iter().all(|a| self.depth(*a) <= self.scopes.len());
        let op = Op::Build { axes: axes.clone(), body: body.clone() };
        let stmt = Stmt { vars: vars.clone(), op, span };
        // Filled arrays are the destinations of scatters and loops: shared, each would have to be copied.
        if fills {
            self.push(stmt);
        } else {
            self.share(stmt);
        }
        if vars.iter().any(|v| self.subst.contains_key(v)) {
            return;
        }
        self.note_views(&vars, &axes, &body);
        self.alias_equal_results(&vars, &body.results);
    }

    /// Results of a build of one reduction beside it, which sums of zeros have become, are filled by a build of their
    /// own: bulk code has nothing beside a reduction. Where no result is left, the reduction may still check: at the
    /// points of both.
    fn without_fills(
        &mut self,
        vars: Vec<VarId>,
        mut axes: Vec<Axis>,
        mut body: Block,
        span: Option<Span>,
    ) -> (Vec<VarId>, Vec<Axis>, Block) {
        let [Stmt { op: Op::Reduce { kind, .. }, .. }] = body.stmts.as_slice() else { return (vars, axes, body) };
        let has_identity = kind.has_identity();
        if body.results.iter().all(|a| a.constant().is_none()) {
            return (vars, axes, body);
        }
        let (mut kept, mut results) = (Vec::new(), Vec::new());
        for (var, result) in vars.into_iter().zip(std::mem::take(&mut body.results)) {
            if result.constant().is_none() {
                kept.push(var);
                results.push(result);
                continue;
            }
            let axes = axes.iter().map(|axis| Axis { index: self.func.copy_var(axis.index), ..*axis }).collect();
            self.build(vec![var], axes, Block { results: vec![result], ..Block::default() }, span);
        }
        // Without an identity, that there are points is a check of the reduction's own.
        if kept.is_empty()
            && has_identity
            && let Some(Stmt { op: Op::Reduce { axes: inner, body: terms, .. }, .. }) = body.stmts.pop()
        {
            axes.extend(inner);
            body = terms;
        }
        (kept, axes, Block { results, ..body })
    }

    /// Results of one kernel that are the same value are one array.
    fn alias_equal_results(&mut self, vars: &[VarId], results: &[Atom]) {
        let mut seen: rustc_hash::FxHashMap<Atom, VarId> = rustc_hash::FxHashMap::default();
        for (&var, &result) in vars.iter().zip(results) {
            if self.subst.contains_key(&var) || result.constant().is_some() {
                continue;
            }
            match seen.get(&result) {
                Some(&first) => self.alias(var, Atom::Var(first)),
                None => {
                    seen.insert(result, var);
                }
            }
        }
    }

    pub(super) fn reduce(
        &mut self,
        vars: Vec<VarId>,
        kind: Reduction,
        mut axes: Vec<Axis>,
        body: Block,
        span: Option<Span>,
    ) {
        for axis in &mut axes {
            axis.extent = self.size(axis.extent);
        }
        if axes.iter().all(|a| self.is_unit(a)) {
            return self.reduce_of_one((vars, kind, span), &axes, body);
        }
        self.enter(&mut axes);
        let (body, ()) = self.kernel_body(body, |_, _| ());
        axes.retain(|a| !self.is_unit(a));
        if let Some(positive) = self.negated_sum(kind, &vars, &body) {
            self.changed = true;
            let sum = self.func.copy_var(positive.0);
            let body = Block { results: vec![positive.1], ..body };
            self.share(Stmt { vars: vec![sum], op: Op::Reduce { kind, axes, body }, span });
            let sum = self.resolve(Atom::Var(sum));
            return self.prim_stmt(vars, Prim::Neg, vec![sum], span);
        }
        let results = body.results.clone();
        self.share(Stmt { vars: vars.clone(), op: Op::Reduce { kind, axes, body }, span });
        if vars.iter().any(|v| self.subst.contains_key(v)) {
            return;
        }
        for (&var, &result) in vars.iter().zip(&results) {
            if kind == Reduction::Sum
                && let Atom::Const(c) = result
                && c.is_zero()
            {
                self.alias(var, Atom::Const(Const::zero(c.scalar())));
            }
        }
        self.alias_equal_results(&vars, &results);
    }

    /// The one result of a sum of negated numbers, and the number: rounding is symmetric, so the sign moves out. Not in a
    /// kernel, where bulk code has nothing beside a reduction. A sum that is zero is a positive one.
    fn negated_sum(&self, kind: Reduction, vars: &[VarId], body: &Block) -> Option<(VarId, Atom)> {
        let ([var], [Atom::Var(result)]) = (vars, body.results.as_slice()) else { return None };
        match self.defs.get(result)? {
            Def::Prim(Prim::Neg, args)
                if kind == Reduction::Sum
                    && !self.func.signed_zeros
                    && self.kernels.is_empty()
                    && self.depth(Atom::Var(*result)) > self.scopes.len() =>
            {
                Some((*var, *args.first()?))
            }
            _ => None,
        }
    }

    /// A reduction over a single point is its body. A sum is never a negative zero, as it begins with a positive one.
    fn reduce_of_one(&mut self, (vars, kind, span): (Vec<VarId>, Reduction, Option<Span>), axes: &[Axis], body: Block) {
        for axis in axes {
            self.subst.insert(axis.index, Atom::int(0));
        }
        self.stmts(body.stmts);
        for (var, result) in vars.into_iter().zip(body.results) {
            let value = match kind {
                Reduction::ArgMax | Reduction::ArgMin => Atom::int(0),
                Reduction::Sum if self.func.signed_zeros && self.func.is_float(result) => {
                    let zero = Atom::Const(Const::zero(self.func.atom_elem(result)));
                    let result = self.resolve(result);
                    self.prim(Prim::Add, vec![zero, result], span)
                }
                _ => self.resolve(result),
            };
            self.alias(var, value);
        }
    }

    pub(super) fn scatter(&mut self, stmt: Stmt) {
        let Stmt { vars, op: Op::Scatter { kind, dest, mut axes, body, checked }, span } = stmt else {
            return self.func.broken((), "what is simplified as a `scatter` is none");
        };
        self.enter(&mut axes);
        let (body, inside) = self.kernel_body(body, |cx, results| {
            let inside = checked && cx.known.writes_inside(cx.func, dest, results);
            cx.known.wrote_at_all_points(cx.func, dest, results);
            inside
        });
        axes.retain(|a| !self.is_unit(a));
        let length = self.func.ty(dest).dims.len() + 2;
        let signed = self.func.signed_zeros;
        let adds_nothing = |c: Const| c.is_zero() && (!signed || !c.scalar().is_float() || is_minus_zero(c));
        let nothing = |write: &[Atom]| match (write.first(), write.last()) {
            (Some(Atom::Const(Const::Bool(false))), _) => true,
            (_, Some(Atom::Const(c))) => kind == ScatterKind::Add && adds_nothing(*c) && !checked,
            _ => false,
        };
        let same = body.results.chunks(length).all(nothing);
        if same {
            vars.iter().for_each(|&var| self.alias(var, Atom::Var(dest)));
            // Code in it that can stop the program is left, and is all that is left when nothing reads the result.
            if !body.stmts.iter().any(|s| may_fail_deep(self.func, &s.op)) {
                return;
            }
        }
        self.changed |= inside;
        let checked = checked && !inside;
        let op = Op::Scatter { kind, dest, axes: axes.clone(), body: body.clone(), checked };
        self.push(Stmt { vars: vars.clone(), op, span });
        if let ([var], false) = (vars.as_slice(), same) {
            self.note_written(*var, kind, &axes, &body);
        }
    }

    pub(super) fn reshape(&mut self, vars: Vec<VarId>, array: VarId, span: Option<Span>) {
        let Some(var) = self.result_of(&vars) else { return };
        let source = match self.defs.get(&array) {
            Some(Def::Reshape(source)) => *source,
            _ => array,
        };
        self.changed |= source != array;
        self.push(Stmt { vars, op: Op::Reshape(source), span });
        let dims = self.func.ty(var).dims.clone();
        if self.func.ty(source).dims == dims {
            return self.alias(var, Atom::Var(source));
        }
        self.defs.insert(var, Def::Reshape(source));
        if let Some(Def::View(view)) = self.defs.get(&source)
            && let ViewKind::Fill(_) = view.kind
        {
            let (kind, stop) = (view.kind.clone(), view.stop);
            let axes = dims.iter().map(|_| self.func.scalar_var("i", Scalar::I64)).collect();
            let view = View { axes, extents: dims, kind, stop };
            self.defs.insert(var, Def::View(Rc::new(view)));
        }
    }
}
