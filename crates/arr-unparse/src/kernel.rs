//! `build`, `reduce` and `loop`.

use crate::ast;
use crate::emitter::Emitter;
use arr_ir::{Atom, Axis, Block, Check, Const, Op, Reduction, Stmt, VarId};
use arr_syntax::ast::{BinaryOp, Expr};

impl Emitter<'_> {
    /// Names the axes, which are in scope until the names are closed.
    pub fn axes(&mut self, axes: &[Axis]) -> Vec<(String, Expr)> {
        let mut named = Vec::new();
        for axis in axes {
            let extent = self.size_expr(axis.extent);
            let name = self.names.fresh_index(self.func.name(axis.index));
            self.exprs.insert(axis.index, ast::var(&name));
            named.push((name, extent));
        }
        named
    }

    pub fn build(&mut self, axes: &[Axis], body: &Block) -> Expr {
        if let Some(filled) = self.filled(axes, body) {
            return filled;
        }
        self.names.open();
        let axes = self.axes(axes);
        let element = self.block(body);
        self.names.close();
        let array = ast::for_(&axes, element);
        if body.results.len() > 1 { ast::call("unzip", vec![array]) } else { array }
    }

    /// `for i < n => let _ = iota(m)[k] in 0`: a kernel of checks.
    pub fn checks(&mut self, axes: &[Axis], body: &Block) -> Option<Expr> {
        self.kernels += 1;
        self.names.open();
        let axes = self.axes(axes);
        let element = self.block_with(body, |_, _| ast::int(0));
        self.names.close();
        self.kernels -= 1;
        Some(ast::for_(&axes, element))
    }

    /// What stops with the error of a check where its condition does not hold. `None` for what has no expression.
    pub fn check(&mut self, kind: Check, args: &[Atom]) -> Option<Expr> {
        let args: Vec<Expr> = args.iter().map(|&a| self.atom(a)).collect();
        let numbers = |n: &Expr| ast::call("iota", vec![n.clone()]);
        match (kind, args.as_slice()) {
            (Check::Index, [index, n]) => Some(ast::index(numbers(n), vec![index.clone()])),
            (Check::Slice, [lo, hi, n]) => Some(ast::slice(numbers(n), lo.clone(), hi.clone(), None)),
            (Check::Step, [step]) => {
                Some(ast::slice(numbers(&ast::int(0)), ast::int(0), ast::int(0), Some(step.clone())))
            }
            (Check::SizeNonNeg, [n]) => Some(ast::call("zeros", vec![n.clone()])),
            (Check::NonEmpty, [n]) => Some(ast::call("maximum", vec![numbers(n)])),
            _ => None,
        }
    }

    /// `zeros(n, m)`, `ones(n)`
    fn filled(&mut self, axes: &[Axis], body: &Block) -> Option<Expr> {
        let [Atom::Const(Const::F64(value))] = body.results.as_slice() else { return None };
        let function = match value.to_bits() {
            0 => "zeros",
            bits if bits == 1f64.to_bits() => "ones",
            _ => return None,
        };
        Some(ast::call(function, axes.iter().map(|a| self.size_expr(a.extent)).collect()))
    }

    /// A reduction over several axes becomes nested reductions, each over the outermost axis of its argument.
    pub fn reduce(&mut self, kind: Reduction, axes: &[Axis], body: &Block) -> Expr {
        if let Some(array) = self.whole_array(axes, body) {
            return ast::call(reduction(kind), vec![self.var(array)]);
        }
        self.names.open();
        let axes = self.axes(axes);
        let mut value = self.block(body);
        self.names.close();
        for axis in axes.into_iter().rev() {
            value = ast::call(reduction(kind), vec![ast::for_(&[axis], value)]);
        }
        value
    }

    /// The array whose elements the body yields one after the other.
    pub fn whole_array(&self, axes: &[Axis], body: &Block) -> Option<VarId> {
        let ([axis], [Stmt { op: Op::Read { array, index, .. }, vars, .. }]) = (axes, body.stmts.as_slice()) else {
            return None;
        };
        let same = vars.first().map(|&v| Atom::Var(v)) == body.results.first().copied()
            && *index == [Atom::Var(axis.index)]
            && self.func.ty(*array).dims == [axis.extent];
        same.then_some(*array)
    }

    /// A loop without a state, which is there for its checks, has a number for one.
    pub fn loop_(&mut self, axis: Axis, reverse: bool, inits: &[Atom], body: &Block) -> Expr {
        let init = match inits {
            [] => ast::int(0),
            _ => ast::tuple(inits.iter().map(|&a| self.atom(a)).collect()),
        };
        let extent = self.size_expr(axis.extent);
        self.names.open();
        let state: Vec<String> = body.params.iter().map(|&p| self.bind(p)).collect();
        let index = self.names.fresh_index(self.func.name(axis.index));
        self.exprs.insert(axis.index, ast::var(&index));
        let counter = if reverse { self.names.fresh("r") } else { index.clone() };
        let mut body = match inits {
            [] => self.block_with(body, |_, _| ast::int(0)),
            _ => self.block(body),
        };
        if reverse {
            let last = ast::binary(BinaryOp::Sub, extent.clone(), ast::int(1));
            let down = ast::binary(BinaryOp::Sub, last, ast::var(&counter));
            body = ast::let_(vec![ast::binding(ast::pattern(&[index]), down)], body);
        }
        self.names.close();
        ast::loop_(ast::pattern(&state), init, (&counter, extent), body)
    }

    /// `loop state = init while cond do body`: condition and body share one name for each part of the state.
    pub fn while_(&mut self, inits: &[Atom], cond: &Block, body: &Block) -> Expr {
        let init = ast::tuple(inits.iter().map(|&a| self.atom(a)).collect());
        self.names.open();
        let state: Vec<String> = body.params.iter().map(|&p| self.bind(p)).collect();
        for (&p, name) in cond.params.iter().zip(&state) {
            self.exprs.insert(p, ast::var(name));
        }
        let (cond, body) = (self.block(cond), self.block(body));
        self.names.close();
        ast::loop_while(ast::pattern(&state), init, cond, body)
    }

    /// `argsort` takes one axis: in an array with more, each row has an order of its own.
    pub fn argsort(&mut self, array: VarId) -> Expr {
        let rows = self.func.ty(array).rank().saturating_sub(1);
        self.names.open();
        let names: Vec<String> = (0..rows).map(|_| self.names.fresh("row")).collect();
        self.names.close();
        let mut e = ast::call("argsort", vec![names.last().map_or_else(|| self.var(array), |row| ast::var(row))]);
        for (at, row) in names.iter().enumerate().rev() {
            let of = at.checked_sub(1).and_then(|outer| names.get(outer));
            let rows = of.map_or_else(|| self.var(array), |outer| ast::var(outer));
            e = ast::for_in(row, rows, e);
        }
        e
    }

    /// A computation with a custom derivative, inlined: the printed code has the derived one.
    pub fn called(&mut self, inputs: &[Atom], body: &Block) -> Expr {
        let values: Vec<Expr> = inputs.iter().map(|&a| self.atom(a)).collect();
        self.names.open();
        let names: Vec<String> = body.params.iter().map(|&p| self.bind(p)).collect();
        let bindings = names.into_iter().zip(values).map(|(name, value)| ast::binding(ast::pattern(&[name]), value));
        let bindings = bindings.collect();
        let result = self.block(body);
        self.names.close();
        ast::let_(bindings, result)
    }
}

/// The built-in function that reduces this way.
fn reduction(kind: Reduction) -> &'static str {
    match kind {
        Reduction::Sum => "sum",
        Reduction::Product => "product",
        Reduction::Max => "maximum",
        Reduction::Min => "minimum",
        Reduction::ArgMax => "argmax",
        Reduction::ArgMin => "argmin",
        Reduction::Any => "any",
        Reduction::All => "all",
    }
}
