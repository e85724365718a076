//! Definitions, blocks and statements: decides which operations get a name and which are inlined.

use crate::analysis::Uses;
use crate::call;
use crate::edge::{LeafPath, is_flat};
use crate::names::Names;
use crate::sum_types::{self, Sum};
use crate::{Label, ast, mark, prepare, scalar};
use arr_ir::{Atom, Block, Const, Func, Literal, Op, Prim, Scalar, Stmt, VarId};
use arr_syntax::ast::{BinaryOp, Binding, Def, Expr, ExprKind, Item, Type};
use rustc_hash::FxHashMap;

/// The widest expression that is written inside another.
const WIDE: usize = 44;
/// The widest read or size that is written out wherever it is used.
const NARROW: usize = 14;

pub struct Emitter<'f> {
    pub func: &'f Func,
    pub uses: Uses,
    pub names: Names,
    /// The expressions for variables.
    pub exprs: FxHashMap<VarId, Expr>,
    /// The paths to the leaves of parameters.
    pub leaves: FxHashMap<VarId, LeafPath>,
    /// The sums of the signature.
    pub sums: Vec<Sum>,
    /// Where the bindings that are marked come from, in the order of the marks.
    pub labels: Vec<Label>,
    /// Whether bindings are marked at all.
    pub marked: bool,
    /// The types of the first parameters, as they are to be written.
    pub types: &'f [Type],
    /// The number of kernels around the code that is written; in them nothing is marked.
    pub kernels: usize,
    /// Bindings before everything else: the leaves of parameters that are sums.
    pub prologue: Vec<Binding>,
    /// An impossible case that was met. The text is then not valid.
    pub broken: Option<&'static str>,
}

/// The function as a definition with this name, behind the types that it needs. Fails with a construct that a verified
/// function cannot contain, and on remaining derivatives. Where `marked`, each binding outside of kernels has a mark in
/// front, whose number is that of its label.
pub fn definition(
    func: &Func,
    name: &str,
    types: &[Type],
    marked: bool,
) -> Result<(Vec<Item>, Vec<Label>), &'static str> {
    let mut func = func.clone();
    prepare::prepare(&mut func);
    if let Some(&what) = func.broken.first() {
        return Err(what);
    }
    let mut emitter = Emitter {
        func: &func,
        uses: Uses::new(&func),
        names: Names::new(),
        exprs: FxHashMap::default(),
        leaves: FxHashMap::default(),
        sums: sum_types::sums(&func)?,
        labels: Vec::new(),
        marked,
        types,
        kernels: 0,
        prologue: Vec::new(),
        broken: None,
    };
    emitter.names.reserve(name);
    emitter.reserve_callees();
    emitter.reserve_sums();
    let mut items = sum_types::items(&emitter.sums);
    let params = emitter.params();
    let result = emitter.named_ty(&func.edge_result);
    let prologue = std::mem::take(&mut emitter.prologue);
    let body = ast::let_(prologue, emitter.function_body());
    items.push(Item::Def(Def {
        doc: Vec::new(),
        name: ast::name(name),
        type_params: Vec::new(),
        params: Some(params),
        result,
        body,
        span: ast::span(),
    }));
    let labels = emitter.labels;
    emitter.broken.map_or(Ok((items, labels)), Err)
}

impl Emitter<'_> {
    fn function_body(&mut self) -> Expr {
        let func = self.func;
        if is_flat(&func.edge_result) {
            return self.block(&func.body);
        }
        let mut bindings = Vec::new();
        for stmt in &func.body.stmts {
            self.labelled(stmt, &mut bindings);
        }
        let result = self.assemble(&func.edge_result, &mut func.body.results.iter().copied(), &[]);
        ast::let_(bindings, result)
    }

    /// A placeholder for an impossible case: the whole text is refused.
    pub fn broken(&mut self, what: &'static str) -> Expr {
        self.broken.get_or_insert(what);
        ast::expr(ExprKind::Error)
    }

    /// The block's results as an expression, several as a tuple.
    pub fn block(&mut self, block: &Block) -> Expr {
        let tuple =
            |emitter: &mut Self, results: &[Atom]| ast::tuple(results.iter().map(|&a| emitter.atom(a)).collect());
        // An operation with several results is the tuple itself.
        match block.stmts.split_last() {
            Some((last, before)) if last.vars.len() > 1 && self.is_tail(last, block) => {
                self.names.open();
                let mut bindings = Vec::new();
                before.iter().for_each(|s| self.labelled(s, &mut bindings));
                self.mark_last(last, &mut bindings);
                let result = self.op(&last.vars, &last.op, &mut bindings);
                self.names.close();
                ast::let_(bindings, result)
            }
            _ => self.block_with(block, tuple),
        }
    }

    /// A block whose results are assembled by `finish`.
    pub fn block_with(&mut self, block: &Block, finish: impl FnOnce(&mut Self, &[Atom]) -> Expr) -> Expr {
        self.names.open();
        let mut bindings = Vec::new();
        let tail = block.stmts.last().filter(|last| last.vars.len() == 1 && self.is_tail(last, block));
        let count = block.stmts.len() - usize::from(tail.is_some());
        for stmt in block.stmts.iter().take(count) {
            self.labelled(stmt, &mut bindings);
        }
        if let Some(stmt @ Stmt { vars, op, .. }) = tail {
            self.mark_last(stmt, &mut bindings);
            let value = self.op(vars, op, &mut bindings);
            self.exprs.extend(vars.iter().map(|&v| (v, value.clone())));
        }
        let result = finish(self, &block.results);
        self.names.close();
        ast::let_(bindings, result)
    }

    /// Whether the statement makes the block's results and they have no other use.
    fn is_tail(&self, stmt: &Stmt, block: &Block) -> bool {
        let results: Vec<Atom> = stmt.vars.iter().map(|&v| Atom::Var(v)).collect();
        !results.is_empty() && results == block.results && stmt.vars.iter().all(|&v| self.uses.get(v).count == 1)
    }

    /// As [`Emitter::stmt`], with a mark in front of the bindings outside of kernels.
    fn labelled(&mut self, stmt: &Stmt, bindings: &mut Vec<Binding>) {
        let before = bindings.len();
        self.stmt(stmt, bindings);
        if self.marked && self.kernels == 0 && bindings.len() > before {
            bindings.insert(before, mark::binding(self.labels.len()));
            self.labels.push(self.label(stmt));
        }
    }

    /// A mark in front of a block's last expression, where it has bindings.
    fn mark_last(&mut self, stmt: &Stmt, bindings: &mut Vec<Binding>) {
        if self.marked && self.kernels == 0 && !bindings.is_empty() {
            bindings.push(mark::binding(self.labels.len()));
            self.labels.push(self.label(stmt));
        }
    }

    /// Passes put kernels together: a kernel is where its element is computed, and of a derivative if that is.
    fn label(&self, stmt: &Stmt) -> Label {
        let blocks = stmt.op.blocks();
        let place = |block: &&Block| {
            let result = block.results.iter().rev().find_map(|a| a.var())?;
            block.stmts.iter().find(|inner| inner.vars.contains(&result))?.span
        };
        let span = blocks.iter().find_map(place).or(stmt.span);
        let results = blocks.into_iter().flat_map(|block| &block.results).filter_map(|a| a.var());
        let derivative = stmt.vars.iter().copied().chain(results).any(|v| self.func.vars[v].derivative);
        Label { span, derivative }
    }

    pub fn stmt(&mut self, stmt: &Stmt, bindings: &mut Vec<Binding>) {
        if stmt.vars.iter().all(|&v| self.uses.get(v).count == 0) {
            return self.unused(stmt, bindings);
        }
        if let Op::Call { callee, args } = &stmt.op
            && !call::is_flat(&callee.result)
        {
            return self.bind_parts(&stmt.vars, callee, args, bindings);
        }
        let value = self.op(&stmt.vars, &stmt.op, bindings);
        if let [v] = stmt.vars.as_slice()
            && self.stands_where_used(*v, &stmt.op, &value)
        {
            self.exprs.insert(*v, value);
            return;
        }
        let names: Vec<String> = stmt.vars.iter().map(|&v| self.bind(v)).collect();
        bindings.push(ast::binding(ast::pattern(&names), value));
    }

    /// What is only there because it can stop the program.
    fn unused(&mut self, stmt: &Stmt, bindings: &mut Vec<Binding>) {
        let value = match &stmt.op {
            Op::Check { kind, args } => self.check(*kind, args),
            Op::Build { axes, body } if stmt.vars.is_empty() => self.checks(axes, body),
            Op::If { cond, then_block, else_block } if stmt.vars.is_empty() => {
                let cond = self.atom(*cond);
                let [a, b] = [then_block, else_block].map(|block| self.block_with(block, |_, _| ast::int(0)));
                Some(ast::if_(cond, a, b))
            }
            Op::Loop { axis, reverse, inits, body } if stmt.vars.is_empty() => {
                Some(self.loop_(*axis, *reverse, inits, body))
            }
            op @ (Op::Prim(..) | Op::Reduce { .. } | Op::Call { .. }) if op.may_fail(self.func) => {
                Some(self.op(&stmt.vars, op, bindings))
            }
            _ => None,
        };
        bindings.extend(value.map(|value| ast::binding(ast::pattern(&[]), value)));
    }

    /// Takes a name for the variable.
    pub fn bind(&mut self, v: VarId) -> String {
        let name = self.names.fresh(self.func.name(v));
        self.exprs.insert(v, ast::var(&name));
        name
    }

    fn stands_where_used(&self, v: VarId, op: &Op, value: &Expr) -> bool {
        if !self.func.ty(v).is_scalar() {
            return false;
        }
        let width = ast::width(value);
        let free = match op {
            Op::Read { index, .. } => index.iter().all(|a| self.is_plain(*a)),
            Op::Size(_) => true,
            Op::Prim(p, args) => p.arity() == 1 && is_conversion(*p) && args.iter().all(|a| self.is_plain(*a)),
            _ => false,
        };
        let used = self.uses.get(v);
        if used.is_size && used.count > 1 && !matches!(op, Op::Size(_)) {
            return false;
        }
        // Inside a loop it would be recomputed in every iteration.
        let once = used.count == 1 && used.use_depth <= used.bound_depth;
        free && width <= NARROW || once && width <= WIDE && !matches!(*value.kind, ExprKind::Let(..))
    }

    fn is_plain(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|v| matches!(self.exprs.get(&v).map(|e| &*e.kind), Some(ExprKind::Name(_))))
    }

    pub fn atom(&self, atom: Atom) -> Expr {
        match atom {
            Atom::Const(c) => scalar::constant(c),
            Atom::Var(v) => self.var(v),
        }
    }

    pub fn var(&self, v: VarId) -> Expr {
        self.exprs.get(&v).cloned().unwrap_or_else(|| ast::var(self.func.name(v)))
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Expr> {
        atoms.iter().map(|&a| self.atom(a)).collect()
    }

    /// The operation's value. Bindings that it needs are added to `bindings`.
    fn op(&mut self, vars: &[VarId], op: &Op, bindings: &mut Vec<Binding>) -> Expr {
        let kernels = usize::from(op.is_kernel());
        self.kernels += kernels;
        let value = self.value(vars, op, bindings);
        self.kernels -= kernels;
        value
    }

    fn value(&mut self, vars: &[VarId], op: &Op, bindings: &mut Vec<Binding>) -> Expr {
        match op {
            Op::Prim(p, args) => scalar::prim(*p, self.atoms(args)),
            Op::Size(size) => self.size_expr(*size),
            Op::Literal(literal) => self.literal(literal),
            Op::Read { array, index, .. } => self.element(*array, self.atoms(index)),
            Op::Build { axes, body } => self.build(axes, body),
            Op::Reduce { kind, axes, body } => self.reduce(*kind, axes, body),
            Op::Scatter { kind, dest, axes, body, .. } => self.scatter(*kind, *dest, axes, body, bindings),
            Op::Loop { axis, reverse, inits, body } => self.loop_(*axis, *reverse, inits, body),
            Op::If { cond, then_block, else_block } => {
                let cond = self.atom(*cond);
                let (a, b) = (self.block(then_block), self.block(else_block));
                match (&*a.kind, &*b.kind) {
                    (ExprKind::Bool(true), _) => ast::binary(BinaryOp::Or, cond, b),
                    (_, ExprKind::Bool(false)) => ast::binary(BinaryOp::And, cond, a),
                    _ => ast::if_(cond, a, b),
                }
            }
            Op::Reshape(array) => {
                let Some(&var) = vars.first() else { return self.broken("a `reshape` has no result") };
                let dims = self.func.ty(var).dims.clone();
                let sizes: Vec<Expr> = dims.iter().map(|&d| self.size_expr(d)).collect();
                match sizes.len() {
                    1 => ast::call("flatten", vec![self.var(*array)]),
                    _ => ast::call("reshape", vec![self.var(*array), ast::tuple(sizes)]),
                }
            }
            Op::Barrier(args) => ast::tuple(self.atoms(args)),
            Op::StopGradient(a) => ast::call("stop_gradient", vec![self.atom(*a)]),
            Op::While { inits, cond, body } => self.while_(inits, cond, body),
            Op::Argsort(array) => self.argsort(*array),
            Op::Custom { inputs, body, .. } => self.called(inputs, body),
            Op::Call { callee, args } if call::is_flat(&callee.result) => self.call(callee, args),
            Op::Call { callee, args } => {
                self.bind_parts(vars, callee, args, bindings);
                ast::tuple(vars.iter().map(|&v| self.var(v)).collect())
            }
            Op::Check { .. } | Op::Trace { .. } => self.broken("a check or a trace that has a value"),
            Op::Vjp { .. } | Op::Jvp { .. } => self.broken("a derivative that is not taken"),
        }
    }

    /// `[[1.0, 2.0], [3.0, 4.0]]`
    fn literal(&mut self, literal: &Literal) -> Expr {
        self.level(literal.elem, &literal.dims, &mut literal.data.iter())
    }

    /// `for i < 0, j < 3 => 0.0`: `[]` alone has no type.
    fn without_elements(&mut self, elem: Scalar, dims: &[i64]) -> Expr {
        self.names.open();
        let axes: Vec<(String, Expr)> = dims.iter().map(|&n| (self.names.fresh_index("i"), ast::int(n))).collect();
        self.names.close();
        ast::for_(&axes, scalar::constant(Const::zero(elem)))
    }

    fn level(&mut self, elem: Scalar, dims: &[i64], data: &mut dyn Iterator<Item = &Const>) -> Expr {
        if dims.contains(&0) {
            return self.without_elements(elem, dims);
        }
        match dims.split_first() {
            None => match data.next() {
                Some(&c) => scalar::constant(c),
                None => self.broken("a literal with fewer elements than it has places"),
            },
            Some((&n, inner)) => ast::expr(ExprKind::Array((0..n).map(|_| self.level(elem, inner, data)).collect())),
        }
    }
}

fn is_conversion(prim: Prim) -> bool {
    matches!(prim.rule(), arr_ir::TypeRule::Convert(_))
}
