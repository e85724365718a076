//! Lifting statements over the enclosing axes, one function a construct.

use super::kernel::Kernel;
use super::{AxisSet, Bot, BotError, Place, has_derivative, is_scalar_code};
use arr_base::Span;
use arr_ir::{Atom, Axis, Block, Check, Const, Op, Prim, Reduction, Scalar, ScatterKind, SizeId, Stmt, Type, VarId};

/// The axes that a statement adds to the enclosing ones, and what to restore after its body.
struct Entered {
    set: AxisSet,
    guard: Option<VarId>,
    /// Whether an extent differs from point to point, so that the body runs under an additional guard.
    ragged: bool,
}

impl Bot<'_> {
    /// Lifts a statement of code that runs at every point of the enclosing axes.
    pub(super) fn lift_stmt(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        if is_scalar_code(self.func, stmt) {
            return self.lift_scalar(stmt);
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
            Op::Reshape(array) => self.lift_whole(stmt, *array),
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

    fn lift_block(&mut self, block: &Block) -> Result<Vec<Atom>, BotError> {
        for stmt in &block.stmts {
            self.lift_stmt(stmt)?;
        }
        Ok(block.results.clone())
    }

    fn lift_scalar(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        if let Op::Read { array, checked: true, .. } = &stmt.op
            && self.ragged.contains(array)
        {
            return Err(BotError::Irregular(stmt.span));
        }
        if matches!(stmt.op, Op::Check { .. }) {
            return self.lift_check(stmt);
        }
        self.add_scalar(stmt.clone());
        Ok(())
    }

    /// A check has no result that a kernel could ask for, so it gets a kernel of its own.
    fn lift_check(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        let Op::Check { kind, args } = &stmt.op else { return Ok(()) };
        let set = self.all_axes();
        let mut kernel = self.kernel(set);
        if let Some(guard) = self.guard {
            let check = |args: Vec<Atom>| Op::Check { kind: *kind, args };
            self.guarded_check(&mut kernel, guard, args, &check, stmt.span);
        } else {
            let args = self.scalar_code(&mut kernel, args);
            kernel.stmts.push(Stmt { vars: Vec::new(), op: Op::Check { kind: *kind, args }, span: stmt.span });
        }
        if set == 0 {
            for stmt in kernel.stmts {
                self.push(stmt);
            }
        } else {
            let body = Block { params: Vec::new(), stmts: kernel.stmts, results: Vec::new() };
            self.push(Stmt { vars: Vec::new(), op: Op::Build { axes: kernel.axes, body }, span: stmt.span });
        }
        Ok(())
    }

    fn guarded_check(
        &mut self,
        kernel: &mut Kernel,
        guard: VarId,
        args: &[Atom],
        check: &dyn Fn(Vec<Atom>) -> Op,
        span: Option<Span>,
    ) {
        let cond = self.scalar_code(kernel, &[Atom::Var(guard)]);
        let Some(&cond) = cond.first() else { return };
        let outside = std::mem::take(&mut kernel.stmts);
        let args = self.scalar_code(kernel, args);
        let mut stmts = std::mem::replace(&mut kernel.stmts, outside);
        stmts.push(Stmt { vars: Vec::new(), op: check(args), span });
        let then_block = Block { params: Vec::new(), stmts, results: Vec::new() };
        let op = Op::If { cond, then_block, else_block: Block::default() };
        kernel.stmts.push(Stmt { vars: Vec::new(), op, span });
    }

    /// Adds the statement's axes to the enclosing ones. An extent that differs from point to point is replaced by its
    /// maximum, and the body guarded.
    fn enter(&mut self, axes: &[Axis], at_least_one: bool, span: Option<Span>) -> Result<Entered, BotError> {
        let guard = self.guard;
        let mut entered = Entered { set: 0, guard, ragged: false };
        for axis in axes {
            if self.axes.len() >= 63 {
                return Err(BotError::TooManyAxes(span));
            }
            let (extent, own) = self.extent(axis.extent, at_least_one, span)?;
            let position = self.axes.len();
            self.axes.push(Axis { index: axis.index, extent });
            self.place(axis.index, Place::Axis(position));
            entered.set |= 1 << position;
            if let Some(own) = own {
                entered.ragged = true;
                let inside = self.func.scalar_var("inside", Scalar::Bool);
                let op = Op::Prim(Prim::Lt, vec![Atom::Var(axis.index), own]);
                self.add_scalar(Stmt { vars: vec![inside], op, span });
                self.add_guard(Atom::Var(inside), span);
            }
        }
        Ok(entered)
    }

    fn leave(&mut self, entered: &Entered) {
        let left = self.axes.len().saturating_sub(entered.set.count_ones() as usize);
        self.axes.truncate(left);
        self.guard = entered.guard;
    }

    /// Narrows the guard.
    fn add_guard(&mut self, cond: Atom, span: Option<Span>) {
        let narrowed = match (self.guard, cond) {
            (None, Atom::Var(v)) => v,
            (guard, cond) => {
                let v = self.func.scalar_var("guard", Scalar::Bool);
                let both = vec![guard.map_or(Atom::bool(true), Atom::Var), cond];
                self.add_scalar(Stmt { vars: vec![v], op: Op::Prim(Prim::And, both), span });
                v
            }
        };
        self.guard = Some(narrowed);
    }

    /// An extent that is the same at every point, and, where it is not the given one, that one as a scalar.
    fn extent(
        &mut self,
        size: SizeId,
        at_least_one: bool,
        span: Option<Span>,
    ) -> Result<(SizeId, Option<Atom>), BotError> {
        let vars = self.func.types.poly(size).vars();
        let varies = vars.iter().any(|&v| self.deps_of_var(v) != 0 || self.is_guarded(v));
        let masked = at_least_one && self.guard.is_some();
        if !varies && !masked {
            let mut subst = arr_ir::walk::Subst::new();
            for &v in &vars {
                let atom = self.invariant(v);
                subst.insert(v, atom);
            }
            return Ok((subst.size(self.func, size), None));
        }
        let own = self.func.scalar_var("extent", Scalar::I64);
        let stmt = Stmt { vars: vec![own], op: Op::Size(size), span };
        if varies {
            self.add_scalar(stmt);
        } else {
            // The same at every point, so it needs no guard.
            let guard = self.guard.take();
            self.add_scalar(stmt);
            self.guard = guard;
        }
        // An index is never negative.
        let is_index = matches!(vars.as_slice(), [v] if matches!(self.places.get(v), Some(Place::Axis(_))))
            && self.func.types.poly(size).as_var().is_some();
        if varies && !is_index {
            let op = Op::Check { kind: Check::SizeNonNeg, args: vec![Atom::Var(own)] };
            self.lift_check(&Stmt { vars: Vec::new(), op, span })?;
        }
        if at_least_one {
            let op = Op::Check { kind: Check::NonEmpty, args: vec![Atom::Var(own)] };
            self.lift_check(&Stmt { vars: Vec::new(), op, span })?;
        }
        let bound = self.maximum(own, i64::from(at_least_one), span);
        let poly = arr_ir::Poly::var(bound);
        Ok((self.func.types.size(poly), Some(Atom::Var(own))))
    }

    /// Whether a scalar waits under a guard, so that it has no value where the guard does not hold.
    fn is_guarded(&self, var: VarId) -> bool {
        match self.places.get(&var) {
            Some(Place::Pending(i)) => self.pending.get(*i).is_some_and(|p| p.guard.is_some()),
            _ => false,
        }
    }

    /// The maximum of an integer over all points, at least `floor`, as a scalar of the output block.
    fn maximum(&mut self, var: VarId, floor: i64, span: Option<Span>) -> VarId {
        let deps = self.deps_of_var(var);
        let set = if deps == 0 { 0 } else { deps | self.deps_of_guard() };
        let mut kernel = self.kernel(set);
        let values = if set == 0 {
            vec![self.invariant(var)]
        } else {
            self.guarded_code(&mut kernel, &[Atom::Var(var)], None, span)
        };
        let mut stmts = kernel.stmts;
        let mut results = values;
        if set == 0 {
            for stmt in stmts {
                self.push(stmt);
            }
        } else {
            // One more point than the axes have keeps the reduction from being empty.
            let any = self.func.scalar_var("points", Scalar::I64);
            let count =
                kernel.axes.iter().fold(arr_ir::Poly::constant(1), |p, a| p.mul(self.func.types.poly(a.extent)));
            let count = self.func.types.size(count);
            self.push(Stmt { vars: vec![any], op: Op::Size(count), span });
            let some = self.func.scalar_var("some", Scalar::Bool);
            self.push(Stmt { vars: vec![some], op: Op::Prim(Prim::Gt, vec![Atom::Var(any), Atom::int(0)]), span });
            let largest = self.func.scalar_var("largest", Scalar::I64);
            let body = Block { params: Vec::new(), stmts: std::mem::take(&mut stmts), results };
            let op = Op::Reduce { kind: Reduction::Max, axes: kernel.axes, body };
            let reduce = Stmt { vars: vec![largest], op, span };
            let then_block = Block { params: Vec::new(), stmts: vec![reduce], results: vec![Atom::Var(largest)] };
            let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: vec![Atom::int(0)] };
            let bound = self.func.scalar_var("bound", Scalar::I64);
            self.push(Stmt { vars: vec![bound], op: Op::If { cond: Atom::Var(some), then_block, else_block }, span });
            results = vec![Atom::Var(bound)];
        }
        let value = results.first().copied().unwrap_or(Atom::int(0));
        let bound = self.func.scalar_var("bound", Scalar::I64);
        self.push(Stmt { vars: vec![bound], op: Op::Prim(Prim::Max, vec![value, Atom::int(floor)]), span });
        bound
    }

    fn lift_build(&mut self, stmt: &Stmt, axes: &[Axis], body: &Block) -> Result<(), BotError> {
        let entered = self.enter(axes, false, stmt.span)?;
        let lifted = self.lift_block(body);
        let placed = lifted.map(|results| self.store_results(stmt, &results, entered.set));
        self.leave(&entered);
        if entered.ragged {
            self.ragged.extend(&stmt.vars);
        }
        for (&var, (array, axes)) in stmt.vars.iter().zip(placed?) {
            self.place(var, Place::Stored { array, axes });
        }
        Ok(())
    }

    /// Stores the results of a build's body, each over the enclosing axes it depends on and the build's own; gives the
    /// arrays and the enclosing axes in front.
    fn store_results(&mut self, stmt: &Stmt, results: &[Atom], own: AxisSet) -> Vec<(VarId, AxisSet)> {
        let guard = self.deps_of_guard();
        let mut placed: Vec<Option<(VarId, AxisSet)>> = vec![None; results.len()];
        let mut groups: Vec<(AxisSet, Vec<usize>)> = Vec::new();
        for (k, &result) in results.iter().enumerate() {
            if !self.func.atom_ty(result).is_scalar() {
                continue;
            }
            // A scalar that is already stored over the build's axes is the result.
            if let Some(Place::Stored { array, axes }) = result.var().and_then(|v| self.places.get(&v)).copied()
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

    /// Gives an output array the name the user knows it by.
    fn rename(&mut self, array: VarId, like: VarId) {
        let name = self.func.name(like).to_string();
        self.func.vars[array].name = name;
    }

    /// Where an array and the enclosing axes in front of it are; an array that is the same at every point has none.
    pub(super) fn array_place(&self, var: VarId) -> (VarId, AxisSet) {
        match self.places.get(&var) {
            Some(Place::Stored { array, axes }) => (*array, *axes),
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
    fn spread(&mut self, array: VarId, from: AxisSet, to: AxisSet, span: Option<Span>) -> VarId {
        let Kernel { mut axes, subst, .. } = self.kernel(to);
        let ty = self.func.ty(array).clone();
        let mut index: Vec<Atom> = self.lead_indices(from).into_iter().map(|i| subst.atom(Atom::Var(i))).collect();
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
        vars.first().copied().unwrap_or(array)
    }

    fn lead_indices(&self, set: AxisSet) -> Vec<VarId> {
        self.axes.iter().enumerate().filter(|(p, _)| set >> p & 1 == 1).map(|(_, a)| a.index).collect()
    }

    fn lift_reduce(&mut self, stmt: &Stmt, kind: Reduction, axes: &[Axis], body: &Block) -> Result<(), BotError> {
        let fails = stmt.op.may_fail(self.func);
        let entered = self.enter(axes, fails, stmt.span)?;
        let results = match self.lift_block(body) {
            Ok(results) => results,
            Err(error) => {
                self.leave(&entered);
                return Err(error);
            }
        };
        let deps = results.iter().fold(self.deps_of_guard(), |set, &r| set | self.deps_of(r));
        let outer = deps & !entered.set;
        let mut kernel = self.kernel(outer | entered.set);
        // Where the guard does not hold, the value changes nothing.
        let results = self.guarded_code(&mut kernel, &results, Some(kind), stmt.span);
        self.leave(&entered);
        // The reduction's own axes are the innermost ones.
        let inner = kernel.axes.split_off(outer.count_ones() as usize);
        let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
        let reduce = Op::Reduce { kind, axes: inner, body };
        if outer == 0 {
            self.push(Stmt { vars: stmt.vars.clone(), op: reduce, span: stmt.span });
            return Ok(());
        }
        let scalars: Vec<VarId> = stmt.vars.iter().map(|&v| self.func.copy_var(v)).collect();
        let results: Vec<Atom> = scalars.iter().copied().map(Atom::Var).collect();
        let named: Vec<Atom> = stmt.vars.iter().copied().map(Atom::Var).collect();
        let arrays = self.result_vars(&kernel.axes, &results, &named);
        let stmts = vec![Stmt { vars: scalars, op: reduce, span: stmt.span }];
        let body = Block { params: Vec::new(), stmts, results };
        self.push(Stmt { vars: arrays.clone(), op: Op::Build { axes: kernel.axes, body }, span: stmt.span });
        for (&var, array) in stmt.vars.iter().zip(arrays) {
            self.place(var, Place::Stored { array, axes: outer });
        }
        Ok(())
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
        let results = match self.lift_block(body) {
            Ok(results) => results,
            Err(error) => {
                self.leave(&entered);
                return Err(error);
            }
        };
        let (array, from) = self.array_place(dest);
        let deps = results.iter().fold(self.deps_of_guard() | from, |set, &r| set | self.deps_of(r));
        let outer = deps & !entered.set;
        let array = if outer == from { array } else { self.spread(array, from, outer, stmt.span) };
        let mut kernel = self.kernel(outer | entered.set);
        let mut results = self.guarded_code(&mut kernel, &results, None, stmt.span);
        let lead = self.lead_indices(outer).into_iter().map(|i| kernel.subst.atom(Atom::Var(i)));
        if !results.is_empty() {
            results.splice(1..1, lead.collect::<Vec<_>>());
        }
        self.leave(&entered);
        let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
        let var = stmt.vars.first().copied().unwrap_or(dest);
        let output = self.func.var(self.func.name(var).to_string(), self.func.type_id(array));
        let op = Op::Scatter { kind, dest: array, axes: kernel.axes, body, checked };
        self.push(Stmt { vars: vec![output], op, span: stmt.span });
        self.place(var, Place::Stored { array: output, axes: outer });
        Ok(())
    }

    /// `reshape` and `stop_gradient` of an array: the axes stay in front.
    fn lift_whole(&mut self, stmt: &Stmt, array: VarId) -> Result<(), BotError> {
        let Some(&var) = stmt.vars.first() else { return Ok(()) };
        let (stored, axes) = self.array_place(array);
        if self.ragged.contains(&array) {
            return Err(BotError::Irregular(stmt.span));
        }
        let lead: Vec<SizeId> = self.func.ty(stored).dims.iter().take(axes.count_ones() as usize).copied().collect();
        let Type { elem, dims } = self.func.ty(var).clone();
        let varies = dims.iter().flat_map(|&d| self.func.types.poly(d).vars()).any(|v| self.deps_of_var(v) != 0);
        if varies {
            return Err(BotError::Irregular(stmt.span));
        }
        let ty = self.func.types.array(lead.into_iter().chain(dims).collect(), elem);
        let output = self.func.var(self.func.name(var).to_string(), ty);
        let mut op = stmt.op.clone();
        op.map_operands(&mut |_| Atom::Var(stored));
        self.push(Stmt { vars: vec![output], op, span: stmt.span });
        self.place(var, Place::Stored { array: output, axes });
        Ok(())
    }

    fn lift_if(&mut self, stmt: &Stmt, cond: Atom, then_block: &Block, else_block: &Block) -> Result<(), BotError> {
        if self.deps_of(cond) == 0 && self.guard.is_none() && !cond.var().is_some_and(|v| self.is_guarded(v)) {
            return self.lift_uniform_if(stmt, cond, then_block, else_block);
        }
        let guard = self.guard;
        let start = self.pending.len();
        self.add_guard(cond, stmt.span);
        let then_results = self.lift_block(then_block)?;
        self.guard = guard;
        let middle = self.pending.len();
        let negated = self.func.scalar_var("otherwise", Scalar::Bool);
        self.add_scalar(Stmt { vars: vec![negated], op: Op::Prim(Prim::Not, vec![cond]), span: stmt.span });
        self.add_guard(Atom::Var(negated), stmt.span);
        let else_results = self.lift_block(else_block)?;
        self.guard = guard;
        self.merge_scalars(stmt, cond, (&then_results, start), (&else_results, middle));
        for (k, &var) in stmt.vars.iter().enumerate() {
            if let (Some(Atom::Var(a)), Some(Atom::Var(b))) = (then_results.get(k), else_results.get(k))
                && !self.func.ty(var).is_scalar()
            {
                self.merge_arrays(var, cond, *a, *b, stmt.span);
            }
        }
        Ok(())
    }

    /// The scalar results of an `if` whose branches were lifted: a lazy `if` over what is left of their code.
    fn merge_scalars(&mut self, stmt: &Stmt, cond: Atom, then: (&[Atom], usize), other: (&[Atom], usize)) {
        let scalar: Vec<usize> =
            stmt.vars.iter().enumerate().filter(|(_, v)| self.func.ty(**v).is_scalar()).map(|(k, _)| k).collect();
        if scalar.is_empty() {
            return;
        }
        let pick = |results: &[Atom]| -> Vec<Atom> { scalar.iter().filter_map(|&k| results.get(k).copied()).collect() };
        let vars = scalar.iter().filter_map(|&k| stmt.vars.get(k).copied()).collect();
        let then_block = self.branch(&pick(then.0), then.1);
        let else_block = self.branch(&pick(other.0), other.1);
        self.add_scalar(Stmt { vars, op: Op::If { cond, then_block, else_block }, span: stmt.span });
    }

    /// An array result of an `if`: chosen element by element.
    fn merge_arrays(&mut self, var: VarId, cond: Atom, a: VarId, b: VarId, span: Option<Span>) {
        let ((a, a_axes), (b, b_axes)) = (self.array_place(a), self.array_place(b));
        let set = a_axes | b_axes | self.deps_of(cond) | self.deps_of_guard();
        let mut kernel = self.kernel(set);
        let cond = self.scalar_code(&mut kernel, &[cond]).first().copied().unwrap_or(cond);
        let dims = self.func.ty(a).dims.clone();
        let mut own = Vec::new();
        for &dim in dims.iter().skip(a_axes.count_ones() as usize) {
            let i = self.func.scalar_var("i", Scalar::I64);
            kernel.axes.push(Axis { index: i, extent: dim });
            own.push(Atom::Var(i));
        }
        let mut branch = |array: VarId, axes: AxisSet| {
            let lead = self.lead_indices(axes).into_iter().map(|i| kernel.subst.atom(Atom::Var(i)));
            let index = lead.chain(own.iter().copied()).collect();
            let elem = self.func.ty(array).elem;
            let value = self.func.scalar_var(self.func.name(var).to_string(), elem);
            let read = Stmt { vars: vec![value], op: Op::Read { array, index, checked: false }, span };
            Block { params: Vec::new(), stmts: vec![read], results: vec![Atom::Var(value)] }
        };
        let (then_block, else_block) = (branch(a, a_axes), branch(b, b_axes));
        let chosen = self.func.scalar_var(self.func.name(var).to_string(), self.func.ty(a).elem);
        kernel.stmts.push(Stmt { vars: vec![chosen], op: Op::If { cond, then_block, else_block }, span });
        let results = vec![Atom::Var(chosen)];
        let vars = self.result_vars(&kernel.axes, &results, &[Atom::Var(var)]);
        let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
        self.push(Stmt { vars: vars.clone(), op: Op::Build { axes: kernel.axes, body }, span });
        if let [array] = vars.as_slice() {
            self.place(var, Place::Stored { array: *array, axes: set });
        }
    }

    /// An `if` that goes the same way at every point stays an `if` of the output, and its branches are lifted inside.
    fn lift_uniform_if(
        &mut self,
        stmt: &Stmt,
        cond: Atom,
        then_block: &Block,
        else_block: &Block,
    ) -> Result<(), BotError> {
        let cond = cond.var().map_or(cond, |v| self.invariant(v));
        // Both branches must give results over the same axes: all that either reads.
        let set = self.deps_of_op(&stmt.op) | fails_set(self, &stmt.op);
        let mut blocks = Vec::new();
        for block in [then_block, else_block] {
            self.open();
            let lifted = self.lift_block(block);
            let results = lifted.map(|results| self.store_all(&results, set, stmt.span));
            let stmts = self.close();
            blocks.push(Block { params: Vec::new(), stmts, results: results? });
        }
        let (Some(else_block), Some(then_block)) = (blocks.pop(), blocks.pop()) else { return Ok(()) };
        let vars = self.lifted_vars(&stmt.vars, &then_block.results);
        self.push(Stmt { vars: vars.clone(), op: Op::If { cond, then_block, else_block }, span: stmt.span });
        for (&var, array) in stmt.vars.iter().zip(vars) {
            self.place(var, Place::Stored { array, axes: set });
        }
        Ok(())
    }

    /// Every value stored over exactly the given axes; scalars that are still code, in one kernel.
    fn store_all(&mut self, values: &[Atom], set: AxisSet, span: Option<Span>) -> Vec<Atom> {
        let mut stored: Vec<Atom> = values.to_vec();
        let mut code = Vec::new();
        for (k, &value) in values.iter().enumerate() {
            let place = value.var().and_then(|v| self.places.get(&v).copied());
            let atom = match (value, place) {
                (_, Some(Place::Stored { array, axes })) if axes == set => Atom::Var(array),
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
    fn lifted_vars(&mut self, vars: &[VarId], results: &[Atom]) -> Vec<VarId> {
        let mut lifted = Vec::new();
        for (&var, &result) in vars.iter().zip(results) {
            let ty = self.func.atom_ty(result);
            let ty = self.func.types.ty(ty);
            lifted.push(self.func.var(self.func.name(var).to_string(), ty));
        }
        lifted
    }

    /// A loop runs outermost, with its state stored over the axes that anything in it depends on.
    fn lift_loop(
        &mut self,
        stmt: &Stmt,
        axis: Axis,
        reverse: bool,
        inits: &[Atom],
        body: &Block,
    ) -> Result<(), BotError> {
        if has_derivative(&stmt.op) {
            return Err(BotError::Irregular(stmt.span));
        }
        let set = self.deps_of_op(&stmt.op) | self.deps_of_guard() | fails_set(self, &stmt.op);
        let (extent, own) = self.extent(axis.extent, false, stmt.span)?;
        let inits = self.store_all(inits, set, stmt.span);
        let params = self.lifted_vars(&body.params, &inits);
        self.open();
        for (&param, &lifted) in body.params.iter().zip(&params) {
            self.place(param, Place::Stored { array: lifted, axes: set });
        }
        let guard = self.guard;
        let results = self.loop_body(stmt, axis.index, own, body, set);
        self.guard = guard;
        let stmts = self.close();
        let body = Block { params, stmts, results: results? };
        let vars = self.lifted_vars(&stmt.vars, &inits);
        let axis = Axis { index: axis.index, extent };
        self.push(Stmt { vars: vars.clone(), op: Op::Loop { axis, reverse, inits, body }, span: stmt.span });
        for (&var, array) in stmt.vars.iter().zip(vars) {
            self.place(var, Place::Stored { array, axes: set });
        }
        Ok(())
    }

    /// One iteration; where the loop is over at some points, they keep their state.
    fn loop_body(
        &mut self,
        stmt: &Stmt,
        index: VarId,
        own: Option<Atom>,
        body: &Block,
        set: AxisSet,
    ) -> Result<Vec<Atom>, BotError> {
        let Some(own) = own else {
            let results = self.lift_block(body)?;
            return Ok(self.store_all(&results, set, stmt.span));
        };
        let running = self.func.scalar_var("running", Scalar::Bool);
        let op = Op::Prim(Prim::Lt, vec![Atom::Var(index), own]);
        let vars: Vec<VarId> = stmt.vars.iter().map(|&v| self.func.copy_var(v)).collect();
        let else_block = Block {
            params: Vec::new(),
            stmts: Vec::new(),
            results: body.params.iter().map(|&p| Atom::Var(p)).collect(),
        };
        let then_block = Block { params: Vec::new(), stmts: body.stmts.clone(), results: body.results.clone() };
        self.add_scalar(Stmt { vars: vec![running], op, span: stmt.span });
        let step = Stmt {
            vars: vars.clone(),
            op: Op::If { cond: Atom::Var(running), then_block, else_block },
            span: stmt.span,
        };
        self.lift_stmt(&step)?;
        let results: Vec<Atom> = vars.into_iter().map(Atom::Var).collect();
        Ok(self.store_all(&results, set, stmt.span))
    }
}

/// All enclosing axes, for an operation that can stop the program: it must run at a point or not at all.
fn fails_set(bot: &Bot<'_>, op: &Op) -> AxisSet {
    if arr_ir::walk::may_fail_deep(bot.func, op) { bot.all_axes() } else { 0 }
}

/// The value that a reduction ignores.
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
