//! Lifting statements over the enclosing axes, one function per construct.

use super::kernel::Kernel;
use super::{AxisSet, Bot, BotError, CHEAP, Location};
use crate::analysis::{Repeats, is_scalar_code};
use arr_base::Span;
use arr_ir::walk::has_trace;
use arr_ir::{Atom, Axis, Block, Const, Op, Reduction, Scalar, ScatterKind, SizeId, Stmt, Type, VarId, VarInfo};

impl Bot<'_> {
    /// Lifts a statement of code that runs at every point of the enclosing axes.
    pub(super) fn lift_stmt(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        let repeats = if self.in_vjp { Repeats::Nothing } else { Repeats::Loops };
        // Code that holds a trace is taken apart, so that traces come to stand in kernels without results, which are
        // neither merged nor run again.
        if is_scalar_code(self.func, stmt, repeats) && !has_trace(&stmt.op) {
            return self.lift_scalar(stmt);
        }
        if matches!(stmt.op, Op::If { .. } | Op::Loop { .. } | Op::While { .. }) {
            self.store_failing(&stmt.op);
            self.choose_extents(stmt)?;
        }
        match &stmt.op {
            Op::Build { axes, body } => self.lift_build(stmt, axes, body),
            Op::Reduce { kind, axes, body } => self.lift_reduce(stmt, *kind, axes, body),
            Op::Scatter { kind, dest, axes, body, checked } => {
                self.lift_scatter(stmt, *kind, *dest, axes, body, *checked)
            }
            Op::If { cond, then_block, else_block } => self.lift_if(stmt, *cond, then_block, else_block),
            Op::Loop { axis, reverse, inits, body } => self.lift_loop(stmt, *axis, *reverse, inits, body),
            Op::Literal(_) => {
                self.push(stmt.clone());
                Ok(())
            }
            Op::While { inits, cond, body } => self.lift_while(stmt, inits, cond, body),
            Op::Custom { inputs, body, rule, transposed } => self.lift_custom(stmt, inputs, (body, rule), *transposed),
            Op::Barrier(args) => {
                self.lift_barrier(stmt, args);
                Ok(())
            }
            Op::Call { args, .. } => self.lift_call(stmt, args),
            Op::Trace { label, args } => self.lift_trace(stmt, label, args),
            Op::Reshape(array) | Op::Argsort(array) => self.lift_whole(stmt, *array),
            Op::StopGradient(Atom::Var(array)) => self.lift_whole(stmt, *array),
            // Derivatives are eliminated before the kernels around them are lifted.
            Op::Vjp { .. }
            | Op::Jvp { .. }
            | Op::StopGradient(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Read { .. }
            | Op::Check { .. } => self.lift_scalar(stmt),
        }
    }

    pub(super) fn lift_scalar(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        self.check_reads(stmt)?;
        if matches!(stmt.op, Op::Check { .. }) {
            return self.lift_check(stmt);
        }
        if matches!(stmt.op, Op::If { .. } | Op::Loop { .. } | Op::While { .. }) {
            return self.lift_parts(stmt);
        }
        self.add_scalar(stmt.clone());
        Ok(())
    }

    /// Refuses reads whose bounds must be checked against a size that differs from point to point.
    pub(super) fn check_reads(&self, stmt: &Stmt) -> Result<(), BotError> {
        if let Op::Read { array, checked: true, .. } = &stmt.op
            && self.ragged.contains(array)
        {
            return Err(BotError::Irregular(stmt.span));
        }
        stmt.op.blocks().into_iter().flat_map(|b| &b.stmts).try_for_each(|s| self.check_reads(s))
    }

    fn lift_build(&mut self, stmt: &Stmt, axes: &[Axis], body: &Block) -> Result<(), BotError> {
        let entered = self.enter(axes, false, stmt.span)?;
        let start = self.pending.len();
        let lifted = self.lift_block(body);
        let placed = lifted.map(|results| self.store_results(stmt, &results, entered.set));
        self.run_failing(start..self.pending.len());
        self.leave(&entered);
        if entered.ragged {
            self.ragged.extend(&stmt.vars);
        }
        for (&var, (array, axes)) in stmt.vars.iter().zip(placed?) {
            self.place(var, Location::Stored { array, axes });
        }
        Ok(())
    }

    /// Stores the results of a build's body, each over the enclosing axes it depends on and the build's own; returns
    /// the arrays and the enclosing axes in front.
    fn store_results(&mut self, stmt: &Stmt, results: &[Atom], own: AxisSet) -> Vec<(VarId, AxisSet)> {
        let guard = self.deps_of_guard();
        let mut placed: Vec<Option<(VarId, AxisSet)>> = vec![None; results.len()];
        let mut groups: Vec<(AxisSet, Vec<usize>)> = Vec::new();
        for (k, &result) in results.iter().enumerate() {
            if !self.func.atom_ty(result).is_scalar() {
                continue;
            }
            self.store_together(result, own);
            // A scalar that is already stored over the build's axes is the result.
            if let Some(Location::Stored { array, axes }) = result.var().and_then(|v| self.places.get(&v)).copied()
                && axes & own == own
                && axes & guard == guard
            {
                if let Some(place) = placed.get_mut(k) {
                    *place = Some((array, axes & !own));
                }
                continue;
            }
            let set = self.deps_of(result) | guard | own;
            match groups.iter_mut().find(|(s, _)| *s == set) {
                Some((_, members)) => members.push(k),
                None => groups.push((set, vec![k])),
            }
        }
        for (set, members) in groups {
            let values: Vec<Atom> = members.iter().filter_map(|&k| results.get(k).copied()).collect();
            let arrays = self.store(set, &values, stmt.span);
            for (k, array) in members.into_iter().zip(arrays) {
                if let (Some(&var), Some(place)) = (stmt.vars.get(k), placed.get_mut(k)) {
                    self.rename(array, var);
                    *place = Some((array, set & !own));
                }
            }
        }
        for (k, &result) in results.iter().enumerate() {
            if let (Atom::Var(v), Some(place @ None)) = (result, placed.get_mut(k)) {
                *place = Some(self.store_array(v, own, stmt.span));
            }
        }
        placed.into_iter().flatten().collect()
    }

    /// Stores a result of a build's body together with the values that its statement passes to larger parts of the same
    /// code.
    fn store_together(&mut self, result: Atom, own: AxisSet) {
        let Some(v) = result.var() else { return };
        let Some(Location::Pending(i)) = self.places.get(&v) else { return };
        let Some(p) = self.pending.get(*i) else { return };
        if p.deps & own == own && p.stmt.vars.iter().any(|w| self.exports.contains(w)) {
            self.store_scalar(v);
        }
    }

    /// Gives an output array the name the user knows it by.
    fn rename(&mut self, array: VarId, like: VarId) {
        let ty = self.func.type_id(array);
        self.func.vars[array] = VarInfo { ty, ..self.func.vars[like].clone() };
    }

    /// The location of an array and the enclosing axes in front of it; an array that is the same at every point has
    /// none.
    pub(super) fn array_place(&self, var: VarId) -> (VarId, AxisSet) {
        match self.places.get(&var) {
            Some(Location::Stored { array, axes }) => (*array, *axes),
            _ => (var, 0),
        }
    }

    /// An array with the axes of `own` (and of the guard, for later reads) in front; it is copied only if it lacks one.
    fn store_array(&mut self, var: VarId, own: AxisSet, span: Option<Span>) -> (VarId, AxisSet) {
        let (array, axes) = self.array_place(var);
        if axes & own == own {
            return (array, axes & !own);
        }
        let array = self.spread(array, axes, axes | own, span);
        (array, axes & !own)
    }

    /// A copy of an array stored over `from` that has the axes `to`.
    pub(super) fn spread(&mut self, array: VarId, from: AxisSet, to: AxisSet, span: Option<Span>) -> VarId {
        let Kernel { mut axes, subst, .. } = self.kernel(to, span);
        let ty = self.func.ty(array).clone();
        let mut index: Vec<Atom> = self.indices(from).into_iter().map(|i| subst.atom(Atom::Var(i))).collect();
        for &dim in ty.dims.iter().skip(from.count_ones() as usize) {
            let i = self.func.scalar_var("i", Scalar::I64);
            axes.push(Axis { index: i, extent: dim });
            index.push(Atom::Var(i));
        }
        let value = self.func.scalar_var(self.func.name(array).to_string(), ty.elem);
        let read = Stmt { vars: vec![value], op: Op::Read { array, index, checked: false }, span };
        let vars = self.result_vars(&axes, &[Atom::Var(value)], &[Atom::Var(array)]);
        let body = Block { params: Vec::new(), stmts: vec![read], results: vec![Atom::Var(value)] };
        self.push(Stmt { vars: vars.clone(), op: Op::Build { axes, body }, span });
        match vars.as_slice() {
            &[var] => var,
            _ => self.func.broken(array, "a kernel has not one result"),
        }
    }

    /// Results that depend on different axes become separate reductions: in a pair of a value and its derivative along
    /// many directions, the value is computed once.
    fn lift_reduce(&mut self, stmt: &Stmt, kind: Reduction, axes: &[Axis], body: &Block) -> Result<(), BotError> {
        let fails = stmt.op.may_fail(self.func);
        let entered = self.enter(axes, fails, stmt.span)?;
        let start = self.pending.len();
        let results = match self.lift_block(body) {
            Ok(results) => results,
            Err(error) => {
                self.leave(&entered);
                return Err(error);
            }
        };
        let mut groups: Vec<(AxisSet, Vec<usize>)> = Vec::new();
        for (k, &result) in results.iter().enumerate() {
            let outer = (self.deps_of_guard() | self.deps_of(result)) & !entered.set;
            match groups.iter_mut().find(|(set, _)| *set == outer) {
                Some((_, members)) => members.push(k),
                None => groups.push((outer, vec![k])),
            }
        }
        let mut parts = Vec::new();
        for (outer, members) in groups {
            let mut kernel = self.kernel(outer | entered.set, stmt.span);
            let values: Vec<Atom> = members.iter().filter_map(|&k| results.get(k).copied()).collect();
            // Where the guard does not hold, the value is neutral.
            let values = self.guarded_code(&mut kernel, &values, Some(kind));
            let vars: Vec<VarId> = members.iter().filter_map(|&k| stmt.vars.get(k).copied()).collect();
            parts.push((outer, kernel, values, vars));
        }
        self.run_failing(start..self.pending.len());
        self.leave(&entered);
        for (outer, mut kernel, results, vars) in parts {
            // The reduction's own axes are the innermost ones.
            let inner = kernel.axes.split_off(outer.count_ones() as usize);
            let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
            let reduce = Op::Reduce { kind, axes: inner, body };
            self.push_reduce(vars, reduce, (outer, kernel.axes), stmt.span);
        }
        Ok(())
    }

    /// The reduction as a statement of the output: by itself, or at each point of the outer axes that it depends on.
    fn push_reduce(&mut self, vars: Vec<VarId>, reduce: Op, outer: (AxisSet, Vec<Axis>), span: Option<Span>) {
        let (set, axes) = outer;
        let fails = reduce.may_fail(self.func);
        if set == 0 {
            let stmt = Stmt { vars, op: reduce, span };
            let stmt = if fails { self.with_points(stmt, set, None) } else { stmt };
            self.push(stmt);
            return;
        }
        let scalars: Vec<VarId> = vars.iter().map(|&v| self.func.copy_var(v)).collect();
        let results: Vec<Atom> = scalars.iter().copied().map(Atom::Var).collect();
        let named: Vec<Atom> = vars.iter().copied().map(Atom::Var).collect();
        let arrays = self.result_vars(&axes, &results, &named);
        let stmts = vec![Stmt { vars: scalars, op: reduce, span }];
        let body = Block { params: Vec::new(), stmts, results };
        let stmt = Stmt { vars: arrays.clone(), op: Op::Build { axes, body }, span };
        let stmt = if fails { self.with_points(stmt, set, None) } else { stmt };
        self.push(stmt);
        for (&var, array) in vars.iter().zip(arrays) {
            self.place(var, Location::Stored { array, axes: set });
        }
    }

    fn lift_scatter(
        &mut self,
        stmt: &Stmt,
        kind: ScatterKind,
        dest: VarId,
        axes: &[Axis],
        body: &Block,
        checked: bool,
    ) -> Result<(), BotError> {
        if checked && self.ragged.contains(&dest) {
            return Err(BotError::Irregular(stmt.span));
        }
        let entered = self.enter(axes, false, stmt.span)?;
        let start = self.pending.len();
        let results = match self.lift_block(body) {
            Ok(results) => results,
            Err(error) => {
                self.leave(&entered);
                return Err(error);
            }
        };
        self.store_shared(results.last().copied());
        let (array, from) = self.array_place(dest);
        let deps = results.iter().fold(self.deps_of_guard() | from, |set, &r| set | self.deps_of(r));
        let fails = checked || self.relies_on_points(&stmt.op);
        let outer = deps & !entered.set;
        let array = if outer == from { array } else { self.spread(array, from, outer, stmt.span) };
        let mut kernel = self.kernel(outer | entered.set, stmt.span);
        let mut results = self.guarded_code(&mut kernel, &results, None);
        self.run_failing(start..self.pending.len());
        let lead = self.indices(outer).into_iter().map(|i| kernel.subst.atom(Atom::Var(i)));
        if !results.is_empty() {
            results.splice(1..1, lead.collect::<Vec<_>>());
        }
        self.leave(&entered);
        let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
        let var = match stmt.vars.as_slice() {
            &[var] => var,
            _ => self.func.broken(dest, "a `scatter` has not one result"),
        };
        let ty = self.func.type_id(array);
        let output = self.func.var_like(var, ty);
        let op = Op::Scatter { kind, dest: array, axes: kernel.axes, body, checked };
        let scatter = Stmt { vars: vec![output], op, span: stmt.span };
        let scatter = if fails { self.with_points(scatter, outer, Some(array)) } else { scatter };
        self.push(scatter);
        self.place(var, Location::Stored { array: output, axes: outer });
        Ok(())
    }

    /// Stores a value that a scatter writes if it is needed elsewhere too and recomputing it would cost more than
    /// reading it.
    fn store_shared(&mut self, value: Option<Atom>) {
        let Some(v) = value.and_then(Atom::var) else { return };
        let Some(Location::Pending(i)) = self.places.get(&v) else { return };
        let expensive = self.pending.get(*i).is_some_and(|p| p.weight > 2 * CHEAP && p.deps != 0);
        if expensive && self.uses.get(&v).is_some_and(|&uses| uses > 1) {
            self.store_scalar(v);
        }
    }

    /// `reshape`, `argsort` and `stop_gradient` of an array: the axes stay in front.
    fn lift_whole(&mut self, stmt: &Stmt, array: VarId) -> Result<(), BotError> {
        let Some(&var) = stmt.vars.first() else {
            return self.func.broken(Ok(()), "a statement has no result");
        };
        let (stored, axes) = self.array_place(array);
        if self.ragged.contains(&array) {
            return Err(BotError::Irregular(stmt.span));
        }
        let lead: Vec<SizeId> = self.func.ty(stored).dims.iter().take(axes.count_ones() as usize).copied().collect();
        let Type { elem, dims } = self.func.ty(var).clone();
        let sizes: Vec<VarId> = dims.iter().flat_map(|&d| self.func.types.poly(d).vars()).collect();
        if sizes.into_iter().any(|v| self.deps_of_var(v) != 0 || self.is_guarded(v)) {
            return Err(BotError::Irregular(stmt.span));
        }
        let dims: Vec<SizeId> = dims.into_iter().map(|d| self.invariant_size(d)).collect();
        let ty = self.func.types.array(lead.into_iter().chain(dims).collect(), elem);
        let output = self.func.var_like(var, ty);
        let mut op = stmt.op.clone();
        op.map_operands(&mut |_| Atom::Var(stored));
        self.push(Stmt { vars: vec![output], op, span: stmt.span });
        self.place(var, Location::Stored { array: output, axes });
        Ok(())
    }

    /// A call with arrays has no form for all points of enclosing axes at once.
    fn lift_call(&mut self, stmt: &Stmt, args: &[Atom]) -> Result<(), BotError> {
        let deps = args.iter().fold(self.deps_of_guard(), |set, &a| set | self.deps_of(a));
        if deps != 0 || !self.axes.is_empty() {
            return Err(BotError::Irregular(stmt.span));
        }
        let mut args = self.store_all(args, 0, stmt.span).into_iter();
        let mut op = stmt.op.clone();
        op.map_operands(&mut |own| args.next().unwrap_or(own));
        let mut vars = Vec::new();
        for &var in &stmt.vars {
            let Type { elem, dims } = self.func.ty(var).clone();
            if dims.is_empty() {
                vars.push(var);
                continue;
            }
            let dims: Vec<SizeId> = dims.into_iter().map(|d| self.invariant_size(d)).collect();
            let ty = self.func.types.array(dims, elem);
            let array = self.func.var_like(var, ty);
            self.place(var, Location::Stored { array, axes: 0 });
            vars.push(array);
        }
        self.push(Stmt { vars, op, span: stmt.span });
        Ok(())
    }

    /// `barrier`: applied to the arrays in which its operands are stored.
    fn lift_barrier(&mut self, stmt: &Stmt, args: &[Atom]) {
        let (mut stored, mut vars, mut sets) = (Vec::new(), Vec::new(), Vec::new());
        for (&var, &arg) in stmt.vars.iter().zip(args) {
            if let Some(v) = arg.var().filter(|&v| self.func.ty(v).is_scalar()) {
                self.store_scalar(v);
            }
            let (operand, set) = match arg.var().and_then(|v| self.places.get(&v).copied()) {
                Some(Location::Stored { array, axes }) => (Atom::Var(array), axes),
                _ => (arg, 0),
            };
            let ty = self.func.atom_ty(operand);
            let ty = self.func.types.ty(ty);
            vars.push(self.func.var_like(var, ty));
            stored.push(operand);
            sets.push((var, set));
        }
        self.push(Stmt { vars: vars.clone(), op: Op::Barrier(stored), span: stmt.span });
        for ((var, axes), array) in sets.into_iter().zip(vars) {
            self.place(var, Location::Stored { array, axes });
        }
    }

    /// Every value stored over exactly the given axes; scalars that are still code, in one kernel.
    pub(super) fn store_all(&mut self, values: &[Atom], set: AxisSet, span: Option<Span>) -> Vec<Atom> {
        let mut stored: Vec<Atom> = values.to_vec();
        let mut code = Vec::new();
        for (k, &value) in values.iter().enumerate() {
            let place = value.var().and_then(|v| self.places.get(&v).copied());
            let atom = match (value, place) {
                (_, Some(Location::Stored { array, axes })) if axes == set => Atom::Var(array),
                (Atom::Var(v), _) if !self.func.ty(v).is_scalar() => {
                    let (array, axes) = self.array_place(v);
                    Atom::Var(if axes == set { array } else { self.spread(array, axes, axes | set, span) })
                }
                _ if set == 0 => value.var().map_or(value, |v| self.invariant(v)),
                _ => {
                    code.push(k);
                    continue;
                }
            };
            if let Some(slot) = stored.get_mut(k) {
                *slot = atom;
            }
        }
        let scalars: Vec<Atom> = code.iter().filter_map(|&k| values.get(k).copied()).collect();
        if scalars.is_empty() {
            return stored;
        }
        for (k, array) in code.into_iter().zip(self.store(set, &scalars, span)) {
            if let Some(slot) = stored.get_mut(k) {
                *slot = Atom::Var(array);
            }
        }
        stored
    }

    /// Variables for lifted results, named as in the source.
    pub(super) fn lifted_vars(&mut self, vars: &[VarId], results: &[Atom]) -> Vec<VarId> {
        let mut lifted = Vec::new();
        for (&var, &result) in vars.iter().zip(results) {
            let ty = self.func.atom_ty(result);
            let ty = self.func.types.ty(ty);
            lifted.push(self.func.var_like(var, ty));
        }
        lifted
    }
}

/// The neutral element of a reduction.
pub(super) fn neutral(kind: Reduction, elem: Scalar) -> Const {
    match kind {
        Reduction::Sum | Reduction::Any => Const::zero(elem),
        Reduction::Product => Const::one(elem),
        Reduction::All => Const::Bool(true),
        Reduction::Max | Reduction::ArgMax => match elem {
            Scalar::F32 => Const::F32(f32::NEG_INFINITY),
            Scalar::F64 => Const::F64(f64::NEG_INFINITY),
            Scalar::I32 => Const::I32(i32::MIN),
            Scalar::I64 => Const::I64(i64::MIN),
            Scalar::U32 => Const::U32(0),
            Scalar::Bool => Const::Bool(false),
        },
        Reduction::Min | Reduction::ArgMin => match elem {
            Scalar::F32 => Const::F32(f32::INFINITY),
            Scalar::F64 => Const::F64(f64::INFINITY),
            Scalar::I32 => Const::I32(i32::MAX),
            Scalar::I64 => Const::I64(i64::MAX),
            Scalar::U32 => Const::U32(u32::MAX),
            Scalar::Bool => Const::Bool(true),
        },
    }
}
