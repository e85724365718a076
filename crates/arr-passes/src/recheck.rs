//! Checks indices again that rounding could have changed.
//!
//! ```text
//! b: f64 = mul a, w              b: f64 = mul a, w
//! i: i64 = i64 b                 i: i64 = i64 b
//! c: f64 = read! t[i]       =>   c: f64 = read t[i]
//! ```
//!
//! Reverse mode computes again what the program has computed before, and does not check indices a second time: they were
//! inside. Relaxed code may round the second time differently, as its products are contracted into other sums, so that an index made
//! of floats, or one that a comparison of floats has let pass, may be another than the one that was checked. Such an
//! index is checked wherever it is used.
//!
//! Assumes:      a verified bulk function without `vjp` and `jvp`.
//! Guarantees:   the function is as it was, but for reads and scatters that are checked; errors occur only where code that
//!               rounds differently leaves an array.
//! Leaves alone: indices of kernels and loops over the axis that they index, constants inside, positions of extremes and of orders, which
//!               are inside whatever was rounded, and what depends on comparisons of numbers that nothing has rounded.
//! Cost:         O(statements x nesting depth of loops).
//! Tests:        tests/recheck/

use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Reduction, ScatterKind, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Marks such reads and scatters as checked, in place.
pub fn recheck(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    let mut rounded = Rounded::new(func);
    rounded.block(&body);
    rounded.mark(&mut body, false);
    func.body = body;
}

/// What depends on rounded floats.
struct Rounded<'f> {
    func: &'f Func,
    /// Numbers, truth values and arrays of them that another rounding may change.
    vars: FxHashSet<VarId>,
    /// Positions that another rounding may change, but that are inside of what was searched or ordered.
    chosen: FxHashSet<VarId>,
    /// What an index runs over.
    extents: FxHashMap<VarId, SizeId>,
}

impl<'f> Rounded<'f> {
    fn new(func: &'f Func) -> Self {
        Rounded { func, vars: FxHashSet::default(), chosen: FxHashSet::default(), extents: FxHashMap::default() }
    }

    fn is(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|v| self.vars.contains(&v))
    }

    fn is_chosen(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|v| self.chosen.contains(&v))
    }

    fn size_is(&self, size: SizeId) -> bool {
        self.func.types.poly(size).vars().iter().any(|v| self.vars.contains(v))
    }

    fn note(&mut self, var: VarId, rounded: bool, chosen: bool) {
        if rounded {
            self.vars.insert(var);
        }
        if chosen {
            self.chosen.insert(var);
        }
    }

    /// A variable is what an operand is.
    fn follow(&mut self, var: VarId, from: Atom) {
        self.note(var, self.is(from), self.is_chosen(from));
    }

    fn follow_all(&mut self, vars: &[VarId], from: &[Atom]) {
        vars.iter().zip(from).for_each(|(&var, &atom)| self.follow(var, atom));
    }

    fn known(&self) -> usize {
        self.vars.len() + self.chosen.len()
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.axes(stmt.op.axes());
            self.stmt(stmt);
        }
    }

    fn axes(&mut self, axes: &[Axis]) {
        for axis in axes {
            self.extents.insert(axis.index, axis.extent);
            self.note(axis.index, self.size_is(axis.extent), false);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.op {
            Op::Prim(prim, args) => {
                let float = stmt.vars.iter().any(|&v| self.func.ty(v).elem.is_float());
                let rounded = float && rounds(*prim) || args.iter().any(|&a| self.is(a) || self.is_chosen(a));
                stmt.vars.iter().for_each(|&v| self.note(v, rounded, false));
            }
            Op::Size(size) => {
                let rounded = self.size_is(*size);
                stmt.vars.iter().for_each(|&v| self.note(v, rounded, false));
            }
            Op::Read { array, index, .. } => {
                let from = Atom::Var(*array);
                let rounded = self.is(from) || index.iter().any(|&i| self.is(i) || self.is_chosen(i));
                let chosen = self.is_chosen(from);
                stmt.vars.iter().for_each(|&v| self.note(v, rounded, chosen));
            }
            Op::Build { body, .. } => {
                self.block(body);
                self.follow_all(&stmt.vars, &body.results);
            }
            Op::Reduce { kind, body, .. } => {
                self.block(body);
                self.reduced(*kind, stmt, body);
            }
            Op::Scatter { kind, dest, body, .. } => {
                self.block(body);
                self.scattered(*kind, *dest, stmt, body);
            }
            Op::Loop { inits, body, .. } => self.repeat(&stmt.vars, inits, None, body),
            Op::While { inits, cond, body } => self.repeat(&stmt.vars, inits, Some(cond), body),
            Op::If { cond, then_block, else_block } => {
                self.block(then_block);
                self.block(else_block);
                self.follow_all(&stmt.vars, &then_block.results);
                self.follow_all(&stmt.vars, &else_block.results);
                if self.is(*cond) {
                    self.vars.extend(&stmt.vars);
                }
            }
            Op::Reshape(array) => self.follow_all(&stmt.vars, &[Atom::Var(*array)]),
            Op::Argsort(array) => {
                let rounded = self.is(Atom::Var(*array));
                stmt.vars.iter().for_each(|&v| self.note(v, false, rounded));
            }
            Op::StopGradient(from) => self.follow_all(&stmt.vars, &[*from]),
            Op::Barrier(from) => self.follow_all(&stmt.vars, from),
            Op::Literal(_) | Op::Check { .. } => {}
            // Gone at this level; nothing is known of their results.
            Op::Vjp { .. } | Op::Jvp { .. } | Op::Custom { .. } => self.vars.extend(&stmt.vars),
        }
    }

    fn reduced(&mut self, kind: Reduction, stmt: &Stmt, body: &Block) {
        for (&var, &result) in stmt.vars.iter().zip(&body.results) {
            let rounded = self.is(result) || self.is_chosen(result);
            match kind {
                Reduction::ArgMax | Reduction::ArgMin => self.note(var, false, rounded),
                Reduction::Sum | Reduction::Product if self.func.ty(var).elem.is_float() => self.note(var, true, false),
                _ => self.note(var, rounded, false),
            }
        }
    }

    fn scattered(&mut self, kind: ScatterKind, dest: VarId, stmt: &Stmt, body: &Block) {
        let adds = !matches!(kind, ScatterKind::Set);
        for &var in &stmt.vars {
            let float = self.func.ty(var).elem.is_float();
            let write = self.func.ty(var).rank() + 2;
            let values: Vec<Atom> = body.results.iter().skip(write - 1).step_by(write).copied().collect();
            let places = body.results.iter().enumerate().filter(|(k, _)| k % write != write - 1).map(|(_, &a)| a);
            let moved = places.into_iter().any(|a| self.is(a) || self.is_chosen(a));
            let rounded = moved || adds && (float || values.iter().any(|&a| self.is_chosen(a)));
            self.note(var, rounded, false);
            self.follow(var, Atom::Var(dest));
            values.into_iter().for_each(|a| self.follow(var, a));
        }
    }

    /// The params of a loop are what its state is in any iteration.
    fn repeat(&mut self, vars: &[VarId], inits: &[Atom], cond: Option<&Block>, body: &Block) {
        loop {
            let before = self.known();
            for params in cond.map(|c| &c.params).into_iter().chain([&body.params]) {
                self.follow_all(params, inits);
                self.follow_all(params, &body.results);
            }
            cond.into_iter().chain([body]).for_each(|block| self.block(block));
            if self.known() == before {
                break;
            }
        }
        self.follow_all(vars, inits);
        self.follow_all(vars, &body.results);
        if cond.is_some_and(|cond| cond.results.iter().any(|&r| self.is(r))) {
            // How often such a loop runs is rounded, and so is what differs from one iteration to the next.
            let changes = vars.iter().zip(&body.results).zip(&body.params);
            self.vars
                .extend(changes.filter(|((_, result), param)| **result != Atom::Var(**param)).map(|((v, _), _)| v));
        }
    }

    /// Marks what is not known to be inside. `may_not_run` says that a comparison of rounded numbers decides whether the block runs.
    fn mark(&self, block: &mut Block, may_not_run: bool) {
        for stmt in &mut block.stmts {
            let here = may_not_run
                || match &stmt.op {
                    Op::If { cond, .. } => self.is(*cond),
                    Op::While { cond, .. } => cond.results.iter().any(|&r| self.is(r)),
                    _ => false,
                };
            match &mut stmt.op {
                Op::Read { array, index, checked } => *checked |= self.may_leave(*array, index, may_not_run),
                Op::Scatter { dest, body, checked, .. } => *checked |= self.write_may_leave(*dest, body, may_not_run),
                _ => {}
            }
            stmt.op.blocks_mut().into_iter().for_each(|block| self.mark(block, here));
        }
    }

    fn write_may_leave(&self, dest: VarId, body: &Block, may_not_run: bool) -> bool {
        let write = self.func.ty(dest).rank() + 2;
        body.results.chunks(write).any(|parts| match parts {
            [guard, index @ .., _] => self.may_leave(dest, index, may_not_run || self.is(*guard)),
            _ => false,
        })
    }

    fn may_leave(&self, array: VarId, index: &[Atom], may_not_run: bool) -> bool {
        let dims = &self.func.ty(array).dims;
        index.iter().zip(dims).any(|(&i, &dim)| (may_not_run || self.is(i)) && !self.inside(i, dim))
    }

    fn inside(&self, index: Atom, dim: SizeId) -> bool {
        match index {
            Atom::Var(v) => self.extents.get(&v) == Some(&dim) || self.chosen.contains(&v) && !self.vars.contains(&v),
            Atom::Const(c) => {
                let extent = self.func.types.poly(dim).as_constant();
                c.as_i64().zip(extent).is_some_and(|(i, n)| 0 <= i && i < n)
            }
        }
    }
}

/// Whether a float that is made so may differ in its last digits from one made elsewhere of the same numbers.
fn rounds(prim: Prim) -> bool {
    !matches!(
        prim,
        Prim::Neg
            | Prim::Abs
            | Prim::Sign
            | Prim::Min
            | Prim::Max
            | Prim::Floor
            | Prim::Ceil
            | Prim::Round
            | Prim::Select
            | Prim::ToF32
            | Prim::ToF64
    )
}
