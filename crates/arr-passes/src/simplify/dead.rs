//! Dead-code elimination: removes unused statements, unused results of statements with several, and loop state that
//! only feeds itself. Marks from the function's results backwards, then sweeps; each is one walk.
//!
//! Code that can stop the program is live too: an operation that may fail is kept though its result is not used, so
//! that a program gives the same error however it is optimised.
//!
//! A `trace` is treated as a `check` is: it is seen, whether results are used or not.
//!
//! A `check` is live as long as the block around it runs: those of the function's body, of `if`s, of loops and of
//! `build`s that have no results but exist for their checks always, those in another kernel when one of the kernel's
//! results is.
//!
//! A `vjp`, a `jvp` or a `custom` whose body can stop the program does not change; a rule never runs.
//!
//! A read, a `scatter`, a `build` or a `reduce` without a live result keeps only the code that can stop the program
//! (see `unused`), so that the arrays it reads are not made for its sake.

use super::unused;
use arr_ir::rewrite::for_each_stmt;
use arr_ir::{Atom, Block, Edge, Func, Op, Prim, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether anything was removed.
pub(super) fn remove_dead(func: &mut Func) -> bool {
    let (live, checked) = Marker::mark(func);
    let mut body = std::mem::take(&mut func.body);
    let mut sweeper = Sweeper { func, live, checked, removed: false };
    sweeper.block(&mut body);
    let removed = sweeper.removed;
    func.body = body;
    removed
}

/// Where a variable is bound.
#[derive(Clone, Copy)]
enum Site<'b> {
    Result(&'b Stmt, usize),
    /// Loop state `k` inside the loop.
    State(&'b Stmt, usize),
}

struct Marker<'b> {
    func: &'b Func,
    sites: FxHashMap<VarId, Site<'b>>,
    live: FxHashSet<VarId>,
    /// First results of the kernels whose checks are marked.
    entered: FxHashSet<VarId>,
    /// The results of reads and kernels of which only the code that can stop the program is live.
    checked: FxHashSet<VarId>,
    /// The extents of the axes around the present code: it runs, so they are positive.
    extents: Vec<SizeId>,
    work: Vec<VarId>,
}

impl<'b> Marker<'b> {
    fn mark(func: &'b Func) -> (FxHashSet<VarId>, FxHashSet<VarId>) {
        let mut marker = Marker {
            func,
            sites: FxHashMap::default(),
            live: FxHashSet::default(),
            entered: FxHashSet::default(),
            checked: FxHashSet::default(),
            extents: Vec::new(),
            work: Vec::new(),
        };
        marker.collect(&func.body);
        marker.atoms(&func.body.results);
        marker.edge(&func.edge_result);
        marker.checks(&func.body, false);
        while let Some(v) = marker.work.pop() {
            marker.visit(v);
        }
        (marker.live, marker.checked)
    }

    fn collect(&mut self, block: &'b Block) {
        for_each_stmt(&block.stmts, &mut |stmt| {
            for (k, &v) in stmt.vars.iter().enumerate() {
                self.sites.insert(v, Site::Result(stmt, k));
            }
            if matches!(stmt.op, Op::Loop { .. } | Op::While { .. }) {
                for block in stmt.op.blocks() {
                    self.sites.extend(block.params.iter().enumerate().map(|(k, &p)| (p, Site::State(stmt, k))));
                }
            }
        });
    }

    fn var(&mut self, v: VarId) {
        if self.live.insert(v) {
            self.work.push(v);
        }
    }

    fn atom(&mut self, atom: Option<&Atom>) {
        if let Some(&Atom::Var(v)) = atom {
            self.var(v);
        }
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        for a in atoms {
            self.atom(Some(a));
        }
    }

    fn size(&mut self, size: SizeId) {
        for v in self.func.types.poly(size).vars() {
            self.var(v);
        }
    }

    fn edge(&mut self, edge: &Edge) {
        match edge {
            Edge::Scalar(_) => {}
            Edge::Array(size, inner) => {
                self.size(*size);
                self.edge(inner);
            }
            Edge::Tuple(items) => items.iter().for_each(|e| self.edge(e)),
            Edge::Record(fields) => fields.iter().for_each(|(_, e)| self.edge(e)),
            Edge::Sum { constructors, .. } => constructors.iter().flat_map(|(_, f)| f).for_each(|e| self.edge(e)),
        }
    }

    /// Marks the operands of the checks of a block, including those in branches and loops; returns whether there are
    /// any. `inside` says whether the block is part of a kernel.
    fn checks(&mut self, block: &'b Block, inside: bool) -> bool {
        let mut any = false;
        for stmt in &block.stmts {
            any |= self.checks_of(stmt, inside);
        }
        any
    }

    fn checks_of(&mut self, stmt: &'b Stmt, inside: bool) -> bool {
        match &stmt.op {
            Op::Check { args, .. } | Op::Trace { args, .. } => {
                self.atoms(args);
                true
            }
            Op::Read { array, index, checked: true } => {
                self.atoms(index);
                self.dims(*array);
                self.checked.extend(&stmt.vars);
                true
            }
            Op::Scatter { .. } | Op::Build { .. } | Op::Reduce { .. } if self.stops(stmt) => {
                if unused::becomes_checks(&stmt.op, inside) {
                    self.checks_of_kernel(stmt);
                } else {
                    stmt.vars.first().into_iter().for_each(|&v| self.var(v));
                }
                true
            }
            // They are computed whole: their dead parts become visible when the derivative has been taken.
            Op::Custom { body, .. } | Op::Vjp { body, .. } | Op::Jvp { body, .. } if self.body_stops(body) => {
                stmt.vars.first().into_iter().for_each(|&v| self.var(v));
                true
            }
            op if is_leaf(op) && may_stop(self.func, op, &self.extents) => {
                stmt.vars.first().into_iter().for_each(|&v| self.var(v));
                true
            }
            op if is_control(op, stmt) => {
                let inside = inside || matches!(op, Op::Build { .. });
                let mut any = false;
                let open = self.extents.len();
                self.extents.extend(op.axes().iter().map(|a| a.extent));
                for inner in stmt.op.blocks() {
                    any |= self.checks(inner, inside);
                }
                self.extents.truncate(open);
                if any {
                    self.header(&stmt.op);
                }
                any
            }
            _ => false,
        }
    }

    /// Marks the operands of the checks of a kernel of which nothing else may be left.
    fn checks_of_kernel(&mut self, stmt: &'b Stmt) {
        self.checked.extend(&stmt.vars);
        for size in stmt.op.sizes() {
            self.size(size);
        }
        let open = self.extents.len();
        self.extents.extend(stmt.op.axes().iter().map(|a| a.extent));
        match &stmt.op {
            Op::Scatter { dest, body, checked, .. } => {
                if *checked {
                    self.dims(*dest);
                    for write in body.results.chunks(self.func.ty(*dest).dims.len() + 2) {
                        if let Some((_, places)) = write.split_last() {
                            self.atoms(places);
                        }
                    }
                }
                self.checks(body, true);
            }
            Op::Build { body, .. } | Op::Reduce { body, .. } => match unused::reduction_of(body) {
                Some(inner) => self.checks_of_kernel(inner),
                None => {
                    self.checks(body, true);
                }
            },
            _ => {}
        }
        self.extents.truncate(open);
    }

    /// Marks the variables in the extents of an array.
    fn dims(&mut self, array: VarId) {
        for &dim in &self.func.ty(array).dims {
            self.size(dim);
        }
    }

    /// Whether the kernel can stop the program, apart from its checks, so that it must run though no result is used.
    fn stops(&self, stmt: &Stmt) -> bool {
        !stmt.vars.is_empty() && kernel_stops(self.func, &stmt.op, &mut self.extents.clone())
    }

    fn body_stops(&self, body: &Block) -> bool {
        body.stmts.iter().any(|s| kernel_stops(self.func, &s.op, &mut self.extents.clone()))
    }

    /// Marks the operands that the operation needs for any of its results.
    fn header(&mut self, op: &'b Op) {
        for size in op.sizes() {
            self.size(size);
        }
        match op {
            Op::Loop { .. } | Op::Barrier(_) => {}
            // The number of iterations depends on the condition.
            Op::While { cond, .. } => self.atoms(&cond.results),
            _ => self.atoms(&op.operands()),
        }
    }

    fn visit(&mut self, v: VarId) {
        self.dims(v);
        match self.sites.get(&v).copied() {
            None => {}
            Some(Site::State(stmt, k)) => {
                if let Some(&result) = stmt.vars.get(k) {
                    self.var(result);
                }
            }
            Some(Site::Result(stmt, k)) => self.result(stmt, k),
        }
    }

    fn result(&mut self, stmt: &'b Stmt, k: usize) {
        let first = stmt.vars.first().is_some_and(|&v| self.entered.insert(v));
        self.header(&stmt.op);
        match &stmt.op {
            Op::Build { body, .. } | Op::Reduce { body, .. } => {
                self.atom(body.results.get(k));
                if first {
                    self.checks(body, true);
                }
            }
            Op::If { then_block, else_block, .. } => {
                self.atom(then_block.results.get(k));
                self.atom(else_block.results.get(k));
            }
            Op::Loop { inits, body, .. } => {
                self.atom(inits.get(k));
                self.atom(body.results.get(k));
                if let Some(&p) = body.params.get(k) {
                    self.var(p);
                }
            }
            Op::While { inits, body, cond } => {
                self.atom(inits.get(k));
                self.atom(body.results.get(k));
                for block in [body, cond] {
                    block.params.get(k).into_iter().for_each(|&p| self.var(p));
                }
            }
            Op::Barrier(args) => self.atom(args.get(k)),
            Op::Scatter { body, .. } => {
                self.atoms(&body.results);
                self.checks(body, true);
            }
            Op::Vjp { .. } | Op::Jvp { .. } | Op::Custom { .. } => {
                stmt.vars.iter().for_each(|&u| self.var(u));
                for block in stmt.op.blocks() {
                    self.atoms(&block.results);
                    block.params.iter().for_each(|&u| self.var(u));
                    self.checks(block, false);
                }
            }
            _ => {}
        }
    }
}

/// Scalar operations without blocks.
fn is_leaf(op: &Op) -> bool {
    op.blocks().is_empty()
}

/// Whether the operation itself can stop the program if axes of the given extents have points: a division by one of
/// these cannot.
fn may_stop(func: &Func, op: &Op, extents: &[SizeId]) -> bool {
    if let Op::Prim(Prim::Div | Prim::Rem, args) = op
        && let [_, Atom::Var(divisor)] = args.as_slice()
        && extents.iter().any(|&e| func.types.poly(e).as_var() == Some(*divisor))
    {
        return false;
    }
    op.may_fail(func)
}

fn kernel_stops(func: &Func, op: &Op, extents: &mut Vec<SizeId>) -> bool {
    let open = extents.len();
    let own = may_stop(func, op, extents);
    extents.extend(op.axes().iter().map(|a| a.extent));
    let stops = own || op.blocks().iter().any(|b| b.stmts.iter().any(|s| kernel_stops(func, &s.op, extents)));
    extents.truncate(open);
    stops
}

/// Whether the checks in the operation's blocks are live regardless of its results.
fn is_control(op: &Op, stmt: &Stmt) -> bool {
    match op {
        Op::If { .. } | Op::Loop { .. } | Op::While { .. } => true,
        Op::Build { .. } => stmt.vars.is_empty(),
        _ => false,
    }
}

pub(super) struct Sweeper<'f> {
    pub(super) func: &'f mut Func,
    live: FxHashSet<VarId>,
    checked: FxHashSet<VarId>,
    removed: bool,
}

impl Sweeper<'_> {
    /// Sweeps a block; returns whether code that can stop the program is left in it.
    pub(super) fn block(&mut self, block: &mut Block) -> bool {
        let mut checks = false;
        for mut stmt in std::mem::take(&mut block.stmts) {
            let is = |set: &FxHashSet<VarId>| stmt.vars.iter().any(|v| set.contains(v));
            if is(&self.checked) && !is(&self.live) {
                checks |= self.only_checks(stmt, &mut block.stmts);
                self.removed = true;
                continue;
            }
            let (keep, check) = self.stmt(&mut stmt);
            checks |= check;
            if keep {
                block.stmts.push(stmt);
            } else {
                self.removed = true;
            }
        }
        checks
    }

    fn stmt(&mut self, stmt: &mut Stmt) -> (bool, bool) {
        let used = stmt.vars.iter().any(|v| self.live.contains(v));
        let fails = stmt.op.may_fail(self.func);
        match &mut stmt.op {
            Op::Check { .. } | Op::Trace { .. } => (true, true),
            Op::If { then_block, else_block, .. } => {
                let checks = self.block(then_block) | self.block(else_block);
                let kept = self.kept(&mut stmt.vars);
                for block in [then_block, else_block] {
                    retain(&mut block.results, &kept);
                }
                (used || checks, checks)
            }
            Op::Loop { inits, body, .. } => {
                let checks = self.block(body);
                let kept = self.kept(&mut stmt.vars);
                retain(inits, &kept);
                retain(&mut body.params, &kept);
                retain(&mut body.results, &kept);
                (used || checks, checks)
            }
            Op::While { inits, cond, body } => {
                let checks = self.block(cond) | self.block(body);
                let kept = self.kept(&mut stmt.vars);
                retain(inits, &kept);
                for block in [&mut *cond, &mut *body] {
                    retain(&mut block.params, &kept);
                }
                retain(&mut body.results, &kept);
                (used || checks, checks)
            }
            Op::Build { body, .. } if stmt.vars.is_empty() => {
                let checks = self.block(body);
                (checks, checks)
            }
            _ if !used => (false, false),
            Op::Barrier(args) => {
                let kept = self.kept(&mut stmt.vars);
                retain(args, &kept);
                (true, false)
            }
            Op::Build { body, .. } | Op::Reduce { body, .. } => {
                let checks = self.block(body);
                let kept = self.kept(&mut stmt.vars);
                retain(&mut body.results, &kept);
                (true, checks || fails)
            }
            op => {
                let mut checks = fails;
                for block in op.blocks_mut() {
                    checks |= self.block(block);
                }
                (true, checks)
            }
        }
    }

    /// Drops the unused variables, and returns which were kept.
    fn kept(&mut self, vars: &mut Vec<VarId>) -> Vec<bool> {
        let kept: Vec<bool> = vars.iter().map(|v| self.live.contains(v)).collect();
        self.removed |= kept.contains(&false);
        retain(vars, &kept);
        kept
    }
}

fn retain<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter().copied();
    items.retain(|_| flags.next().unwrap_or(true));
}
