//! Irregular arrays and reductions: their extents are read from data, so that they differ from point to point.
//!
//! Over common axes they would be as long as the longest of them: one long row among many would cost points times that
//! row. So the statements of a body that use them become a loop over the points, in which extents are numbers that
//! arrays can have, and the rest of the body is lifted as usual:
//!
//! ```text
//! y: [n]f64 = build i<n {                       s: [n]f64 = loop i<n (u: [n]f64 = z) {
//!   k: i64 = read! lengths[i]                     k: i64 = read! lengths[i]
//!   a: [k]f64 = build p<k { .. }            =>    a: [k]f64 = build p<k { .. }
//!   s: f64 = reduce sum p<k { read! a[p] }        s: f64 = reduce sum p<k { read! a[p] }
//!   t: f64 = sin s                                w: [n]f64 = scatter set u { yield true, i, s }
//!   yield t                                       yield w
//! }                                             }
//!                                               y: [n]f64 = build i<n { read! s[i]; sin; yield }
//! ```
//!
//! As nothing irregular leaves its point, no array is ever padded for such an extent, whether it is summed, searched,
//! scanned or indexed; time and memory are those of the program. Reverse mode of the loop adds to the cotangents of the
//! arrays that the points read. If the points only write, `fuse` turns the loop into a kernel, with the reductions
//! inside.
//!
//! An extent that is a polynomial of the indices (`for j < i`) stays padded: that costs a constant factor, and kernels
//! over regular axes are faster and differentiate to gathers. So does one that is the same at every point, but read
//! where it may fail. Arrays of such an extent join the loop only where padding would be wrong: if they are sorted,
//! reshaped, or read where the index must be checked.
//!
//! Statements are grouped by the irregular arrays that they share; statements between two of a group, in the order of
//! dependence, belong to it too. A check counts as needed by everything that follows it.

use super::order::{Order, Unit};
use super::{Bot, BotError, Location, indices_in};
use arr_ir::rewrite::for_each_block;
use arr_ir::walk::{bound_in_block, for_each_use, free_vars, free_vars_of_block, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Const, Op, Prim, Scalar, SizeId, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Bot<'_> {
    pub(super) fn lift_block(&mut self, block: &Block) -> Result<Vec<Atom>, BotError> {
        let units = if self.axes.is_empty() { None } else { self.units(block) };
        let Some(units) = units else {
            block.stmts.iter().try_for_each(|stmt| self.lift_steady(stmt))?;
            return Ok(block.results.clone());
        };
        for unit in units {
            let stmts: Vec<Stmt> = unit.members.iter().filter_map(|&k| block.stmts.get(k).cloned()).collect();
            if !unit.ragged || !self.lift_group(&stmts, &escaping(self, block, &unit.members))? {
                stmts.iter().try_for_each(|stmt| self.lift_steady(stmt))?;
            }
        }
        Ok(block.results.clone())
    }

    /// Lifts a statement and records whether its results are the same at every point.
    fn lift_steady(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        let steady = free_vars(self.func, &stmt.op).iter().all(|&v| self.is_steady(v));
        self.lift_stmt(stmt)?;
        if steady {
            self.steady.extend(&stmt.vars);
        }
        Ok(())
    }

    /// Whether a variable has one value at all points, even if it is stored over them because it may fail.
    fn is_steady(&self, var: VarId) -> bool {
        self.steady.contains(&var) || self.deps_of_var(var) == 0
    }

    /// The statements of a block in an order in which they can be lifted, those that share irregular arrays together.
    /// `None` if nothing is irregular.
    fn units(&mut self, block: &Block) -> Option<Vec<Unit>> {
        let ragged = Irregular::of(self, block);
        if ragged.groups.iter().all(Option::is_none) {
            return None;
        }
        let mut order = Order::new(self, block, &ragged.groups);
        order.merge();
        let units = order.sorted();
        let sorted: usize = units.iter().map(|unit| unit.members.len()).sum();
        if sorted != block.stmts.len() {
            return self.func.broken(None, "statements wait for each other");
        }
        Some(units)
    }

    /// Writes a group of statements as a loop over the points of the axes that it depends on. `false` if that is
    /// impossible, and nothing changed.
    fn lift_group(&mut self, stmts: &[Stmt], results: &[VarId]) -> Result<bool, BotError> {
        stmts.iter().try_for_each(|s| self.check_reads(s))?;
        let sizes = |bot: &Self, v: VarId| -> Vec<VarId> {
            let dims = &bot.func.ty(v).dims;
            dims.iter().flat_map(|&d| bot.func.types.poly(d).vars()).collect()
        };
        for &result in results {
            for v in sizes(self, result) {
                if self.deps_of_var(v) != 0 || self.is_guarded(v) {
                    return Ok(false);
                }
                self.invariant(v);
            }
        }
        let span = stmts.first().and_then(|s| s.span);
        let source = Block {
            params: Vec::new(),
            stmts: stmts.to_vec(),
            results: results.iter().copied().map(Atom::Var).collect(),
        };
        let mut free = free_vars_of_block(self.func, &source);
        let whole = self.used_whole(&source, &free);
        let mut bound = FxHashSet::default();
        bound_in_block(&source, &mut bound);
        let of_types: Vec<VarId> = bound.iter().chain(&whole).flat_map(|&v| sizes(self, v)).collect();
        let mut missing: Vec<VarId> =
            of_types.into_iter().filter(|v| !bound.contains(v) && !free.contains(v)).collect();
        missing.sort_unstable();
        missing.dedup();
        free.extend(missing);
        let set = free.iter().fold(self.deps_of_guard(), |set, &v| set | self.deps_of_var(v));
        if set == 0 {
            return Ok(false);
        }
        // Code that may fail runs only if all axes have points.
        let fails = |s: &Stmt| may_fail_deep(self.func, &s.op) || self.relies_on_points(&s.op);
        let others = if stmts.iter().any(fails) { self.with_uncertain_axes(set) & !set } else { 0 };
        let mut conditions: Vec<Atom> = self.guard.map(Atom::Var).into_iter().collect();
        conditions.extend(self.any_points(others, span));

        self.run_checks_before_block(stmts);
        let mut kernel = self.kernel(set, span);
        let conditions: Vec<Atom> = conditions.into_iter().map(|c| self.condition(&mut kernel, c)).collect();
        let outside = std::mem::take(&mut kernel.stmts);
        let scalars: Vec<VarId> = free.iter().copied().filter(|&v| self.func.ty(v).is_scalar()).collect();
        let operands: Vec<Atom> = scalars.iter().copied().map(Atom::Var).collect();
        for (v, atom) in scalars.into_iter().zip(self.scalar_code(&mut kernel, &operands)) {
            if atom != Atom::Var(v) {
                kernel.subst.insert(v, atom);
            }
        }
        for v in whole {
            let row = self.row(&mut kernel, v, span);
            kernel.subst.insert(v, row);
        }
        for stmt in stmts {
            let placed = self.place_reads(stmt.clone());
            let copy = kernel.subst.clone_stmt(self.func, &placed);
            kernel.stmts.push(copy);
        }
        let values: Vec<Atom> = source.results.iter().map(|&a| kernel.subst.atom(a)).collect();
        let stmts = std::mem::replace(&mut kernel.stmts, outside);
        let point = Block { params: Vec::new(), stmts, results: values };
        let body = self.conditional(kernel.stmts, &conditions, point, span);
        self.loop_of_group(results, set, &kernel.axes, body, span)?;
        Ok(true)
    }

    /// The loop over the points, and the locations of its results.
    fn loop_of_group(
        &mut self,
        results: &[VarId],
        set: super::AxisSet,
        axes: &[Axis],
        body: Block,
        span: Option<arr_base::Span>,
    ) -> Result<(), BotError> {
        let mut vars = Vec::new();
        for (&result, &value) in results.iter().zip(&body.results) {
            let Type { elem, dims } = self.func.atom_ty(value);
            let dims = axes.iter().map(|a| a.extent).chain(dims).collect();
            let ty = self.func.types.array(dims, elem);
            vars.push(self.func.var_like(result, ty));
        }
        let build = Stmt { vars: vars.clone(), op: Op::Build { axes: axes.to_vec(), body: Block::default() }, span };
        let mut out = Vec::new();
        self.loop_over(&mut out, axes, body, &build);
        for stmt in &out {
            let uses = &mut self.uses;
            for_each_use(self.func, &stmt.op, &mut |v| *uses.entry(v).or_insert(0) += 1);
        }
        let out = Block { params: Vec::new(), stmts: out, results: Vec::new() };
        indices_in(&out, &mut self.indices);
        self.indices.extend(axes.iter().map(|a| (a.index, a.extent)));
        // An iteration is code that runs once.
        let (enclosing, guard) = (std::mem::take(&mut self.axes), self.guard.take());
        let done = out.stmts.iter().try_for_each(|s| self.bulk_stmt(s));
        (self.axes, self.guard) = (enclosing, guard);
        done?;
        for (&result, var) in results.iter().zip(vars) {
            let array = match self.resolve(Atom::Var(var)) {
                Atom::Var(array) => array,
                Atom::Const(_) => self.func.broken(var, "an array is a constant"),
            };
            self.place(result, Location::Stored { array, axes: set });
        }
        Ok(())
    }

    /// The block under the conditions, behind their code; zeros where one does not hold.
    fn conditional(
        &mut self,
        mut stmts: Vec<Stmt>,
        conditions: &[Atom],
        then_block: Block,
        span: Option<arr_base::Span>,
    ) -> Block {
        let cond = match conditions {
            [] => None,
            [cond] => Some(*cond),
            [first, rest @ ..] => Some(rest.iter().fold(*first, |all, &cond| {
                let both = self.func.scalar_var("guard", Scalar::Bool);
                stmts.push(Stmt { vars: vec![both], op: Op::Prim(Prim::And, vec![all, cond]), span });
                Atom::Var(both)
            })),
        };
        let Some(cond) = cond else {
            stmts.extend(then_block.stmts);
            return Block { params: Vec::new(), stmts, results: then_block.results };
        };
        let mut else_block = Block::default();
        let mut vars = Vec::new();
        for &value in &then_block.results {
            let ty = self.func.atom_ty(value);
            let id = self.func.types.ty(ty.clone());
            vars.push(self.func.var_for(value, id));
            if ty.is_scalar() {
                else_block.results.push(Atom::Const(Const::zero(ty.elem)));
                continue;
            }
            let zeros = self.func.var_for(value, id);
            let axes = self.fresh_axes(&ty.dims);
            let body =
                Block { params: Vec::new(), stmts: Vec::new(), results: vec![Atom::Const(Const::zero(ty.elem))] };
            else_block.stmts.push(Stmt { vars: vec![zeros], op: Op::Build { axes, body }, span });
            else_block.results.push(Atom::Var(zeros));
        }
        stmts.push(Stmt { vars: vars.clone(), op: Op::If { cond, then_block, else_block }, span });
        Block { params: Vec::new(), stmts, results: vars.into_iter().map(Atom::Var).collect() }
    }

    /// Whether all of these enclosing axes have points, as a scalar of the output; `None` if that is certain.
    fn any_points(&mut self, set: super::AxisSet, span: Option<arr_base::Span>) -> Option<Atom> {
        let axes = self.axes.clone();
        let extents = axes.iter().enumerate().filter(|(p, _)| set >> p & 1 == 1).map(|(_, a)| a.extent);
        let count = extents.fold(arr_ir::Poly::constant(1), |n, extent| n.mul(self.func.types.poly(extent)));
        if count.as_constant().is_some_and(|n| n > 0) {
            return None;
        }
        let count = self.func.types.size(count);
        let points = self.func.scalar_var("points", Scalar::I64);
        self.push(Stmt { vars: vec![points], op: Op::Size(count), span });
        let some = self.func.scalar_var("some", Scalar::Bool);
        self.push(Stmt { vars: vec![some], op: Op::Prim(Prim::Gt, vec![Atom::Var(points), Atom::int(0)]), span });
        Some(Atom::Var(some))
    }

    /// The arrays among these that are stored over enclosing axes or elsewhere, and used other than by reading
    /// elements.
    fn used_whole(&self, block: &Block, free: &[VarId]) -> Vec<VarId> {
        let mut used = FxHashSet::default();
        whole_uses(block, &mut used);
        let stored =
            |v: &VarId| !self.func.ty(*v).is_scalar() && matches!(self.places.get(v), Some(Location::Stored { .. }));
        free.iter().copied().filter(|v| used.contains(v)).filter(stored).collect()
    }

    /// An array at the point of the kernel.
    fn row(&mut self, kernel: &mut super::kernel::Kernel, var: VarId, span: Option<arr_base::Span>) -> VarId {
        let (array, axes) = self.array_place(var);
        if axes == 0 {
            return array;
        }
        let mut index: Vec<Atom> = self.indices(axes).into_iter().map(|i| kernel.subst.atom(Atom::Var(i))).collect();
        let Type { elem, dims } = self.func.ty(var).clone();
        let dims: Vec<SizeId> = dims.into_iter().map(|d| kernel.subst.size(self.func, d)).collect();
        let own = self.fresh_axes(&dims);
        index.extend(own.iter().map(|a| Atom::Var(a.index)));
        let scalar = self.func.types.scalar(elem);
        let value = self.func.var_like(var, scalar);
        let read = Stmt { vars: vec![value], op: Op::Read { array, index, checked: false }, span };
        let ty = self.func.types.array(dims, elem);
        let row = self.func.var_like(var, ty);
        let body = Block { params: Vec::new(), stmts: vec![read], results: vec![Atom::Var(value)] };
        kernel.stmts.push(Stmt { vars: vec![row], op: Op::Build { axes: own, body }, span });
        row
    }
}

/// The variables that these statements of a block define and others need.
fn escaping(bot: &Bot<'_>, block: &Block, members: &[usize]) -> Vec<VarId> {
    let mut needed: FxHashSet<VarId> = block.results.iter().filter_map(|a| a.var()).collect();
    for (k, stmt) in block.stmts.iter().enumerate() {
        if !members.contains(&k) {
            needed.extend(uses_of(bot, stmt));
        }
    }
    let made = members.iter().filter_map(|&k| block.stmts.get(k)).flat_map(|s| &s.vars);
    made.copied().filter(|v| needed.contains(v)).collect()
}

/// The variables that a statement reads, also in the types of its results.
pub(super) fn uses_of(bot: &Bot<'_>, stmt: &Stmt) -> Vec<VarId> {
    let mut uses = free_vars(bot.func, &stmt.op);
    for &v in &stmt.vars {
        uses.extend(bot.func.ty(v).dims.iter().flat_map(|&d| bot.func.types.poly(d).vars()));
    }
    uses
}

/// The variables that operations have as operands, reads of elements aside.
fn whole_uses(block: &Block, out: &mut FxHashSet<VarId>) {
    for_each_block(block, &mut |block| {
        let whole = block.stmts.iter().filter(|stmt| !matches!(stmt.op, Op::Read { .. }));
        let operands = whole.flat_map(|stmt| stmt.op.operands());
        out.extend(operands.chain(block.results.iter().copied()).filter_map(|a| a.var()));
    });
}

/// The statements of a block that use arrays or axes whose extents differ from point to point.
struct Irregular {
    /// For each statement, the number of its group.
    groups: Vec<Option<usize>>,
}

impl Irregular {
    fn of(bot: &Bot<'_>, block: &Block) -> Irregular {
        let sizes = Sizes::of(bot, block);
        let mut whole = FxHashSet::default();
        not_padded(block, &mut whole);
        let mut groups: Vec<Option<usize>> = Vec::new();
        let mut owner: FxHashMap<VarId, usize> = FxHashMap::default();
        for stmt in &block.stmts {
            let has_axes = stmt.op.is_kernel();
            let has = |v: VarId, f: &dyn Fn(SizeId) -> bool| bot.func.ty(v).dims.iter().any(|&d| f(d));
            // An array from outside the block, where it is padded, is not this block's.
            let mut arrays: Vec<VarId> = free_vars(bot.func, &stmt.op);
            arrays.extend(&stmt.vars);
            arrays.retain(|v| {
                let irregular = has(*v, &|d| sizes.is_irregular(d));
                (irregular || whole.contains(v) && has(*v, &|d| sizes.is_padded(d))) && !bot.places.contains_key(v)
            });
            let axes = has_axes && stmt.op.axes().iter().any(|a| sizes.is_irregular(a.extent));
            if arrays.is_empty() && !axes {
                groups.push(None);
                continue;
            }
            // An array made in the loop cannot be padded outside it.
            let made = stmt.vars.iter().copied().filter(|&v| has(v, &|d| sizes.is_padded(d)));
            arrays.extend(made.clone());
            whole.extend(made);
            let group = groups.len();
            let merged: FxHashSet<usize> = arrays.iter().filter_map(|v| owner.get(v).copied()).collect();
            groups.push(Some(group));
            for g in &mut groups {
                *g = g.map(|g| if merged.contains(&g) { group } else { g });
            }
            owner.values_mut().filter(|g| merged.contains(*g)).for_each(|g| *g = group);
            owner.extend(arrays.into_iter().map(|v| (v, group)));
        }
        Irregular { groups }
    }
}

/// Facts about the sizes that a block mentions.
struct Sizes<'a, 'f> {
    bot: &'a Bot<'f>,
    /// Variables of the block that differ from point to point.
    varying: FxHashSet<VarId>,
    /// Variables of the block that will be stored over axes, or have a value under a guard only.
    local: FxHashSet<VarId>,
}

impl<'a, 'f> Sizes<'a, 'f> {
    fn of(bot: &'a Bot<'f>, block: &Block) -> Self {
        let mut sizes = Sizes { bot, varying: FxHashSet::default(), local: FxHashSet::default() };
        for stmt in &block.stmts {
            let free = free_vars(bot.func, &stmt.op);
            if free.iter().any(|&v| sizes.varying.contains(&v) || !bot.is_steady(v)) {
                sizes.varying.extend(&stmt.vars);
            }
            let fails = may_fail_deep(bot.func, &stmt.op) || bot.relies_on_points(&stmt.op);
            if bot.guard.is_some() || fails || free.iter().any(|&v| sizes.is_local(v)) {
                sizes.local.extend(&stmt.vars);
            }
        }
        sizes
    }

    fn is_local(&self, var: VarId) -> bool {
        self.local.contains(&var) || self.bot.deps_of_var(var) != 0 || self.bot.is_guarded(var)
    }

    /// Whether it is neither a polynomial of indices nor the same at every point.
    fn is_irregular(&self, size: SizeId) -> bool {
        let of_data = |v: &VarId| {
            let index = matches!(self.bot.places.get(v), Some(Location::Axis(_)));
            self.varying.contains(v) || !index && !self.bot.is_steady(*v)
        };
        self.bot.func.types.poly(size).vars().iter().any(of_data)
    }

    /// Whether an array of this size would be padded.
    fn is_padded(&self, size: SizeId) -> bool {
        self.bot.func.types.poly(size).vars().iter().any(|&v| self.is_local(v))
    }
}

/// The arrays that cannot be padded: those with a checked index, and operands of statements without axes.
fn not_padded(block: &Block, out: &mut FxHashSet<VarId>) {
    for stmt in &block.stmts {
        match &stmt.op {
            Op::Read { array, checked: true, .. } => {
                out.insert(*array);
            }
            Op::Scatter { dest, checked: true, .. } => {
                out.insert(*dest);
            }
            Op::Reshape(array) | Op::Argsort(array) => {
                out.insert(*array);
                out.extend(&stmt.vars);
            }
            Op::StopGradient(atom) => out.extend(atom.var()),
            _ => {}
        }
        stmt.op.blocks().into_iter().for_each(|b| not_padded(b, out));
        // State has one size from the first to the last iteration.
        if let Op::Loop { inits, .. } | Op::While { inits, .. } = &stmt.op
            && stmt.op.blocks().into_iter().flat_map(|b| &b.params).any(|p| out.contains(p))
        {
            out.extend(inits.iter().filter_map(|a| a.var()).chain(stmt.vars.iter().copied()));
        }
    }
}
