//! The verifier: what well-formed IR is, by level. It collects every violation.
//!
//! All levels
//! - Names: each variable is bound once in the whole function (size parameters, parameters, axis indices, block params,
//!   statement results), and used only where it is in scope: after its statement, in the same block or one nested in it.
//!   The variables of sizes, in axis extents and in the types of bound variables, count as uses.
//! - Sizes mention `i64` scalars only.
//! - Primitives, checks: operand count and types as their tables say; operands are scalars.
//! - `read`: as many `i64` indices as the array has axes; the result has the element type.
//! - `build`: one array a body result, the axes' extents in front of the result's type. A body without results is for its
//!   checks.
//! - `reduce`: at least one axis, scalar body results; `sum product max min` keep the type (a number), `argmax argmin` have
//!   one axis and give `i64`, `any all` are `bool`.
//! - `scatter`: the body yields a `bool` guard, an `i64` an axis of `dest`, and a value of its element type; the result has
//!   the type of `dest`.
//! - `loop`: inits, params, body results and results agree in number, element type and rank; `i64` index.
//! - `if`: a `bool` scalar; both blocks and the results agree in number, element type and rank.
//! - `reshape`, `stop_gradient`: same element type; `stop_gradient` keeps the rank.
//! - `vjp`, `jvp`: inputs are floats and match the params; seeds match the float results, tangents the inputs; results are
//!   the body's, then one an input (`vjp`) or one a float result (`jvp`).
//! - Blocks other than those of `loop`, `vjp` and `jvp` have no params.
//! - The leaves of the edge types are the parameters and the results, in order, in element type and rank.
//!
//! Bulk, in addition
//! - The body of a `build`, `reduce` or `scatter` is scalar code (primitives, sizes, reads, checks, `stop_gradient` of a
//!   scalar, `if` over scalar code), or, of a `build`, one `reduce` over scalar code whose results it yields. A kernel that
//!   holds a `vjp` or `jvp` is exempt: it waits for differentiation.
//!
//! Fused, in addition
//! - Scalar code may hold `reduce`s of scalar code to any depth. No `vjp` or `jvp` anywhere.
//!
//! Not checked: that sizes of agreeing types are equal where they are written with different variables (`if`, `loop`,
//! `reshape`: a run-time property), that unchecked reads are inside, that extents are not negative.

use crate::{Atom, Block, Func, Op, Reduction, Scalar, Stmt, Type, VarId, print_func};
use rustc_hash::FxHashSet;

/// What may nest in what; see `func`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Core,
    Bulk,
    Fused,
}

/// One violation, in words that name variables by their hints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    pub message: String,
}

/// Checks every invariant of the level; all violations are reported.
pub fn verify(func: &Func, level: Level) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier { func, level, bound: FxHashSet::default(), scope: FxHashSet::default(), errors: Vec::new() };
    verifier.function();
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// The violations and the IR text, for a report.
pub fn report(func: &Func, errors: &[VerifyError]) -> String {
    let lines: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    format!("{}\n\n{}", lines.join("\n"), print_func(func))
}

/// Whether a derivative is still to be taken anywhere in the function.
pub fn has_derivatives(func: &Func) -> bool {
    block_has_derivatives(&func.body)
}

fn block_has_derivatives(block: &Block) -> bool {
    block.stmts.iter().any(|s| op_has_derivatives(&s.op))
}

fn op_has_derivatives(op: &Op) -> bool {
    matches!(op, Op::Vjp { .. } | Op::Jvp { .. }) || op.blocks().iter().any(|b| block_has_derivatives(b))
}

struct Verifier<'f> {
    func: &'f Func,
    level: Level,
    bound: FxHashSet<VarId>,
    scope: FxHashSet<VarId>,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(VerifyError { message: message.into() });
    }

    fn name(&self, v: VarId) -> String {
        format!("{} ({v})", self.func.name(v))
    }

    fn function(&mut self) {
        for &v in &self.func.sizes {
            self.bind(v);
            self.expect(Atom::Var(v), Scalar::I64, "a size parameter");
        }
        // A parameter may be a size in the type of another, in either order.
        for &v in &self.func.params {
            self.bind(v);
        }
        for &v in &self.func.params {
            self.type_in_scope(v);
        }
        self.edges();
        let body = &self.func.body;
        if !body.params.is_empty() {
            self.error("the function's body has params");
        }
        self.block(body);
    }

    fn edges(&mut self) {
        let params: Vec<Type> = self.func.edge_params.iter().flat_map(|p| p.ty.leaves()).map(|l| l.ty).collect();
        let actual: Vec<Type> = self.func.params.iter().map(|&p| self.func.ty(p).clone()).collect();
        if !self.func.edge_params.is_empty() && !same_kinds(&params, &actual) {
            self.error("the edge types do not match the parameters");
        }
        let results: Vec<Type> = self.func.edge_result.leaves().into_iter().map(|l| l.ty).collect();
        let actual: Vec<Type> = self.func.body.results.iter().map(|&r| self.func.atom_ty(r)).collect();
        if !same_kinds(&results, &actual) {
            self.error("the edge type does not match the results");
        }
    }

    fn bind(&mut self, v: VarId) {
        if self.func.vars.get(v).is_none() {
            self.error(format!("{v} is not a variable of the function"));
            return;
        }
        if !self.bound.insert(v) {
            self.error(format!("{} is bound twice", self.name(v)));
        }
        self.scope.insert(v);
    }

    fn used(&mut self, v: VarId, by: &str) {
        if !self.scope.contains(&v) {
            let name = if self.func.vars.get(v).is_some() { self.name(v) } else { v.to_string() };
            self.error(format!("{name} is used by {by} where it is not in scope"));
        }
    }

    fn type_in_scope(&mut self, v: VarId) {
        for &dim in &self.func.ty(v).dims {
            for u in self.func.types.poly(dim).vars() {
                let by = format!("the type of {}", self.name(v));
                self.used(u, &by);
            }
        }
    }

    fn expect(&mut self, atom: Atom, elem: Scalar, what: &str) {
        let ty = self.func.atom_ty(atom);
        if ty.elem != elem || !ty.is_scalar() {
            self.error(format!("{what} must be {elem}, a scalar, but is {}", self.show(&ty)));
        }
    }

    fn show(&self, ty: &Type) -> String {
        format!("{}{}", "[_]".repeat(ty.rank()), ty.elem)
    }

    /// Checks a block's statements; `self.scope` gets its variables, which `block` takes back.
    fn block(&mut self, block: &Block) {
        let mut own: Vec<VarId> = block.params.clone();
        for stmt in &block.stmts {
            self.stmt(stmt);
            own.extend(&stmt.vars);
        }
        for atom in &block.results {
            if let Atom::Var(v) = atom {
                self.used(*v, "a block's result");
            }
        }
        for v in own {
            self.scope.remove(&v);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let what = describe(&stmt.op);
        for atom in stmt.op.operands() {
            if let Atom::Var(v) = atom {
                self.used(v, &what);
            }
        }
        if let Op::Size(size) = &stmt.op {
            self.size(*size, &what);
        }
        let axes: Vec<_> = stmt.op.axes().to_vec();
        for axis in &axes {
            self.size(axis.extent, &what);
            self.bind(axis.index);
            self.expect(Atom::Var(axis.index), Scalar::I64, "an index");
        }
        for block in stmt.op.blocks() {
            let has_params = matches!(stmt.op, Op::Loop { .. } | Op::Vjp { .. } | Op::Jvp { .. });
            if !has_params && !block.params.is_empty() {
                self.error(format!("a block of {what} has params"));
            }
            for &p in &block.params {
                self.bind(p);
            }
            for &p in &block.params {
                self.type_in_scope(p);
            }
            self.block(block);
        }
        for axis in &axes {
            self.scope.remove(&axis.index);
        }
        for &v in &stmt.vars {
            self.bind(v);
            self.type_in_scope(v);
        }
        self.types(stmt, &what);
        if self.level > Level::Core {
            self.nesting(stmt, &what);
        }
    }

    fn size(&mut self, size: crate::SizeId, by: &str) {
        for v in self.func.types.poly(size).vars() {
            self.used(v, by);
            self.expect(Atom::Var(v), Scalar::I64, "a variable of a size");
        }
    }

    fn types(&mut self, stmt: &Stmt, what: &str) {
        match expected(self.func, &stmt.op) {
            Err(message) => self.error(format!("{what}: {message}")),
            Ok(None) => {
                if stmt.vars.len() != 1 {
                    self.error(format!("{what} binds {} variables instead of 1", stmt.vars.len()));
                }
            }
            Ok(Some(types)) => {
                let actual: Vec<Type> = stmt.vars.iter().map(|&v| self.func.ty(v).clone()).collect();
                if !same_kinds(&types, &actual) {
                    let show = |ts: &[Type]| ts.iter().map(|t| self.show(t)).collect::<Vec<_>>().join(", ");
                    self.error(format!("{what} gives ({}) but binds ({})", show(&types), show(&actual)));
                } else if let Op::Build { axes, .. } = &stmt.op {
                    let wrong = actual.iter().any(|t| t.dims.iter().zip(axes).any(|(d, a)| *d != a.extent));
                    if wrong {
                        self.error(format!("{what}: the leading sizes of the result are not the extents"));
                    }
                }
            }
        }
    }

    fn nesting(&mut self, stmt: &Stmt, what: &str) {
        if self.level == Level::Fused && matches!(stmt.op, Op::Vjp { .. } | Op::Jvp { .. }) {
            self.error(format!("{what} in fused code"));
        }
        let body = match &stmt.op {
            Op::Build { body, .. } | Op::Reduce { body, .. } | Op::Scatter { body, .. } => body,
            _ => return,
        };
        if op_has_derivatives(&stmt.op) && self.level == Level::Bulk {
            return;
        }
        let one_reduce = match (&stmt.op, body.stmts.as_slice()) {
            (Op::Build { .. }, [Stmt { vars, op: Op::Reduce { body: terms, .. }, .. }]) => {
                body.results.iter().all(|r| r.var().is_some_and(|v| vars.contains(&v)))
                    && self.is_scalar_code(terms)
            }
            _ => false,
        };
        if !one_reduce && !self.is_scalar_code(body) {
            self.error(format!("the body of {what} is not scalar code"));
        }
    }

    fn is_scalar_code(&self, block: &Block) -> bool {
        let scalar = |v: &VarId| self.func.ty(*v).is_scalar();
        block.stmts.iter().all(|s| match &s.op {
            Op::Prim(..) | Op::Size(_) | Op::Read { .. } | Op::Check { .. } => true,
            Op::StopGradient(_) => s.vars.iter().all(scalar),
            Op::If { then_block, else_block, .. } => {
                s.vars.iter().all(scalar) && self.is_scalar_code(then_block) && self.is_scalar_code(else_block)
            }
            Op::Reduce { body, .. } => self.level == Level::Fused && self.is_scalar_code(body),
            _ => false,
        }) && block.results.iter().all(|a| a.var().is_none_or(|v| scalar(&v)))
    }
}

/// The operation's name for messages.
fn describe(op: &Op) -> String {
    match op {
        Op::Prim(p, _) => format!("`{}`", p.name()),
        Op::Size(_) => "`size`".into(),
        Op::Literal(_) => "`literal`".into(),
        Op::Read { .. } => "`read`".into(),
        Op::Build { .. } => "`build`".into(),
        Op::Reduce { kind, .. } => format!("`reduce {}`", kind.name()),
        Op::Scatter { .. } => "`scatter`".into(),
        Op::Loop { .. } => "`loop`".into(),
        Op::If { .. } => "`if`".into(),
        Op::Reshape(_) => "`reshape`".into(),
        Op::Check { kind, .. } => format!("`check {}`", kind.name()),
        Op::Vjp { .. } => "`vjp`".into(),
        Op::Jvp { .. } => "`jvp`".into(),
        Op::StopGradient(_) => "`stop_gradient`".into(),
    }
}

/// Equal element types and ranks, one by one.
fn same_kinds(a: &[Type], b: &[Type]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.elem == y.elem && x.rank() == y.rank())
}

fn scalars(func: &Func, atoms: &[Atom]) -> Result<Vec<Scalar>, String> {
    atoms
        .iter()
        .map(|&a| {
            let ty = func.atom_ty(a);
            if ty.is_scalar() { Ok(ty.elem) } else { Err("an operand is an array".to_string()) }
        })
        .collect()
}

fn indices(func: &Func, atoms: &[Atom]) -> Result<(), String> {
    match scalars(func, atoms)?.iter().all(|s| *s == Scalar::I64) {
        true => Ok(()),
        false => Err("an index is not i64".into()),
    }
}

fn scalar(elem: Scalar) -> Type {
    Type { elem, dims: Vec::new() }
}

/// The types of an operation's results; `None` for one result of any type.
fn expected(func: &Func, op: &Op) -> Result<Option<Vec<Type>>, String> {
    let types = |atoms: &[Atom]| atoms.iter().map(|&a| func.atom_ty(a)).collect::<Vec<Type>>();
    let agree = |a: &[Type], b: &[Type], what: &str| match same_kinds(a, b) {
        true => Ok(()),
        false => Err(format!("{what} do not agree")),
    };
    Ok(Some(match op {
        Op::Prim(prim, args) => match prim.result(&scalars(func, args)?) {
            Some(elem) => vec![scalar(elem)],
            None => return Err("not defined on these operands".into()),
        },
        Op::Size(_) => vec![scalar(Scalar::I64)],
        Op::Literal(literal) => {
            let count = literal.dims.iter().try_fold(1i64, |n, &d| n.checked_mul(d));
            if count.and_then(|n| usize::try_from(n).ok()) != Some(literal.data.len()) {
                return Err("the data do not fill the shape".into());
            }
            if literal.data.iter().any(|c| c.scalar() != literal.elem) {
                return Err("an element has another type".into());
            }
            return Ok(None);
        }
        Op::Read { array, index, .. } => {
            let ty = func.ty(*array);
            indices(func, index)?;
            if index.len() != ty.rank() || index.is_empty() {
                return Err(format!("{} indices for an array of rank {}", index.len(), ty.rank()));
            }
            vec![scalar(ty.elem)]
        }
        Op::Build { axes, body } => {
            if axes.is_empty() {
                return Err("no axis".into());
            }
            types(&body.results)
                .into_iter()
                .map(|t| Type { dims: axes.iter().map(|a| a.extent).chain(t.dims).collect(), elem: t.elem })
                .collect()
        }
        Op::Reduce { kind, axes, body } => reduced(func, *kind, axes.len(), &body.results)?,
        Op::Scatter { dest, body, .. } => {
            let ty = func.ty(*dest).clone();
            let elems = scalars(func, &body.results)?;
            let mut wanted = vec![Scalar::Bool];
            wanted.extend(ty.dims.iter().map(|_| Scalar::I64));
            wanted.push(ty.elem);
            if elems != wanted {
                return Err("the body does not yield guard, indices and value".into());
            }
            vec![ty]
        }
        Op::Loop { inits, body, .. } => {
            let params: Vec<Type> = body.params.iter().map(|&p| func.ty(p).clone()).collect();
            agree(&types(inits), &params, "inits and params")?;
            agree(&types(&body.results), &params, "body results and params")?;
            params
        }
        Op::If { cond, then_block, else_block } => {
            if func.atom_ty(*cond) != scalar(Scalar::Bool) {
                return Err("the condition is not a bool".into());
            }
            agree(&types(&then_block.results), &types(&else_block.results), "the branches' results")?;
            types(&then_block.results)
        }
        Op::Reshape(_) => return Ok(None),
        Op::Check { kind, args } => {
            indices(func, args)?;
            if args.len() != kind.arity() {
                return Err(format!("{} operands instead of {}", args.len(), kind.arity()));
            }
            Vec::new()
        }
        Op::Vjp { inputs, seeds, body } => {
            let params: Vec<Type> = body.params.iter().map(|&p| func.ty(p).clone()).collect();
            agree(&types(inputs), &params, "inputs and params")?;
            if params.iter().any(|t| !t.elem.is_float()) {
                return Err("an input is not a float".into());
            }
            let floats: Vec<Type> = types(&body.results).into_iter().filter(|t| t.elem.is_float()).collect();
            agree(&types(seeds), &floats, "seeds and float results")?;
            types(&body.results).into_iter().chain(params).collect()
        }
        Op::Jvp { inputs, tangents, body } => {
            let params: Vec<Type> = body.params.iter().map(|&p| func.ty(p).clone()).collect();
            agree(&types(inputs), &params, "inputs and params")?;
            agree(&types(tangents), &params, "tangents and params")?;
            let floats: Vec<Type> = types(&body.results).into_iter().filter(|t| t.elem.is_float()).collect();
            types(&body.results).into_iter().chain(floats).collect()
        }
        Op::StopGradient(a) => vec![func.atom_ty(*a)],
    }))
}

fn reduced(func: &Func, kind: Reduction, axes: usize, results: &[Atom]) -> Result<Vec<Type>, String> {
    let elems = scalars(func, results)?;
    let fits = |e: &Scalar| match kind {
        Reduction::Any | Reduction::All => *e == Scalar::Bool,
        _ => *e != Scalar::Bool,
    };
    if !elems.iter().all(fits) {
        return Err("not defined on this element type".into());
    }
    let arg = matches!(kind, Reduction::ArgMax | Reduction::ArgMin);
    if axes == 0 || (arg && axes != 1) {
        return Err(format!("{axes} axes"));
    }
    Ok(elems.into_iter().map(|e| scalar(if arg { Scalar::I64 } else { e })).collect())
}
