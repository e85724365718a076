//! Enclosing axes and guards, and the checks that run under them.

use super::kernel::Kernel;
use super::{AxisSet, Bot, BotError, Location, Padded};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Check, Op, Prim, Reduction, Scalar, SizeId, Stmt, VarId};

/// The axes that a statement adds to the enclosing ones, and the state to restore after its body.
pub(super) struct Entered {
    pub set: AxisSet,
    pub guard: Option<VarId>,
    /// Whether an extent differs from point to point, so that the body runs under an additional guard.
    pub ragged: bool,
}

impl Bot<'_> {
    /// A check has no result that a kernel could request, so it gets a kernel of its own.
    pub(super) fn lift_check(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        let Op::Check { kind, args } = &stmt.op else {
            return self.func.broken(Ok(()), "what is lifted as a check is none");
        };
        let deps = args.iter().fold(self.deps_of_guard(), |set, &a| set | self.deps_of(a));
        let set = self.with_uncertain_axes(deps);
        let mut kernel = self.kernel(set, stmt.span);
        if let Some(guard) = self.guard {
            let check = |args: Vec<Atom>| Op::Check { kind: *kind, args };
            self.guarded_check(&mut kernel, guard, args, &check);
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

    pub(super) fn guarded_check(
        &mut self,
        kernel: &mut Kernel,
        guard: VarId,
        args: &[Atom],
        check: &dyn Fn(Vec<Atom>) -> Op,
    ) {
        let cond = self.condition(kernel, Atom::Var(guard));
        let outside = std::mem::take(&mut kernel.stmts);
        let args = self.scalar_code(kernel, args);
        let mut stmts = std::mem::replace(&mut kernel.stmts, outside);
        stmts.push(Stmt { vars: Vec::new(), op: check(args), span: kernel.span });
        let then_block = Block { params: Vec::new(), stmts, results: Vec::new() };
        let op = Op::If { cond, then_block, else_block: Block::default() };
        kernel.stmts.push(Stmt { vars: Vec::new(), op, span: kernel.span });
    }

    /// Adds the statement's axes to the enclosing ones. An extent that differs from point to point is replaced by its
    /// maximum, and the body guarded.
    pub(super) fn enter(&mut self, axes: &[Axis], at_least_one: bool, span: Option<Span>) -> Result<Entered, BotError> {
        let guard = self.guard;
        let mut entered = Entered { set: 0, guard, ragged: false };
        for axis in axes {
            if self.axes.len() >= 63 {
                return Err(BotError::TooManyAxes(span));
            }
            let (extent, own) = self.extent(axis.extent, at_least_one, span)?;
            let position = self.axes.len();
            self.axes.push(Axis { index: axis.index, extent });
            self.place(axis.index, Location::Axis(position));
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

    pub(super) fn leave(&mut self, entered: &Entered) {
        let left = self.axes.len().saturating_sub(entered.set.count_ones() as usize);
        self.axes.truncate(left);
        self.guard = entered.guard;
    }

    /// Strengthens the guard.
    pub(super) fn add_guard(&mut self, cond: Atom, span: Option<Span>) {
        let narrowed = match (self.guard, cond) {
            (None, Atom::Var(v)) => v,
            (guard, cond) => {
                let v = self.func.scalar_var("guard", Scalar::Bool);
                let both = vec![guard.map_or(Atom::bool(true), Atom::Var), cond];
                self.add_scalar(Stmt { vars: vec![v], op: Op::Prim(Prim::And, both), span });
                v
            }
        };
        if let Some(guard) = self.guard {
            self.wider.insert(narrowed, guard);
        }
        self.guard = Some(narrowed);
    }

    /// Chooses the extents of padded arrays that leave the blocks of a statement, or that its blocks hand to each other,
    /// before these blocks are lifted: in a block, and under its guard, the largest size may be another.
    pub(super) fn choose_extents(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        let states = stmt.op.blocks().into_iter().flat_map(|block| &block.params);
        let vars: Vec<VarId> = stmt.vars.iter().chain(states).copied().collect();
        let mut sizes: Vec<SizeId> = vars.into_iter().flat_map(|v| self.func.ty(v).dims.clone()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().try_for_each(|size| self.extent(size, false, stmt.span).map(|_| ()))
    }

    /// The extent that arrays of a size are padded to here: chosen under this guard or a wider one.
    fn chosen(&self, size: SizeId) -> Option<SizeId> {
        let wider = |guard: &Option<VarId>| guard.map(|guard| self.wider.get(&guard).copied());
        let guards: Vec<Option<VarId>> = std::iter::successors(Some(self.guard), wider).collect();
        let found = self.padded.iter().rev().find(|padded| padded.size == size && guards.contains(&padded.guard));
        found.map(|padded| padded.extent)
    }

    /// An extent that is the same at every point (a negative one means no points: where the program must not have one,
    /// a check reports it), and, if it is not the given one, the given one as a scalar.
    pub(super) fn extent(
        &mut self,
        size: SizeId,
        at_least_one: bool,
        span: Option<Span>,
    ) -> Result<(SizeId, Option<Atom>), BotError> {
        let vars = self.func.types.poly(size).vars();
        let varies = vars.iter().any(|&v| self.deps_of_var(v) != 0 || self.is_guarded(v));
        let masked = at_least_one && self.guard.is_some();
        if !varies && !masked {
            return Ok((self.invariant_size(size), None));
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
        if at_least_one {
            let op = Op::Check { kind: Check::NonEmpty, args: vec![Atom::Var(own)] };
            self.lift_check(&Stmt { vars: Vec::new(), op, span })?;
        }
        if !at_least_one && let Some(extent) = self.chosen(size) {
            return Ok((extent, Some(Atom::Var(own))));
        }
        let bound = self.maximum(own, i64::from(at_least_one), span);
        let extent = self.func.types.size(arr_ir::Poly::var(bound));
        if !at_least_one {
            self.padded.push(Padded { size, guard: self.guard, extent });
        }
        Ok((extent, Some(Atom::Var(own))))
    }

    /// A size that depends on no axis, over scalars of the output block.
    pub(super) fn invariant_size(&mut self, size: SizeId) -> SizeId {
        let mut subst = Subst::new();
        for v in self.func.types.poly(size).vars() {
            let atom = self.invariant(v);
            subst.insert(v, atom);
        }
        subst.size(self.func, size)
    }

    /// Whether a pending scalar has a guard, so that it has no value where the guard does not hold.
    pub(super) fn is_guarded(&self, var: VarId) -> bool {
        match self.places.get(&var) {
            Some(Location::Pending(i)) => self.pending.get(*i).is_some_and(|p| p.guard.is_some()),
            _ => false,
        }
    }

    /// The maximum of an integer over all points, at least `floor`, as a scalar of the output block.
    pub(super) fn maximum(&mut self, var: VarId, floor: i64, span: Option<Span>) -> VarId {
        let deps = self.deps_of_var(var);
        let set = if deps == 0 { 0 } else { deps | self.deps_of_guard() };
        let mut kernel = self.kernel(set, span);
        let values =
            if set == 0 { vec![self.invariant(var)] } else { self.guarded_code(&mut kernel, &[Atom::Var(var)], None) };
        let mut stmts = kernel.stmts;
        let mut results = values;
        if set == 0 {
            for stmt in stmts {
                self.push(stmt);
            }
        } else {
            // One point more than the axes have keeps the reduction from being empty.
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
        let value = match results.first() {
            Some(&value) => value,
            None => self.func.broken(Atom::int(0), "a bound has no value"),
        };
        let bound = self.func.scalar_var("bound", Scalar::I64);
        self.push(Stmt { vars: vec![bound], op: Op::Prim(Prim::Max, vec![value, Atom::int(floor)]), span });
        bound
    }
}
