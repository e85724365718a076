//! Puts scalar code into kernels: selects the statements that a kernel needs, and those that are stored first.

use super::lift::neutral;
use super::{AxisSet, Bot, CHEAP, Location, Pending};
use arr_base::Span;
use arr_ir::rewrite::{any_op, for_each_stmt_mut};
use arr_ir::walk::{Subst, for_each_use, free_vars, may_fail_deep, may_run_forever};
use arr_ir::{Atom, Axis, Block, Const, Cost, Op, Prim, Reduction, Scalar, SizeId, Stmt, Type, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A kernel under construction: fresh indices for the enclosing axes it runs over, and its code so far.
pub(super) struct Kernel {
    pub set: AxisSet,
    pub axes: Vec<Axis>,
    pub subst: Subst,
    pub stmts: Vec<Stmt>,
    /// The source position of the kernel's purpose: that of the reads that bring its operands.
    pub span: Option<Span>,
}

impl Bot<'_> {
    /// The enclosing axes on which a variable's value depends.
    pub(super) fn deps_of_var(&self, var: VarId) -> AxisSet {
        match self.places.get(&var) {
            None => 0,
            Some(Location::Axis(position)) => 1 << position,
            Some(Location::Pending(i)) => self.pending.get(*i).map_or(0, |p| p.deps),
            Some(Location::Stored { axes, .. }) => *axes,
        }
    }

    pub(super) fn deps_of(&self, atom: Atom) -> AxisSet {
        atom.var().map_or(0, |v| self.deps_of_var(v))
    }

    pub(super) fn deps_of_guard(&self) -> AxisSet {
        self.guard.map_or(0, |g| self.deps_of_var(g))
    }

    /// The enclosing axes on which anything that the operation reads depends.
    pub(super) fn deps_of_op(&self, op: &Op) -> AxisSet {
        free_vars(self.func, op).into_iter().fold(0, |set, v| set | self.deps_of_var(v))
    }

    /// The given axes, and those without which code over the given ones is not known to have a point to run for. An
    /// axis is left out if its extent is a positive number, or that of another one.
    pub(super) fn with_uncertain_axes(&self, deps: AxisSet) -> AxisSet {
        let known = |set: AxisSet, extent: SizeId| {
            let own = self.axes.iter().enumerate().any(|(p, a)| set >> p & 1 == 1 && a.extent == extent);
            own || self.func.types.poly(extent).as_constant().is_some_and(|n| n > 0)
        };
        let add = |set, (p, axis): (usize, &Axis)| if known(set, axis.extent) { set } else { set | 1 << p };
        self.axes.iter().enumerate().fold(deps, add)
    }

    /// Keeps a scalar statement until a kernel needs it. One that depends on no axis and runs under no guard goes straight
    /// to the output, under its own name, unless it can stop the program and others that can still wait: a check must
    /// come before the accesses that it proves, which do not wait.
    pub(super) fn add_scalar(&mut self, stmt: Stmt) {
        let stmt = self.place_reads(stmt);
        let fails = may_fail_deep(self.func, &stmt.op);
        let mut deps = self.deps_of_op(&stmt.op) | self.deps_of_guard();
        if fails || self.relies_on_points(&stmt.op) {
            deps = self.with_uncertain_axes(deps);
        }
        let in_order = !fails || self.pending.iter().all(|p| p.run || !p.fails);
        if deps == 0 && in_order && self.guard.is_none() {
            let mut stmt = stmt;
            let subst = self.settle(&stmt.op);
            subst.apply_to_stmt(self.func, &mut stmt);
            let stmt = if may_run_forever(&stmt.op) { self.with_points(stmt, 0, None) } else { stmt };
            self.push(stmt);
            return;
        }
        let mut weight = own_weight(&stmt.op);
        for v in free_vars(self.func, &stmt.op) {
            if let Some(Location::Pending(i)) = self.places.get(&v) {
                weight = weight.saturating_add(self.pending.get(*i).map_or(0, |p| p.weight));
            }
        }
        let id = self.pending.len();
        for &v in &stmt.vars {
            self.place(v, Location::Pending(id));
        }
        self.pending.push(Pending { stmt, deps, guard: self.guard, weight, fails, run: false });
    }

    /// Whether an index in the operation may be outside its array if the enclosing axes have no points: it is
    /// unchecked, and is neither a number that is inside for all sizes nor the index of an axis, which has points
    /// itself.
    pub(super) fn relies_on_points(&self, op: &Op) -> bool {
        any_op(op, &mut |op| match op {
            Op::Read { array, index, checked: false } => self.may_be_outside(*array, index),
            Op::Scatter { dest, body, checked: false, .. } => {
                let places = body.results.get(1..).unwrap_or_default();
                self.may_be_outside(*dest, places.split_last().map_or(places, |(_, places)| places))
            }
            _ => false,
        })
    }

    /// Whether an index below an extent is inside an axis, whatever the sizes are.
    fn reaches_no_further(&self, extent: SizeId, dim: SizeId) -> bool {
        let room = self.func.types.poly(dim).sub(self.func.types.poly(extent));
        extent == dim || arr_ir::integers::is_natural(self.func, &room)
    }

    /// The index may have more parts than the array of the source has axes, those of enclosing axes in front.
    fn may_be_outside(&self, array: VarId, index: &[Atom]) -> bool {
        let dims = &self.func.ty(array).dims;
        index.iter().zip(dims).any(|(&i, &dim)| match i {
            Atom::Var(v) => !self.indices.get(&v).is_some_and(|&extent| self.reaches_no_further(extent, dim)),
            Atom::Const(c) => {
                let size = self.func.types.poly(dim);
                let least =
                    if size.terms.values().all(|&c| c >= 0) { size.terms.get(&[]).copied().unwrap_or(0) } else { 0 };
                !c.as_i64().is_some_and(|c| (0..least).contains(&c))
            }
        })
    }

    /// The statement, executed only if the enclosing axes outside of `set`, over which its results are stored, have
    /// points: code that may fail or not terminate must not run where the program does not request it. If they have
    /// none the results are zeros, or `otherwise`.
    pub(super) fn with_points(&mut self, stmt: Stmt, set: AxisSet, otherwise: Option<VarId>) -> Stmt {
        let uncertain = self.with_uncertain_axes(set) & !set;
        let extents: Vec<SizeId> =
            self.axes.iter().enumerate().filter(|(p, _)| uncertain >> p & 1 == 1).map(|(_, a)| a.extent).collect();
        let mut some = None;
        for extent in extents {
            let count = self.func.scalar_var("points", Scalar::I64);
            self.push(Stmt { vars: vec![count], op: Op::Size(extent), span: stmt.span });
            let mut cond = self.func.scalar_var("some", Scalar::Bool);
            let op = Op::Prim(Prim::Gt, vec![Atom::Var(count), Atom::int(0)]);
            self.push(Stmt { vars: vec![cond], op, span: stmt.span });
            if let Some(before) = some {
                let both = self.func.scalar_var("some", Scalar::Bool);
                let op = Op::Prim(Prim::And, vec![Atom::Var(before), Atom::Var(cond)]);
                self.push(Stmt { vars: vec![both], op, span: stmt.span });
                cond = both;
            }
            some = Some(cond);
        }
        let Some(some) = some else { return stmt };
        let inner: Vec<VarId> = stmt.vars.iter().map(|&v| self.func.copy_var(v)).collect();
        let mut else_block = Block::default();
        for &v in &stmt.vars {
            let result = match otherwise {
                Some(array) => Atom::Var(array),
                None => self.zero_of(v, &mut else_block.stmts, stmt.span),
            };
            else_block.results.push(result);
        }
        let results = inner.iter().copied().map(Atom::Var).collect();
        let step = Stmt { vars: inner, op: stmt.op, span: stmt.span };
        let then_block = Block { params: Vec::new(), stmts: vec![step], results };
        Stmt { vars: stmt.vars, op: Op::If { cond: Atom::Var(some), then_block, else_block }, span: stmt.span }
    }

    /// Zero, or an array of zeros, of the type of a variable.
    fn zero_of(&mut self, like: VarId, stmts: &mut Vec<Stmt>, span: Option<Span>) -> Atom {
        let ty = self.func.ty(like).clone();
        let zero = Atom::Const(Const::zero(ty.elem));
        if ty.is_scalar() {
            return zero;
        }
        let axes =
            ty.dims.iter().map(|&extent| Axis { index: self.func.scalar_var("i", Scalar::I64), extent }).collect();
        let array = self.func.copy_var(like);
        let body = Block { params: Vec::new(), stmts: Vec::new(), results: vec![zero] };
        stmts.push(Stmt { vars: vec![array], op: Op::Build { axes, body }, span });
        Atom::Var(array)
    }

    /// Makes every variable that the operation reads available in the output block, which needs all of them to be the
    /// same at every point.
    fn settle(&mut self, op: &Op) -> Subst {
        let mut subst = Subst::new();
        for v in free_vars(self.func, op) {
            let atom = self.invariant(v);
            if atom != Atom::Var(v) {
                subst.insert(v, atom);
            }
        }
        subst
    }

    /// A variable that depends on no axis, as an operand of the output block.
    pub(super) fn invariant(&mut self, var: VarId) -> Atom {
        if let Some(Location::Pending(_)) = self.places.get(&var) {
            self.store_scalar(var);
        }
        self.resolve(Atom::Var(var))
    }

    /// Directs reads of stored arrays, in the statement and its blocks, to the arrays' locations.
    pub(super) fn place_reads(&self, mut stmt: Stmt) -> Stmt {
        for_each_stmt_mut(std::slice::from_mut(&mut stmt), &mut |stmt| {
            if let Op::Read { array, index, .. } = &mut stmt.op
                && let Some(Location::Stored { array: stored, axes }) = self.places.get(array)
            {
                let lead = self.indices(*axes).into_iter().map(Atom::Var);
                *index = lead.chain(index.iter().copied()).collect();
                *array = *stored;
            }
        });
        stmt
    }

    /// The index variables of a set of enclosing axes, outermost first.
    pub(super) fn indices(&self, set: AxisSet) -> Vec<VarId> {
        self.axes.iter().enumerate().filter(|(p, _)| set >> p & 1 == 1).map(|(_, a)| a.index).collect()
    }

    /// An empty kernel over a set of enclosing axes.
    pub(super) fn kernel(&mut self, set: AxisSet, span: Option<Span>) -> Kernel {
        let mut subst = Subst::new();
        let mut axes = Vec::new();
        for (position, axis) in self.axes.clone().into_iter().enumerate() {
            if set >> position & 1 == 1 {
                let index = subst.fresh(self.func, axis.index);
                axes.push(Axis { index, extent: axis.extent });
            }
        }
        Kernel { set, axes, subst, stmts: Vec::new(), span }
    }

    /// Puts the scalar code that computes `targets` into the kernel and returns them as the kernel's operands.
    /// Expensive values that are needed elsewhere too, or at fewer points, are stored first.
    pub(super) fn scalar_code(&mut self, kernel: &mut Kernel, targets: &[Atom]) -> Vec<Atom> {
        let needed = self.needed(targets, 0);
        self.run_checks_before(&needed);
        let mut in_slice: FxHashMap<VarId, u32> = FxHashMap::default();
        for &i in &needed {
            if let Some(p) = self.pending.get(i) {
                for_each_use(self.func, &p.stmt.op, &mut |v| *in_slice.entry(v).or_insert(0) += 1);
            }
        }
        for i in needed {
            let Some(p) = self.pending.get(i) else { continue };
            let elsewhere = p.deps != kernel.set;
            // Code that can stop the program runs once at each of its points, not in a loop that may be empty.
            if p.weight <= CHEAP && !(p.fails && elsewhere) {
                continue;
            }
            // The results of one statement are stored together, or computed here together.
            let is_target = p.stmt.vars.iter().any(|&v| targets.contains(&Atom::Var(v)));
            let used = |v: &VarId| self.uses.get(v).copied().unwrap_or(0) > in_slice.get(v).copied().unwrap_or(0);
            let shared = !is_target && p.stmt.vars.iter().any(used);
            if (elsewhere || shared)
                && let Some(&v) = p.stmt.vars.first()
            {
                self.store_scalar(v);
            }
        }
        for i in self.needed(targets, 0) {
            if let Some(p) = self.pending.get_mut(i) {
                p.run = true;
                let stmt = p.stmt.clone();
                self.copy_stmt(kernel, &stmt);
            }
        }
        targets.iter().map(|&a| self.kernel_operand(kernel, a)).collect()
    }

    /// Runs what can stop the program, and these pending statements do not need, before those of them that access arrays
    /// unchecked: one of the checks may be their proof.
    fn run_checks_before(&mut self, needed: &BTreeSet<usize>) {
        let relies = |i: &usize| self.pending.get(*i).is_some_and(|p| self.relies_on_points(&p.stmt.op));
        let Some(last) = needed.iter().copied().rfind(relies) else { return };
        for i in self.first_inside()..last {
            if !needed.contains(&i) {
                self.run_failing(i..i + 1);
            }
        }
    }

    /// Runs what can stop the program before a statement, or a group of them, whose blocks become output blocks, if these
    /// access arrays unchecked.
    pub(super) fn run_checks_before_block<'s>(&mut self, stmts: impl IntoIterator<Item = &'s Stmt>) {
        if stmts.into_iter().any(|stmt| self.relies_on_points(&stmt.op)) {
            self.run_failing(self.first_inside()..self.pending.len());
        }
    }

    /// The first pending statement of the innermost output block.
    fn first_inside(&self) -> usize {
        self.pending_outside.last().copied().unwrap_or_default()
    }

    /// The pending statements, from number `from` on, that the targets need, in order.
    fn needed(&self, targets: &[Atom], from: usize) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut work: Vec<VarId> = targets.iter().filter_map(|a| a.var()).collect();
        while let Some(v) = work.pop() {
            if let Some(Location::Pending(i)) = self.places.get(&v)
                && *i >= from
                && needed.insert(*i)
                && let Some(p) = self.pending.get(*i)
            {
                work.extend(free_vars(self.func, &p.stmt.op));
            }
        }
        needed
    }

    /// A copy of a pending statement in the kernel, under fresh names.
    fn copy_stmt(&mut self, kernel: &mut Kernel, stmt: &Stmt) {
        let around = kernel.span;
        kernel.span = stmt.span.or(around);
        for v in free_vars(self.func, &stmt.op) {
            self.kernel_operand(kernel, Atom::Var(v));
        }
        kernel.span = around;
        let copy = kernel.subst.clone_stmt(self.func, stmt);
        kernel.stmts.push(copy);
    }

    /// An operand inside the kernel; a stored scalar is read there.
    fn kernel_operand(&mut self, kernel: &mut Kernel, atom: Atom) -> Atom {
        let Atom::Var(v) = atom else { return atom };
        if let Some(known) = kernel.subst.map.get(&v) {
            return *known;
        }
        let Some(Location::Stored { array, axes }) = self.places.get(&v).copied() else { return atom };
        if axes == 0 {
            kernel.subst.insert(v, array);
            return Atom::Var(array);
        }
        if self.func.ty(v).is_scalar() {
            let index = self.indices(axes).into_iter().map(|i| kernel.subst.atom(Atom::Var(i))).collect();
            let read = self.func.copy_var(v);
            let op = Op::Read { array, index, checked: false };
            kernel.stmts.push(Stmt { vars: vec![read], op, span: kernel.span });
            kernel.subst.insert(v, read);
            return Atom::Var(read);
        }
        atom
    }

    /// Stores a pending scalar, and the other results of its statement, in arrays over the axes they depend on.
    pub(super) fn store_scalar(&mut self, var: VarId) {
        let Some(Location::Pending(i)) = self.places.get(&var).copied() else { return };
        let Some(Pending { deps, guard, stmt, .. }) = self.pending.get(i).cloned() else { return };
        let outer = std::mem::replace(&mut self.guard, guard);
        let values: Vec<Atom> = stmt.vars.iter().copied().map(Atom::Var).collect();
        let arrays = self.store(deps, &values, stmt.span);
        self.guard = outer;
        for (&v, array) in stmt.vars.iter().zip(arrays) {
            self.place(v, Location::Stored { array, axes: deps });
        }
    }

    /// Stores those of the pending scalars needed by the operation that can stop the program: the operation may reach
    /// them at fewer points than the program does, or never.
    pub(super) fn store_failing(&mut self, op: &Op) {
        let targets: Vec<Atom> = free_vars(self.func, op).into_iter().map(Atom::Var).collect();
        for i in self.needed(&targets, 0) {
            if let Some(p) = self.pending.get(i).filter(|p| p.fails && !p.run)
                && let Some(&v) = p.stmt.vars.first()
            {
                self.store_scalar(v);
            }
        }
    }

    /// Emits one kernel over the given enclosing axes that stores the values; without axes, scalar statements. Under a
    /// guard the code runs only where it holds, and 0 is stored elsewhere.
    pub(super) fn store(&mut self, set: AxisSet, values: &[Atom], span: Option<Span>) -> Vec<VarId> {
        let mut kernel = self.kernel(set, span);
        let results = self.guarded_code(&mut kernel, values, None);
        if set == 0 {
            for stmt in kernel.stmts {
                self.push(stmt);
            }
            return results.into_iter().filter_map(Atom::var).collect();
        }
        let vars = self.result_vars(&kernel.axes, &results, values);
        let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
        self.push(Stmt { vars: vars.clone(), op: Op::Build { axes: kernel.axes, body }, span });
        vars
    }

    /// Scalar code for the values, inside an `if` when there is a guard. Where the guard does not hold they are 0, or
    /// the neutral element of the given reduction.
    pub(super) fn guarded_code(
        &mut self,
        kernel: &mut Kernel,
        values: &[Atom],
        reduction: Option<Reduction>,
    ) -> Vec<Atom> {
        let Some(guard) = self.guard else { return self.scalar_code(kernel, values) };
        let cond = self.condition(kernel, Atom::Var(guard));
        let outside = std::mem::take(&mut kernel.stmts);
        let known = kernel.subst.clone();
        let results = self.scalar_code(kernel, values);
        let stmts = std::mem::replace(&mut kernel.stmts, outside);
        // Variables copied inside the branch are not visible after it.
        kernel.subst = known;
        let otherwise = |elem| reduction.map_or(Const::zero(elem), |kind| neutral(kind, elem));
        let zeros = results.iter().map(|&a| Atom::Const(otherwise(self.func.atom_elem(a)))).collect();
        let vars: Vec<VarId> = results.iter().zip(values).map(|(&r, &v)| self.scalar_like(r, v)).collect();
        let then_block = Block { params: Vec::new(), stmts, results };
        let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: zeros };
        kernel.stmts.push(Stmt { vars: vars.clone(), op: Op::If { cond, then_block, else_block }, span: kernel.span });
        vars.into_iter().map(Atom::Var).collect()
    }

    /// Scalar code for a condition. One that was written under another one and can stop the program is computed only
    /// where that one holds, and is false elsewhere.
    pub(super) fn condition(&mut self, kernel: &mut Kernel, cond: Atom) -> Atom {
        let Atom::Var(v) = cond else { return cond };
        // Its code exists already, and must not be repeated outside its own condition.
        if let Some(&known) = kernel.subst.map.get(&v) {
            return known;
        }
        let own = match self.places.get(&v) {
            Some(Location::Pending(i)) => self.pending.get(*i).and_then(|p| p.guard),
            _ => None,
        };
        if own.is_none() || !self.relies_on_guard(cond) {
            let found = self.scalar_code(kernel, &[cond]);
            return self.condition_of(&found, cond);
        }
        let guard = std::mem::replace(&mut self.guard, own);
        let found = self.guarded_code(kernel, &[cond], None);
        let found = self.condition_of(&found, cond);
        self.guard = guard;
        kernel.subst.insert(v, found);
        found
    }

    fn condition_of(&mut self, found: &[Atom], cond: Atom) -> Atom {
        match found {
            &[found] => found,
            _ => self.func.broken(cond, "the code of a condition has not one result"),
        }
    }

    /// Whether a dependency of the scalar is sound only under the guard that it was written under.
    fn relies_on_guard(&self, target: Atom) -> bool {
        let relies = |p: &Pending| p.guard.is_some() && (p.fails || self.relies_on_points(&p.stmt.op));
        self.needed(&[target], 0).into_iter().filter_map(|i| self.pending.get(i)).any(relies)
    }

    /// A fresh scalar variable of the operand's type, named after the value it stands for.
    pub(super) fn scalar_like(&mut self, atom: Atom, named: Atom) -> VarId {
        let elem = self.func.atom_elem(atom);
        let ty = self.func.types.scalar(elem);
        self.func.var_for(named, ty)
    }

    /// Fresh array variables for the results of a kernel.
    pub(super) fn result_vars(&mut self, axes: &[Axis], results: &[Atom], named: &[Atom]) -> Vec<VarId> {
        let dims: Vec<_> = axes.iter().map(|a| a.extent).collect();
        results
            .iter()
            .zip(named)
            .map(|(&r, &v)| {
                let ty = Type { elem: self.func.atom_elem(r), dims: dims.clone() };
                let ty = self.func.types.ty(ty);
                self.func.var_for(v, ty)
            })
            .collect()
    }

    /// The pending statements since number `from` that the targets need, as a block. They come from a branch that began
    /// at `from`; earlier ones stay outside.
    pub(super) fn branch(&mut self, targets: &[Atom], from: usize) -> Block {
        let mut stmts = Vec::new();
        for i in self.needed(targets, from) {
            if let Some(p) = self.pending.get_mut(i) {
                p.run = true;
                stmts.push(p.stmt.clone());
            }
        }
        Block { params: Vec::new(), stmts, results: targets.to_vec() }
    }

    /// Runs those of the pending statements that can stop the program, if no kernel has: their results are not used.
    pub(super) fn run_failing(&mut self, pending: std::ops::Range<usize>) {
        for i in pending {
            let Some(p) = self.pending.get(i).filter(|p| p.fails && !p.run).cloned() else { continue };
            if let Some(p) = self.pending.get_mut(i) {
                p.run = true;
            }
            let outer = std::mem::replace(&mut self.guard, p.guard);
            let mut kernel = self.kernel(p.deps, p.stmt.span);
            if p.stmt.vars.is_empty() {
                self.effect(&mut kernel, &p.stmt);
            } else {
                let values: Vec<Atom> = p.stmt.vars.iter().copied().map(Atom::Var).collect();
                self.guarded_code(&mut kernel, &values, None);
            }
            self.guard = outer;
            if p.deps == 0 {
                kernel.stmts.into_iter().for_each(|s| self.push(s));
                continue;
            }
            let body = Block { params: Vec::new(), stmts: kernel.stmts, results: Vec::new() };
            let op = Op::Build { axes: kernel.axes, body };
            self.push(Stmt { vars: Vec::new(), op, span: p.stmt.span });
        }
    }
}

impl Bot<'_> {
    /// A statement without results, which can only stop the program, in a kernel of its own.
    fn effect(&mut self, kernel: &mut Kernel, stmt: &Stmt) {
        let cond = self.guard.map(|g| self.condition(kernel, Atom::Var(g)));
        let outside = std::mem::take(&mut kernel.stmts);
        let operands: Vec<Atom> = free_vars(self.func, &stmt.op).into_iter().map(Atom::Var).collect();
        self.scalar_code(kernel, &operands);
        self.copy_stmt(kernel, stmt);
        let Some(cond) = cond else {
            kernel.stmts.splice(0..0, outside);
            return;
        };
        let stmts = std::mem::replace(&mut kernel.stmts, outside);
        let then_block = Block { params: Vec::new(), stmts, results: Vec::new() };
        let op = Op::If { cond, then_block, else_block: Block::default() };
        kernel.stmts.push(Stmt { vars: Vec::new(), op, span: stmt.span });
    }
}

// What is stored for its own sake is heavier than anything computed twice.
const _: () = assert!(Cost::Function.operations() > 2 * CHEAP);

/// The weight of one operation. A loop counts as a function.
pub(super) fn own_weight(op: &Op) -> u32 {
    match op {
        Op::Prim(prim, _) => prim.cost().operations(),
        Op::Loop { .. } | Op::While { .. } => Cost::Function.operations(),
        _ => op.blocks().iter().flat_map(|b| &b.stmts).fold(1, |sum: u32, s| sum.saturating_add(own_weight(&s.op))),
    }
}
