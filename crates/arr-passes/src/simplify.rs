//! Simplifies by algebra, constant folding, sharing, forwarding of views, and removal of dead code.
//!
//! ```text
//! y: [n]f64 = build i<n { a: f64 = read x[i]; yield a }         s: f64 = reduce sum i<n {
//! s: f64 = reduce sum i<n { b: f64 = read y[i]            =>      b: f64 = read x[i]
//!   c: f64 = mul b 1.0; yield c }                                 yield b }
//! ```
//!
//! Assumes:      a verified function of any level.
//! Guarantees:   the level is kept (by [`simplify_bulk`] for code that holds derivatives), values are unchanged (the
//!               sign of a float zero aside), no operation is executed more often, no new array is made. A run-time
//!               error stays, whether or not its operation's result is used, and no new one appears; which of several
//!               is raised first may change.
//! Leaves alone: invariant code inside a kernel or loop (see `hoist`), kernels that could be inlined into their readers
//!               (see `fuse`), the bodies of `vjp` and `jvp` as wholes (their insides are simplified).
//! Cost:         O(statements) per round, at most [`MAX_ROUNDS`] rounds; usually 2 or 3.
//! Paper:        Click, "Global Code Motion / Global Value Numbering" (the sharing); Shaikhha et al., "Efficient
//!               Differentiable Programming in a Functional Array-Processing Language", figure 9 (the array laws).
//! Tests:        tests/simplify/
//!
//! A round moves code into branches, then takes one walk forward, with the facts known so far: replacements, definitions, the table of available
//! operations by scope; then one mark-and-sweep of dead code. The parts:
//!
//! - `laws`, `term`, `scalar`: the table of laws, constant folding.
//! - `affine`: integers as polynomials, so that `i + 1 - 1` is `i`, and bounds that follow from extents.
//! - `view`, `read`: arrays that only rename elements of others, and reads of them.
//! - `kernel`, `control`, `repeat`: `build reduce scatter reshape`, `if`, and `loop while`; `dead_loop_state`: state
//!   that is never read.
//! - `sink`: moves code that only one branch uses into it.
//! - `dead`, `unused`: unused code, and what remains of it.

mod affine;
mod control;
mod dead;
mod dead_loop_state;
mod kernel;
mod laws;
mod read;
mod repeat;
mod scalar;
mod sink;
mod store_to_load;
mod term;
mod unused;
mod view;

pub use laws::{Class, LAWS, Law};
pub use term::is_commutative;

use crate::analysis::{Key, count_uses, encode_op, for_each_consumed};
use crate::bot::{BotError, bot};
use arr_ir::bounds::Bounds;
use arr_ir::walk::has_derivative;
use arr_ir::{Atom, Axis, Block, Edge, Func, Literal, Op, Poly, Prim, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The maximal number of rounds. Each round costs a walk; almost all programs settle in three.
const MAX_ROUNDS: usize = 8;

/// Simplifies a function of any level, in place.
pub fn simplify(func: &mut Func) {
    let mut forgot = false;
    for _ in 0..MAX_ROUNDS {
        let moved = sink::sink(func);
        let (rewritten, forgets) = forward(func);
        forgot |= forgets;
        let removed = dead::remove_dead(func);
        if !moved && !rewritten && !removed {
            break;
        }
    }
    if forgot {
        arr_ir::bounds::check_unproved(func);
    }
}

/// Simplifies bulk code with remaining derivatives. A kernel that holds one is core code; once its last one turns out
/// to be dead, the kernel is brought into bulk form. Errors: E0902 where that cannot be done.
pub fn simplify_bulk(func: &mut Func) -> Result<(), BotError> {
    let waiting = kernels_with_derivatives(&func.body);
    simplify(func);
    if kernels_with_derivatives(&func.body) < waiting { bot(func) } else { Ok(()) }
}

fn kernels_with_derivatives(block: &Block) -> usize {
    let of = |stmt: &Stmt| match &stmt.op {
        op if op.is_kernel() => usize::from(has_derivative(op)),
        op => op.blocks().into_iter().map(kernels_with_derivatives).sum(),
    };
    block.stmts.iter().map(of).sum()
}

/// Removes unused code, and changes nothing else.
pub fn remove_dead(func: &mut Func) {
    dead::remove_dead(func);
}

/// One walk forward: returns whether anything changed, and whether known bounds of array elements were lost.
fn forward(func: &mut Func) -> (bool, bool) {
    let uses = count_uses(func);
    let body = std::mem::take(&mut func.body);
    let known = Bounds::new(func);
    let mut cx = Simplifier {
        func,
        uses,
        subst: FxHashMap::default(),
        defs: FxHashMap::default(),
        polys: FxHashMap::default(),
        depths: FxHashMap::default(),
        truths: FxHashMap::default(),
        known,
        table: FxHashMap::default(),
        scopes: Vec::new(),
        consumed: FxHashSet::default(),
        kernels: Vec::new(),
        changed: false,
        forgets: false,
    };
    let body = cx.block(body);
    let (changed, forgets) = (cx.changed, cx.forgets);
    let mut edge = std::mem::replace(&mut cx.func.edge_result, Edge::Tuple(Vec::new()));
    cx.edge(&mut edge);
    func.edge_result = edge;
    func.body = body;
    (changed, forgets)
}

/// Facts about how a variable is made.
#[derive(Clone, Debug)]
enum Def {
    Prim(Prim, Vec<Atom>),
    /// An array whose elements are elements of another, or known.
    View(Rc<view::View>),
    /// An array of which a scatter has just set some rows.
    Written(Rc<store_to_load::Written>),
    Literal(Arc<Literal>),
    Reshape(VarId),
    Stop,
}

/// An open output block, and the facts to drop when it closes.
#[derive(Default)]
struct Scope {
    stmts: Vec<Stmt>,
    keys: Vec<Key>,
    facts: Vec<(VarId, Option<Atom>)>,
    truths: Vec<(Key, Option<bool>)>,
}

struct Simplifier<'f> {
    func: &'f mut Func,
    /// Uses before this round; code made in the round has none.
    uses: FxHashMap<VarId, u32>,
    subst: FxHashMap<VarId, Atom>,
    defs: FxHashMap<VarId, Def>,
    /// Integers that are polynomials over other variables.
    polys: FxHashMap<VarId, Poly>,
    /// The number of open blocks where a variable was bound; parameters have none.
    depths: FxHashMap<VarId, usize>,
    /// Comparisons whose outcome is known in the open blocks.
    truths: FxHashMap<Key, bool>,
    /// Facts about integers in the open blocks.
    known: Bounds,
    /// Available operations, with the variables that they bind.
    table: FxHashMap<Key, Vec<VarId>>,
    scopes: Vec<Scope>,
    /// Arrays whose storage an earlier statement may have taken.
    consumed: FxHashSet<VarId>,
    /// The axes of the kernels around the present code, outermost first.
    kernels: Vec<Vec<Axis>>,
    changed: bool,
    /// Whether an element with known bounds is read where nothing bounds it now.
    forgets: bool,
}

impl Simplifier<'_> {
    fn block(&mut self, block: Block) -> Block {
        self.open();
        for &p in &block.params {
            self.bind(p);
        }
        self.stmts(block.stmts);
        let results = block.results.iter().map(|&a| self.resolve(a)).collect();
        Block { params: block.params, stmts: self.close(), results }
    }

    fn stmts(&mut self, stmts: Vec<Stmt>) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn open(&mut self) {
        self.scopes.push(Scope::default());
        self.known.enter();
    }

    fn close(&mut self) -> Vec<Stmt> {
        let scope = match self.scopes.pop() {
            Some(scope) => scope,
            None => self.func.broken(Scope::default(), "a block is closed that is not open"),
        };
        self.known.leave();
        for key in scope.keys {
            self.table.remove(&key);
        }
        for (key, old) in scope.truths.into_iter().rev() {
            match old {
                Some(holds) => self.truths.insert(key, holds),
                None => self.truths.remove(&key),
            };
        }
        for (var, old) in scope.facts.into_iter().rev() {
            match old {
                Some(atom) => self.subst.insert(var, atom),
                None => self.subst.remove(&var),
            };
        }
        scope.stmts
    }

    /// A replacement that holds until the innermost block closes.
    fn assume(&mut self, var: VarId, atom: Atom) {
        let old = self.subst.insert(var, atom);
        if let Some(scope) = self.scopes.last_mut() {
            scope.facts.push((var, old));
        }
    }

    fn resolve(&self, mut atom: Atom) -> Atom {
        while let Atom::Var(v) = atom
            && let Some(&next) = self.subst.get(&v)
        {
            atom = next;
        }
        atom
    }

    /// Uses `atom` for `var` from here on.
    fn alias(&mut self, var: VarId, atom: Atom) {
        self.changed = true;
        self.subst.insert(var, atom);
        if let Atom::Var(target) = atom {
            let moved = self.uses.get(&var).copied().unwrap_or(0);
            *self.uses.entry(target).or_insert(0) += moved;
            if is_default_name(self.func.name(target)) && !self.func.params.contains(&target) {
                self.func.vars[target].name = self.func.name(var).to_string();
            }
        }
    }

    fn bind(&mut self, var: VarId) {
        let Type { elem, dims } = self.func.ty(var).clone();
        if !dims.is_empty() {
            let dims = dims.into_iter().map(|d| self.size(d)).collect();
            let ty = self.func.types.ty(Type { elem, dims });
            self.func.vars[var].ty = ty;
        }
        self.depths.insert(var, self.scopes.len());
    }

    /// The variable of a statement that has one; a statement without would be lost.
    fn result_of(&mut self, vars: &[VarId]) -> Option<VarId> {
        match vars.first() {
            Some(&var) => Some(var),
            None => self.func.broken(None, "a statement has no result"),
        }
    }

    fn depth(&self, atom: Atom) -> usize {
        atom.var().and_then(|v| self.depths.get(&v)).copied().unwrap_or(0)
    }

    fn push(&mut self, stmt: Stmt) {
        for &v in &stmt.vars {
            self.bind(v);
        }
        let mut consumed = Vec::new();
        for_each_consumed(self.func, &stmt.op, &mut |v| consumed.push(v));
        for v in consumed {
            self.consume(v);
        }
        self.known.passed(self.func, &stmt);
        if let Some(scope) = self.scopes.last_mut() {
            scope.stmts.push(stmt);
        }
    }

    /// Records that the storage of an array may be gone, and that of the array it shares its storage with.
    fn consume(&mut self, mut array: VarId) {
        loop {
            self.consumed.insert(array);
            match self.defs.get(&array) {
                Some(Def::Reshape(source)) => array = *source,
                Some(Def::View(view)) => match view.stopped() {
                    Some(source) => array = source,
                    None => break,
                },
                _ => break,
            }
        }
    }

    /// Appends the statement, or uses an equal one before it.
    fn share(&mut self, stmt: Stmt) {
        let Some(key) = encode_op(self.func, &stmt.op) else { return self.push(stmt) };
        if let Some(known) = self.table.get(&key).cloned() {
            for (&v, w) in stmt.vars.iter().zip(known) {
                self.alias(v, Atom::Var(w));
            }
            return;
        }
        self.remember(key, stmt.vars.clone());
        self.push(stmt);
    }

    fn remember(&mut self, key: Key, vars: Vec<VarId>) {
        self.table.insert(key.clone(), vars);
        if let Some(scope) = self.scopes.last_mut() {
            scope.keys.push(key);
        }
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        stmt.op.map_operands(&mut |a| self.resolve(a));
        let Stmt { vars, op, span } = stmt;
        match op {
            Op::Prim(prim, args) => self.prim_stmt(vars, prim, args, span),
            Op::Size(size) => self.size_stmt(vars, size, span),
            Op::Read { array, index, checked } => self.read_stmt(vars, array, index, checked, span),
            Op::Literal(literal) => {
                if let [v] = vars.as_slice() {
                    self.defs.insert(*v, Def::Literal(literal.clone()));
                }
                self.share(Stmt { vars, op: Op::Literal(literal), span });
            }
            Op::Build { axes, body } => self.build(vars, axes, body, span),
            Op::Reduce { kind, axes, body } => self.reduce(vars, kind, axes, body, span),
            Op::Scatter { .. } => self.scatter(Stmt { vars, op, span }),
            Op::Loop { axis, reverse, inits, body } => self.loop_(vars, (axis, reverse), inits, body, span),
            Op::If { cond, then_block, else_block } => self.if_(vars, cond, [then_block, else_block], span),
            Op::Reshape(array) => self.reshape(vars, array, span),
            Op::Check { kind, args } => self.check(kind, args, span),
            Op::Trace { .. } => self.push(Stmt { vars, op, span }),
            Op::StopGradient(atom) => self.stop_gradient(vars, atom, span),
            Op::While { inits, cond, body } => self.while_(vars, inits, cond, body, span),
            Op::Custom { inputs, body, rule, transposed } => {
                let (body, rule) = (self.block(body), self.block(rule));
                self.push(Stmt { vars, op: Op::Custom { inputs, body, rule, transposed }, span });
            }
            Op::Call { callee, args } => self.push(Stmt { vars, op: Op::Call { callee, args }, span }),
            Op::Barrier(args) => self.barrier(vars, args, span),
            Op::Argsort(array) => self.share(Stmt { vars, op: Op::Argsort(array), span }),
            Op::Vjp { inputs, seeds, body } => {
                let body = self.block(body);
                self.push(Stmt { vars, op: Op::Vjp { inputs, seeds, body }, span });
            }
            Op::Jvp { inputs, tangents, body } => {
                let body = self.block(body);
                self.push(Stmt { vars, op: Op::Jvp { inputs, tangents, body }, span });
            }
        }
    }

    fn edge(&mut self, edge: &mut Edge) {
        match edge {
            Edge::Scalar(_) => {}
            Edge::Array(size, inner) => {
                *size = self.size(*size);
                self.edge(inner);
            }
            Edge::Tuple(items) => items.iter_mut().for_each(|e| self.edge(e)),
            Edge::Record(fields) => fields.iter_mut().for_each(|(_, e)| self.edge(e)),
            Edge::Sum { constructors, .. } => {
                constructors.iter_mut().flat_map(|(_, f)| f).for_each(|e| self.edge(e));
            }
        }
    }
}

/// Default names of the compiler.
fn is_default_name(name: &str) -> bool {
    matches!(name, "v" | "size" | "t") || Prim::from_name(name).is_some()
}
