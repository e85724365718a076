//! Walking and rewriting: operands, nested blocks, free variables, substitution, and copies with fresh names.

use crate::rewrite::any_op;
use crate::{Atom, Axis, Block, Func, Op, SizeId, Stmt, Type, TypeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Op {
    /// The blocks nested directly in this operation.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Op::Build { body, .. }
            | Op::Reduce { body, .. }
            | Op::Scatter { body, .. }
            | Op::Loop { body, .. }
            | Op::Vjp { body, .. }
            | Op::Jvp { body, .. } => vec![body],
            Op::If { then_block, else_block, .. } => vec![then_block, else_block],
            Op::While { cond, body, .. } => vec![cond, body],
            Op::Custom { body, rule, .. } => vec![body, rule],
            Op::Prim(..)
            | Op::Size(_)
            | Op::Literal(_)
            | Op::Read { .. }
            | Op::Reshape(_)
            | Op::Argsort(_)
            | Op::Check { .. }
            | Op::Call { .. }
            | Op::Trace { .. }
            | Op::Barrier(_)
            | Op::StopGradient(_) => Vec::new(),
        }
    }

    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Op::Build { body, .. }
            | Op::Reduce { body, .. }
            | Op::Scatter { body, .. }
            | Op::Loop { body, .. }
            | Op::Vjp { body, .. }
            | Op::Jvp { body, .. } => vec![body],
            Op::If { then_block, else_block, .. } => vec![then_block, else_block],
            Op::While { cond, body, .. } => vec![cond, body],
            Op::Custom { body, rule, .. } => vec![body, rule],
            Op::Prim(..)
            | Op::Size(_)
            | Op::Literal(_)
            | Op::Read { .. }
            | Op::Reshape(_)
            | Op::Argsort(_)
            | Op::Check { .. }
            | Op::Call { .. }
            | Op::Trace { .. }
            | Op::Barrier(_)
            | Op::StopGradient(_) => Vec::new(),
        }
    }

    /// Whether the operation is a kernel: its body runs for each point of its axes.
    pub fn is_kernel(&self) -> bool {
        matches!(self, Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. })
    }

    /// The axes this operation binds.
    pub fn axes(&self) -> &[Axis] {
        match self {
            Op::Build { axes, .. } | Op::Reduce { axes, .. } | Op::Scatter { axes, .. } => axes,
            Op::Loop { axis, .. } => std::slice::from_ref(axis),
            Op::Prim(..)
            | Op::Size(_)
            | Op::Literal(_)
            | Op::Read { .. }
            | Op::If { .. }
            | Op::While { .. }
            | Op::Reshape(_)
            | Op::Argsort(_)
            | Op::Check { .. }
            | Op::Trace { .. }
            | Op::Vjp { .. }
            | Op::Jvp { .. }
            | Op::Custom { .. }
            | Op::Call { .. }
            | Op::Barrier(_)
            | Op::StopGradient(_) => &[],
        }
    }

    pub fn axes_mut(&mut self) -> &mut [Axis] {
        match self {
            Op::Build { axes, .. } | Op::Reduce { axes, .. } | Op::Scatter { axes, .. } => axes,
            Op::Loop { axis, .. } => std::slice::from_mut(axis),
            Op::Prim(..)
            | Op::Size(_)
            | Op::Literal(_)
            | Op::Read { .. }
            | Op::If { .. }
            | Op::While { .. }
            | Op::Reshape(_)
            | Op::Argsort(_)
            | Op::Check { .. }
            | Op::Trace { .. }
            | Op::Vjp { .. }
            | Op::Jvp { .. }
            | Op::Custom { .. }
            | Op::Call { .. }
            | Op::Barrier(_)
            | Op::StopGradient(_) => &mut [],
        }
    }

    /// The operands of the operation itself (not of its blocks), in order. Arrays are given as atoms.
    pub fn operands(&self) -> Vec<Atom> {
        match self {
            Op::Prim(_, args)
            | Op::Check { args, .. }
            | Op::Trace { args, .. }
            | Op::Call { args, .. }
            | Op::Barrier(args) => args.clone(),
            Op::Size(_) | Op::Literal(_) | Op::Build { .. } | Op::Reduce { .. } => Vec::new(),
            Op::Read { array, index, .. } => std::iter::once(Atom::Var(*array)).chain(index.iter().copied()).collect(),
            Op::Scatter { dest, .. } => vec![Atom::Var(*dest)],
            Op::Loop { inits, .. } | Op::While { inits, .. } | Op::Custom { inputs: inits, .. } => inits.clone(),
            Op::If { cond, .. } => vec![*cond],
            Op::Reshape(array) | Op::Argsort(array) => vec![Atom::Var(*array)],
            Op::Vjp { inputs, seeds, .. } => inputs.iter().chain(seeds).copied().collect(),
            Op::Jvp { inputs, tangents, .. } => inputs.iter().chain(tangents).copied().collect(),
            Op::StopGradient(a) => vec![*a],
        }
    }

    /// Rewrites every operand of the operation itself. An array operand must stay a variable: a constant given for one
    /// is ignored.
    pub fn map_operands(&mut self, f: &mut dyn FnMut(Atom) -> Atom) {
        fn array(v: &mut VarId, f: &mut dyn FnMut(Atom) -> Atom) {
            if let Atom::Var(w) = f(Atom::Var(*v)) {
                *v = w;
            }
        }
        fn all(atoms: &mut [Atom], f: &mut dyn FnMut(Atom) -> Atom) {
            for a in atoms {
                *a = f(*a);
            }
        }
        match self {
            Op::Prim(_, args)
            | Op::Check { args, .. }
            | Op::Trace { args, .. }
            | Op::Call { args, .. }
            | Op::Barrier(args) => all(args, f),
            Op::Size(_) | Op::Literal(_) | Op::Build { .. } | Op::Reduce { .. } => {}
            Op::Read { array: a, index, .. } => {
                array(a, f);
                all(index, f);
            }
            Op::Scatter { dest, .. } => array(dest, f),
            Op::Loop { inits, .. } | Op::While { inits, .. } | Op::Custom { inputs: inits, .. } => all(inits, f),
            Op::If { cond, .. } => *cond = f(*cond),
            Op::Reshape(a) | Op::Argsort(a) => array(a, f),
            Op::Vjp { inputs, seeds, .. } => {
                all(inputs, f);
                all(seeds, f);
            }
            Op::Jvp { inputs, tangents, .. } => {
                all(inputs, f);
                all(tangents, f);
            }
            Op::StopGradient(a) => *a = f(*a),
        }
    }

    /// The sizes the operation itself mentions (axis extents and `size`).
    pub fn sizes(&self) -> Vec<SizeId> {
        match self {
            Op::Size(s) => vec![*s],
            _ => self.axes().iter().map(|a| a.extent).collect(),
        }
    }

    pub fn map_sizes(&mut self, f: &mut dyn FnMut(SizeId) -> SizeId) {
        if let Op::Size(s) = self {
            *s = f(*s);
        }
        for axis in self.axes_mut() {
            axis.extent = f(axis.extent);
        }
    }

    /// Whether evaluating the operation can stop the program with a run-time error, or is seen (not counting its blocks).
    pub fn may_fail(&self, func: &Func) -> bool {
        match self {
            Op::Prim(p, args) => match args.as_slice() {
                [_, Atom::Const(c)] if !c.is_zero() => false,
                [a, ..] => p.may_fail(func.atom_elem(*a)),
                [] => false,
            },
            Op::Read { checked, .. } | Op::Scatter { checked, .. } => *checked,
            // A trace stops nothing, but is seen: it stays where it is for the reasons that keep a check there.
            Op::Check { .. } | Op::Trace { .. } => true,
            Op::Call { callee, .. } => callee.may_fail,
            Op::Reduce { kind, .. } => !kind.has_identity(),
            Op::Size(_)
            | Op::Literal(_)
            | Op::Build { .. }
            | Op::Loop { .. }
            | Op::If { .. }
            | Op::While { .. }
            | Op::Reshape(_)
            | Op::Argsort(_)
            | Op::Vjp { .. }
            | Op::Jvp { .. }
            | Op::Custom { .. }
            | Op::Barrier(_)
            | Op::StopGradient(_) => false,
        }
    }
}

/// Whether evaluating the operation or anything in its blocks can stop the program, or is seen.
pub fn may_fail_deep(func: &Func, op: &Op) -> bool {
    any_op(op, &mut |op| op.may_fail(func))
}

/// Whether the operation still contains a derivative to be taken.
pub fn has_derivative(op: &Op) -> bool {
    any_op(op, &mut |op| matches!(op, Op::Vjp { .. } | Op::Jvp { .. }))
}

/// Whether the operation is a trace or contains one: it is then not executed more or less often, nor in another order.
pub fn has_trace(op: &Op) -> bool {
    any_op(op, &mut |op| matches!(op, Op::Trace { .. }))
}

/// Whether any statement has a trace: see [`has_trace`].
pub fn has_traces(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| has_trace(&stmt.op))
}

/// Removes the traces of code that has run before, to any depth, but those of declared derivatives, which have not.
pub fn drop_shown(stmts: &mut Vec<Stmt>) {
    stmts.retain(|stmt| !matches!(stmt.op, Op::Trace { .. }));
    for stmt in stmts {
        match &mut stmt.op {
            Op::Custom { body, .. } => drop_shown(&mut body.stmts),
            op => op.blocks_mut().into_iter().for_each(|block| drop_shown(&mut block.stmts)),
        }
    }
}

/// Removes all traces, to any depth.
pub fn drop_traces(stmts: &mut Vec<Stmt>) {
    stmts.retain(|stmt| !matches!(stmt.op, Op::Trace { .. }));
    stmts.iter_mut().flat_map(|stmt| stmt.op.blocks_mut()).for_each(|block| drop_traces(&mut block.stmts));
}

/// Whether the operation contains a loop that is not known to end.
pub fn may_run_forever(op: &Op) -> bool {
    any_op(op, &mut |op| matches!(op, Op::While { .. }))
}

/// Calls `f` for every variable that the operation reads, in operands, sizes and nested blocks, bound inside or not.
pub fn for_each_use(func: &Func, op: &Op, f: &mut dyn FnMut(VarId)) {
    for atom in op.operands() {
        if let Atom::Var(v) = atom {
            f(v);
        }
    }
    for size in op.sizes() {
        for v in func.types.poly(size).vars() {
            f(v);
        }
    }
    for block in op.blocks() {
        for_each_use_in_block(func, block, f);
    }
}

/// [`for_each_use`] over a block's statements and results.
pub fn for_each_use_in_block(func: &Func, block: &Block, f: &mut dyn FnMut(VarId)) {
    for stmt in &block.stmts {
        for_each_use(func, &stmt.op, f);
        // Sizes in an array's type may not be mentioned anywhere else.
        for &v in &stmt.vars {
            for &dim in &func.ty(v).dims {
                for u in func.types.poly(dim).vars() {
                    f(u);
                }
            }
        }
    }
    for atom in &block.results {
        if let Atom::Var(v) = atom {
            f(*v);
        }
    }
}

/// The variables bound in the operation's blocks, to any depth: axis indices, params and statement results.
pub fn bound_in_op(op: &Op, out: &mut FxHashSet<VarId>) {
    for axis in op.axes() {
        out.insert(axis.index);
    }
    for block in op.blocks() {
        bound_in_block(block, out);
    }
}

/// The variables bound in a block, to any depth, params included.
pub fn bound_in_block(block: &Block, out: &mut FxHashSet<VarId>) {
    out.extend(&block.params);
    for stmt in &block.stmts {
        out.extend(&stmt.vars);
        bound_in_op(&stmt.op, out);
    }
}

/// The variables that an operation reads from outside, each once, in order of first use.
pub fn free_vars(func: &Func, op: &Op) -> Vec<VarId> {
    let mut bound = FxHashSet::default();
    bound_in_op(op, &mut bound);
    let mut seen = FxHashSet::default();
    let mut free = Vec::new();
    for_each_use(func, op, &mut |v| {
        if !bound.contains(&v) && seen.insert(v) {
            free.push(v);
        }
    });
    free
}

/// The variables that a block reads from outside (its params are not free), each once, in order of first use.
pub fn free_vars_of_block(func: &Func, block: &Block) -> Vec<VarId> {
    let mut bound = FxHashSet::default();
    bound_in_block(block, &mut bound);
    let mut seen = FxHashSet::default();
    let mut free = Vec::new();
    for_each_use_in_block(func, block, &mut |v| {
        if !bound.contains(&v) && seen.insert(v) {
            free.push(v);
        }
    });
    free
}

/// Replacement of variables by atoms, applied to operands, sizes and the types of fresh variables.
#[derive(Clone, Debug, Default)]
pub struct Subst {
    pub map: FxHashMap<VarId, Atom>,
}

impl Subst {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn insert(&mut self, from: VarId, to: impl Into<Atom>) {
        self.map.insert(from, to.into());
    }

    /// Replaces the indices of axes by those of others, one by one.
    pub fn insert_axes(&mut self, from: &[Axis], to: &[Axis]) {
        for (a, b) in from.iter().zip(to) {
            self.insert(a.index, b.index);
        }
    }

    pub fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(v) => self.map.get(&v).copied().unwrap_or(atom),
            Atom::Const(_) => atom,
        }
    }

    /// The variable that replaces `v`; `v` itself when it is replaced by a constant (arrays never are).
    pub fn var(&self, v: VarId) -> VarId {
        self.atom(Atom::Var(v)).var().unwrap_or(v)
    }

    pub fn size(&self, func: &mut Func, size: SizeId) -> SizeId {
        let poly = func.types.poly(size);
        if self.map.is_empty() || poly.vars().iter().all(|v| !self.map.contains_key(v)) {
            return size;
        }
        let poly = poly.clone().substitute(&mut |v| self.map.get(&v).map(|&atom| func.size_poly(atom)));
        func.types.size(poly)
    }

    pub fn ty(&self, func: &mut Func, ty: TypeId) -> TypeId {
        let Type { elem, dims } = func.types.get(ty).clone();
        if dims.is_empty() {
            return ty;
        }
        let dims = dims.into_iter().map(|d| self.size(func, d)).collect();
        func.types.ty(Type { elem, dims })
    }

    /// The same axes with fresh indices, to which the substitution maps the old ones, and with substituted extents.
    pub fn fresh_axes(&mut self, func: &mut Func, axes: &[Axis]) -> Vec<Axis> {
        let fresh = |axis: &Axis| {
            let extent = self.size(func, axis.extent);
            Axis { index: self.fresh(func, axis.index), extent }
        };
        axes.iter().map(fresh).collect()
    }

    /// Binds a fresh variable for `v`, with its name and substituted type, and records the replacement.
    pub fn fresh(&mut self, func: &mut Func, v: VarId) -> VarId {
        let ty = self.ty(func, func.type_id(v));
        let fresh = func.copy_var(v);
        func.vars[fresh].ty = ty;
        self.insert(v, fresh);
        fresh
    }

    /// A copy of the block in which every bound variable is fresh. Call in a scope where the replacements are visible.
    pub fn clone_block(&mut self, func: &mut Func, block: &Block) -> Block {
        let params = block.params.iter().map(|&p| self.fresh(func, p)).collect();
        let stmts = block.stmts.iter().map(|s| self.clone_stmt(func, s)).collect();
        let results = block.results.iter().map(|&a| self.atom(a)).collect();
        Block { params, stmts, results }
    }

    /// A copy of the statement in which every bound variable is fresh.
    pub fn clone_stmt(&mut self, func: &mut Func, stmt: &Stmt) -> Stmt {
        let op = self.clone_op(func, &stmt.op);
        let vars = stmt.vars.iter().map(|&v| self.fresh(func, v)).collect();
        Stmt { vars, op, span: stmt.span }
    }

    pub fn clone_op(&mut self, func: &mut Func, op: &Op) -> Op {
        let mut op = op.clone();
        op.map_operands(&mut |a| self.atom(a));
        // Extents may mention the indices of earlier axes, so axes are renamed in order.
        if let Op::Size(s) = &mut op {
            *s = self.size(func, *s);
        }
        for axis in op.axes_mut() {
            let extent = self.size(func, axis.extent);
            *axis = Axis { index: self.fresh(func, axis.index), extent };
        }
        for block in op.blocks_mut() {
            *block = self.clone_block(func, block);
        }
        op
    }

    /// Applies the replacement in place, with no fresh variables. Types of bound variables are rewritten too.
    pub fn apply_to_block(&self, func: &mut Func, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.apply_to_stmt(func, stmt);
        }
        for p in &block.params {
            self.retype(func, *p);
        }
        for a in &mut block.results {
            *a = self.atom(*a);
        }
    }

    pub fn apply_to_stmt(&self, func: &mut Func, stmt: &mut Stmt) {
        stmt.op.map_operands(&mut |a| self.atom(a));
        stmt.op.map_sizes(&mut |s| self.size(func, s));
        for block in stmt.op.blocks_mut() {
            self.apply_to_block(func, block);
        }
        for &v in &stmt.vars {
            self.retype(func, v);
        }
    }

    fn retype(&self, func: &mut Func, v: VarId) {
        func.vars[v].ty = self.ty(func, func.vars[v].ty);
    }
}
