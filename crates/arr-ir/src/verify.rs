//! The verifier: it defines well-formed IR, by level. It collects every violation.
//!
//! All levels
//! - Names: every variable that is mentioned is one of the function. Each is bound once in the whole function (size
//!   parameters, parameters, axis indices, block params, statement results), and used only where it is in scope: after
//!   its statement, in the same block or one nested in it. An axis index is in scope in the axes after it and in the
//!   body. Parameters are in scope in each other's types, in either order.
//! - Sizes: the variables of sizes, in `size`, axis extents and the types of bound variables, count as uses, and are
//!   `i64` scalars. So the type of a result cannot mention an index or a variable of its own body: arrays are regular.
//! - Size parameters and axis indices are `i64` scalars.
//! - Primitives and checks: operand count and types as in their tables; operands are scalars.
//! - `size`: an `i64`.
//! - `literal`: as many elements as the shape holds, all of the element type; the result has its shape.
//! - `read`: of an array, not of a scalar; as many `i64` indices as it has axes; the result has its element type.
//! - `build`: at least one axis. One array per body result: the axes' extents in front of the result's type. A body
//!   without results exists for its checks.
//! - `reduce`: at least one axis, scalar body results; `sum product max min` keep the type (a number), `argmax argmin`
//!   have one axis and give `i64` (of numbers), `any all` are `bool`.
//! - `scatter`: into an array. The body yields a `bool` guard, an `i64` for each axis of the array, and a value of its
//!   element type, a number for `add`; the result has the array's type.
//! - `loop`: inits, params, body results and results agree in number and type.
//! - `while`: inits, both blocks' params, the body's results and the results agree; the first block yields one `bool`.
//! - `if`: the condition is a `bool`; both blocks and the results agree in number and type.
//! - `reshape`: of an array to an array of the same element type; the counts of elements do not differ by a constant.
//! - `argsort`: of an array, to `i64` of its axes.
//! - `stop_gradient`: keeps the type.
//! - `vjp`, `jvp`: inputs are floats and have the types of the params; seeds have the types of the float results,
//!   tangents of the inputs; results are the body's, then one per input (`vjp`) or one per float result (`jvp`).
//! - `custom`: inputs have the types of the body's params; the rule's params are those, the body's results and its float
//!   results again; the rule yields the types of the float inputs.
//! - Blocks other than those of `loop`, `while`, `vjp`, `jvp` and `custom` have no params.
//! - The leaves of the edge types are the parameters and the results, in order and type. The first does not apply to a
//!   function without edge parameters (passes can run on bare bodies).
//!
//! Bulk, in addition
//! - The body of a `build`, `reduce` or `scatter` is scalar code (primitives, sizes, reads, checks, `stop_gradient` of
//!   a scalar, `if`, `loop` and `while` over scalar code with scalar state), or, for a `build`, one `reduce` over
//!   scalar code whose results it yields. A kernel that holds a `vjp` or `jvp` is exempt: it waits for differentiation.
//!   A `custom` may be anywhere.
//!
//! Fused, in addition
//! - Scalar code may hold `reduce`s of scalar code to any depth. No `vjp`, `jvp` or `custom` anywhere.
//!
//! - Accesses: the range analysis (`bounds`) proves every unchecked read or scatter in bounds.
//!
//! Not checked: that extents are not negative, that the element counts of a `reshape` are equal where polynomials
//! cannot decide it, that variables are used at all, that a size or type id belongs to this function and not to
//! another, spans, and name hints.

mod nesting;
mod types;

use crate::bounds;
use crate::{Atom, Block, Check, Func, Names, Op, Scalar, SizeId, Stmt, Type, VarId, print_func};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// The level, which determines what may nest in what; see the head of this module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Core,
    Bulk,
    Fused,
}

/// One violation; its text names variables as the printed IR does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    pub message: String,
}

/// Checks every invariant of the level and reports all violations. Fails if there is one.
pub fn verify(func: &Func, level: Level) -> Result<(), Vec<VerifyError>> {
    verify_with(func, level, true)
}

/// Like [`verify`], but ignores unchecked accesses: for code to which checks are about to be added. Fails if anything
/// else is violated.
pub fn verify_structure(func: &Func, level: Level) -> Result<(), Vec<VerifyError>> {
    verify_with(func, level, false)
}

fn verify_with(func: &Func, level: Level, accesses: bool) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        func,
        level,
        names: OnceCell::new(),
        bound: FxHashSet::default(),
        scope: FxHashSet::default(),
        errors: Vec::new(),
        stopped: false,
        accesses,
    };
    verifier.known_ids(&func.body);
    if verifier.errors.is_empty() {
        verifier.function();
    }
    if accesses && verifier.errors.is_empty() {
        verifier.accesses();
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// The violations and the IR text, for a report.
pub fn report(func: &Func, errors: &[VerifyError]) -> String {
    let lines: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    format!("{}\n\n{}", lines.join("\n"), print_func(func))
}

/// Whether the function still contains a derivative to be taken.
pub fn has_derivatives(func: &Func) -> bool {
    nesting::block_has_derivatives(&func.body)
}

struct Verifier<'f> {
    func: &'f Func,
    level: Level,
    /// Created when the first violation needs them.
    names: OnceCell<Names<'f>>,
    bound: FxHashSet<VarId>,
    scope: FxHashSet<VarId>,
    errors: Vec<VerifyError>,
    /// Whether a check of constants that fails comes before, in the same block or one around it.
    stopped: bool,
    /// Whether it is about a function that runs, whose checks say what comes after them.
    accesses: bool,
}

impl<'f> Verifier<'f> {
    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(VerifyError { message: message.into() });
    }

    fn names(&self) -> &Names<'f> {
        self.names.get_or_init(|| Names::new(self.func))
    }

    fn name(&self, v: VarId) -> String {
        format!("`{}`", self.names().var(v))
    }

    fn show(&self, ty: &Type) -> String {
        self.names().ty(ty)
    }

    /// Reports ids that are not variables of the function; all other checks rely on this.
    fn known_ids(&mut self, block: &Block) {
        let func = self.func;
        for &v in func.sizes.iter().chain(&func.params) {
            self.known(v);
        }
        for (_, info) in func.vars.iter() {
            for &dim in &func.types.get(info.ty).dims {
                self.known_in_size(dim);
            }
        }
        self.known_in_block(block);
    }

    fn known(&mut self, v: VarId) {
        if self.func.vars.get(v).is_none() {
            self.error(format!("{v} is not a variable of the function"));
        }
    }

    fn known_in_size(&mut self, size: SizeId) {
        for v in self.func.types.poly(size).vars() {
            self.known(v);
        }
    }

    fn known_in_block(&mut self, block: &Block) {
        let used = |atoms: &[Atom]| atoms.iter().filter_map(|a| a.var()).collect::<Vec<VarId>>();
        for stmt in &block.stmts {
            let axes = stmt.op.axes();
            let bound = stmt.vars.iter().copied().chain(axes.iter().map(|a| a.index));
            for v in bound.chain(used(&stmt.op.operands())) {
                self.known(v);
            }
            for size in stmt.op.sizes() {
                self.known_in_size(size);
            }
            for inner in stmt.op.blocks() {
                self.known_in_block(inner);
            }
        }
        for v in block.params.iter().copied().chain(used(&block.results)) {
            self.known(v);
        }
    }

    fn function(&mut self) {
        let func = self.func;
        for &v in &func.sizes {
            self.bind(v);
            self.expect_int(v, "the size parameter");
        }
        for &v in &func.params {
            self.bind(v);
        }
        for &v in &func.params {
            self.type_in_scope(v);
        }
        if !func.body.params.is_empty() {
            self.error("the function's body has params");
        }
        self.edges();
        self.block(&func.body, "return");
    }

    /// Unchecked accesses are proved in bounds by facts from the function's text.
    fn accesses(&mut self) {
        for var in bounds::unproved(self.func) {
            self.error(format!("nothing proves that the unchecked access for {} is inside", self.name(var)));
        }
    }

    fn edges(&mut self) {
        let func = self.func;
        let params: Vec<Type> = func.edge_params.iter().flat_map(|p| p.ty.leaves()).map(|l| l.ty).collect();
        let actual: Vec<Type> = func.params.iter().map(|&p| func.ty(p).clone()).collect();
        if !func.edge_params.is_empty() && params != actual {
            let message = format!("the edge has parameters {} for {}", self.list(&params), self.list(&actual));
            self.error(message);
        }
        let results: Vec<Type> = func.edge_result.leaves().into_iter().map(|l| l.ty).collect();
        let actual: Vec<Type> = func.body.results.iter().map(|&r| func.atom_ty(r)).collect();
        if results != actual {
            let message = format!("the edge has results {} for {}", self.list(&results), self.list(&actual));
            self.error(message);
        }
    }

    fn list(&self, types: &[Type]) -> String {
        let texts: Vec<String> = types.iter().map(|t| self.show(t)).collect();
        format!("({})", texts.join(", "))
    }

    fn bind(&mut self, v: VarId) {
        if !self.bound.insert(v) {
            self.error(format!("{} is bound twice", self.name(v)));
        }
        self.scope.insert(v);
    }

    fn used(&mut self, v: VarId, by: &str) {
        if !self.scope.contains(&v) {
            self.error(format!("{} is not in scope in {by}", self.name(v)));
        }
    }

    fn type_in_scope(&mut self, v: VarId) {
        let dims = &self.func.ty(v).dims;
        if dims.is_empty() {
            return;
        }
        for &dim in dims {
            self.size(dim, "the type of a variable", Some(v));
        }
    }

    /// The variables of a size: in scope, and `i64`.
    fn size(&mut self, size: SizeId, by: &str, of: Option<VarId>) {
        for v in self.func.types.poly(size).vars() {
            if !self.scope.contains(&v) {
                let of = of.map_or(String::new(), |w| format!(", {}", self.name(w)));
                self.error(format!("{} is not in scope in {by}{of}", self.name(v)));
            }
            self.expect_int(v, "the variable of a size,");
        }
    }

    fn expect_int(&mut self, v: VarId, what: &str) {
        let ty = self.func.ty(v);
        if ty.elem != Scalar::I64 || !ty.is_scalar() {
            self.error(format!("{what} {} is {}, not i64", self.name(v), self.show(ty)));
        }
    }

    /// Checks a block whose params are in scope; afterwards nothing bound in it is in scope.
    fn block(&mut self, block: &Block, ending: &str) {
        let stopped = self.stopped;
        for stmt in &block.stmts {
            self.stmt(stmt);
            self.stopped |= self.accesses && fails(&stmt.op);
        }
        self.stopped = stopped;
        for v in block.results.iter().filter_map(|a| a.var()) {
            self.used(v, &format!("`{ending}`"));
        }
        for v in block.params.iter().chain(block.stmts.iter().flat_map(|s| &s.vars)) {
            self.scope.remove(v);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let what = types::describe(&stmt.op);
        for v in stmt.op.operands().into_iter().filter_map(Atom::var) {
            self.used(v, &what);
        }
        if let Op::Size(size) = &stmt.op {
            self.size(*size, &what, None);
        }
        for axis in stmt.op.axes() {
            self.size(axis.extent, &what, None);
            // A loop's state has the same type outside, so its params' types are checked before the index is bound.
            if !matches!(stmt.op, Op::Loop { .. }) {
                self.index(axis.index);
            }
        }
        let has_params =
            matches!(stmt.op, Op::Loop { .. } | Op::While { .. } | Op::Vjp { .. } | Op::Jvp { .. } | Op::Custom { .. });
        // A kernel that holds a derivative stays core code until that is taken, and so does everything in it.
        let level = self.level;
        if self.waits(stmt) {
            self.level = Level::Core;
        }
        for block in stmt.op.blocks() {
            if !has_params && !block.params.is_empty() {
                self.error(format!("a block of {what} has params"));
            }
            block.params.iter().for_each(|&p| self.type_in_scope(p));
            block.params.iter().for_each(|&p| self.bind(p));
            if let Op::Loop { axis, .. } = &stmt.op {
                self.index(axis.index);
            }
            self.block(block, "yield");
        }
        self.level = level;
        for axis in stmt.op.axes() {
            self.scope.remove(&axis.index);
        }
        for &v in &stmt.vars {
            self.type_in_scope(v);
        }
        for &v in &stmt.vars {
            self.bind(v);
        }
        self.types(stmt, &what);
        if self.level > Level::Core {
            self.nesting(stmt, &what);
        }
    }

    fn index(&mut self, index: VarId) {
        self.bind(index);
        self.expect_int(index, "the index");
    }
}

/// Whether the operation is a check of constants that fails.
fn fails(op: &Op) -> bool {
    let Op::Check { kind, args } = op else { return false };
    let values: Option<Vec<i64>> = args.iter().map(|a| a.constant().and_then(crate::Const::as_i64)).collect();
    match (kind, values.as_deref()) {
        (Check::SizeEq, Some([found, expected])) => found != expected,
        (Check::Index, Some([index, extent])) => !(0..*extent).contains(index),
        (Check::SizeNonNeg, Some([size])) => *size < 0,
        (Check::NonEmpty | Check::Step, Some([size])) => *size <= 0,
        _ => false,
    }
}
