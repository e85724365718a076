//! Straight-line code under construction: a list of statements and the function that owns their variables.

use crate::error::AdError;
use arr_base::Span;
use arr_ir::integers::Integers;
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Poly, Prim, Reduction, Scalar, SizeId, Stmt, Type, VarId};
use rustc_hash::FxHashSet;

/// Statements being appended. Products with 1 and sums with 0 are left out, so that derivatives read as a person would
/// write them.
pub(crate) struct CodeBuilder<'f> {
    pub func: &'f mut Func,
    pub stmts: Vec<Stmt>,
    pub span: Option<Span>,
    /// Variables that stand for operands and have cotangents of their own. [`with_inputs`] replaces them at the end.
    aliases: Vec<(VarId, Atom)>,
    /// The loops around whose code is written here.
    pub loops: Vec<Axis>,
    /// The integers that iterations of loops compute.
    pub integers: Integers,
}

impl<'f> CodeBuilder<'f> {
    pub fn new(func: &'f mut Func, span: Option<Span>) -> Self {
        CodeBuilder {
            func,
            stmts: Vec::new(),
            span,
            aliases: Vec::new(),
            loops: Vec::new(),
            integers: Integers::default(),
        }
    }

    /// Runs `f` on fresh code, and returns the statements that it wrote with its result.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut CodeBuilder<'_>) -> T) -> (Vec<Stmt>, T) {
        let aliases = std::mem::take(&mut self.aliases);
        let loops = std::mem::take(&mut self.loops);
        let integers = std::mem::take(&mut self.integers);
        let mut inner = CodeBuilder { func: self.func, stmts: Vec::new(), span: self.span, aliases, loops, integers };
        let value = f(&mut inner);
        self.aliases = inner.aliases;
        self.loops = inner.loops;
        self.integers = inner.integers;
        (inner.stmts, value)
    }

    /// Lets a variable that no statement binds stand for an operand.
    pub fn alias(&mut self, var: VarId, atom: Atom) {
        self.aliases.push((var, atom));
    }

    /// A block of the statements that `f` writes and the results that it returns.
    pub fn block(&mut self, f: impl FnOnce(&mut CodeBuilder<'_>) -> Vec<Atom>) -> Block {
        let (stmts, results) = self.nested(f);
        Block { params: Vec::new(), stmts, results }
    }

    pub fn push(&mut self, vars: Vec<VarId>, op: Op) {
        self.stmts.push(Stmt { vars, op, span: self.span });
    }

    /// A scalar primitive, with its trivial cases simplified away. The caller sees to it that the types fit.
    pub fn prim(&mut self, prim: Prim, args: &[Atom], name: &str) -> Atom {
        if let Some(simple) = self.trivial(prim, args) {
            return simple;
        }
        let elems: Vec<Scalar> = args.iter().map(|a| self.func.atom_elem(*a)).collect();
        let elem = match prim.result(&elems) {
            Some(elem) => elem,
            None => self.func.broken(Scalar::Bool, "a primitive is not defined on its operands"),
        };
        let var = self.func.scalar_var(name, elem);
        self.push(vec![var], Op::Prim(prim, args.to_vec()));
        Atom::Var(var)
    }

    fn trivial(&self, prim: Prim, args: &[Atom]) -> Option<Atom> {
        let constants: Option<Vec<Const>> = args.iter().map(|a| a.constant()).collect();
        if let Some(constants) = constants {
            return prim.fold(&constants).map(Atom::Const);
        }
        let is = |a: Atom, test: fn(Const) -> bool| a.constant().is_some_and(test);
        match (prim, args) {
            (Prim::Mul | Prim::MulZero, [a, b]) if is(*a, Const::is_one) => Some(*b),
            (Prim::Mul | Prim::Div | Prim::MulZero, [a, b]) if is(*b, Const::is_one) => Some(*a),
            (Prim::Add, [a, b]) if is(*a, Const::is_zero) => Some(*b),
            (Prim::Add | Prim::Sub, [a, b]) if is(*b, Const::is_zero) => Some(*a),
            (Prim::And, [a, b]) if is(*a, |c| c.as_bool() == Some(true)) => Some(*b),
            (Prim::And, [a, b]) if is(*b, |c| c.as_bool() == Some(true)) => Some(*a),
            _ => None,
        }
    }

    pub fn add(&mut self, a: Atom, b: Atom) -> Atom {
        self.prim(Prim::Add, &[a, b], "d")
    }

    /// The number `value` in the type of `like`.
    pub fn number(&self, like: Atom, value: f64) -> Atom {
        match self.func.atom_elem(like) {
            Scalar::F32 => Atom::Const(Const::F32(value as f32)),
            _ => Atom::Const(Const::F64(value)),
        }
    }

    pub fn zero(&self, elem: Scalar) -> Atom {
        Atom::Const(Const::zero(elem))
    }

    /// A read of an element that is known to be in bounds; a scalar variable is itself.
    pub fn read(&mut self, array: VarId, index: Vec<Atom>, name: &str) -> Atom {
        if index.is_empty() {
            return Atom::Var(array);
        }
        let elem = self.func.ty(array).elem;
        let var = self.func.scalar_var(name, elem);
        self.push(vec![var], Op::Read { array, index, checked: false });
        Atom::Var(var)
    }

    /// The element of an array operand at a point, named like the array; a scalar is itself.
    pub fn element(&mut self, array: Atom, point: &[Atom]) -> Atom {
        let name = array.var().map_or("", |v| self.func.name(v)).to_string();
        self.element_as(array, point, &name)
    }

    /// [`Self::element`], under another name.
    pub fn element_as(&mut self, array: Atom, point: &[Atom], name: &str) -> Atom {
        match array {
            Atom::Var(v) => self.read(v, point.to_vec(), name),
            Atom::Const(_) => array,
        }
    }

    /// Fresh axes over the given sizes, and their indices.
    pub fn axes(&mut self, dims: &[SizeId]) -> (Vec<Axis>, Vec<Atom>) {
        const NAMES: [&str; 6] = ["i", "j", "k", "l", "m", "o"];
        let axes: Vec<Axis> = dims
            .iter()
            .enumerate()
            .map(|(n, &extent)| {
                let name = NAMES.get(n).copied().unwrap_or("i");
                Axis { index: self.func.scalar_var(name, Scalar::I64), extent }
            })
            .collect();
        let index = axes.iter().map(|a| Atom::Var(a.index)).collect();
        (axes, index)
    }

    /// Records that an invariant of this crate does not hold: the pipeline stops after the present step. Always `Ok`.
    pub fn broken(&mut self, what: &'static str) -> Result<(), AdError> {
        self.func.broken(Ok(()), what)
    }

    /// The one result of a `build` of a body that has one.
    pub fn build_one(&mut self, axes: Vec<Axis>, body: Block, name: &str) -> Atom {
        match self.build(axes, body, name).as_slice() {
            &[one] => one,
            _ => self.func.broken(Atom::bool(false), "a kernel has not one result"),
        }
    }

    /// A computation with a declared derivative, with a copy of the rule, so that a derivative of this code, in a rule or
    /// further out, is again the declared one.
    pub fn custom(
        &mut self,
        (vars, span): (Vec<VarId>, Option<Span>),
        inputs: Vec<Atom>,
        (body, rule): (Block, &Block),
        transposed: bool,
    ) {
        let rule = Subst::new().clone_block(self.func, rule);
        self.stmts.push(Stmt { vars, op: Op::Custom { inputs, body, rule, transposed }, span });
    }

    /// The sum of values of one type, element by element; `None` for none.
    pub fn dense_sum(&mut self, ty: &Type, dense: &[Atom], name: &str) -> Option<Atom> {
        match dense {
            [] => None,
            [one] => Some(*one),
            _ if ty.is_scalar() => dense.iter().copied().reduce(|a, b| self.prim(Prim::Add, &[a, b], name)),
            _ => {
                let (axes, index) = self.axes(&ty.dims);
                let body = self.block(|code| {
                    let mut sum: Option<Atom> = None;
                    for array in dense.iter().filter_map(|a| a.var()) {
                        let d = code.read(array, index.clone(), name);
                        sum = Some(match sum {
                            None => d,
                            Some(s) => code.prim(Prim::Add, &[s, d], name),
                        });
                    }
                    sum.into_iter().collect()
                });
                Some(self.build_one(axes, body, name))
            }
        }
    }

    /// The one result of a sum of a body that has one.
    pub fn sum_one(&mut self, axes: Vec<Axis>, body: Block, name: &str) -> Atom {
        match self.reduce(Reduction::Sum, axes, body, name).as_slice() {
            &[one] => one,
            _ => self.func.broken(Atom::bool(false), "a sum has not one result"),
        }
    }

    /// A `build` of the body, with one result per result of the body; without axes, the statements of the body itself.
    pub fn build(&mut self, axes: Vec<Axis>, body: Block, name: &str) -> Vec<Atom> {
        if axes.is_empty() {
            self.stmts.extend(body.stmts);
            return body.results;
        }
        let dims: Vec<SizeId> = axes.iter().map(|a| a.extent).collect();
        let vars: Vec<VarId> = body
            .results
            .iter()
            .map(|&r| {
                let Type { elem, dims: own } = self.func.atom_ty(r);
                let ty = self.func.types.array(dims.iter().copied().chain(own).collect(), elem);
                self.func.var(name, ty)
            })
            .collect();
        self.push(vars.clone(), Op::Build { axes, body });
        vars.into_iter().map(Atom::Var).collect()
    }

    /// A `reduce` of the body; a sum without axes, which has one term, is the statements of the body itself.
    pub fn reduce(&mut self, kind: Reduction, axes: Vec<Axis>, body: Block, name: &str) -> Vec<Atom> {
        if axes.is_empty() && kind == Reduction::Sum {
            self.stmts.extend(body.stmts);
            return body.results;
        }
        let vars: Vec<VarId> = body
            .results
            .iter()
            .map(|&r| {
                let elem = match kind {
                    Reduction::ArgMax | Reduction::ArgMin => Scalar::I64,
                    _ => self.func.atom_elem(r),
                };
                self.func.scalar_var(name, elem)
            })
            .collect();
        self.push(vars.clone(), Op::Reduce { kind, axes, body });
        vars.into_iter().map(Atom::Var).collect()
    }

    /// An array (or scalar) of the given type filled with zeros.
    pub fn zeros(&mut self, ty: &Type, name: &str) -> Atom {
        let zero = self.zero(ty.elem);
        let (axes, _) = self.axes(&ty.dims);
        let body = Block { params: Vec::new(), stmts: Vec::new(), results: vec![zero] };
        self.build_one(axes, body, name)
    }

    /// `if cond then ... else zeros`: scalar results of code that runs only where the condition holds, if there is one.
    pub fn guarded(&mut self, cond: Option<Atom>, f: impl FnOnce(&mut CodeBuilder<'_>) -> Vec<Atom>) -> Vec<Atom> {
        let Some(cond) = cond else { return f(self) };
        let then_block = self.block(f);
        let zeros: Vec<Atom> = then_block.results.iter().map(|&r| self.zero(self.func.atom_elem(r))).collect();
        let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: zeros };
        self.if_(cond, then_block, else_block, "d")
    }

    pub fn if_(&mut self, cond: Atom, then_block: Block, else_block: Block, name: &str) -> Vec<Atom> {
        let vars: Vec<VarId> = then_block
            .results
            .iter()
            .map(|&r| {
                let ty = self.func.atom_ty(r);
                let ty = self.func.types.ty(ty);
                self.func.var(name, ty)
            })
            .collect();
        self.push(vars.clone(), Op::If { cond, then_block, else_block });
        vars.into_iter().map(Atom::Var).collect()
    }
}

/// Code for the value of a polynomial.
pub(crate) fn emit_poly(code: &mut CodeBuilder<'_>, poly: &Poly) -> Atom {
    // Positive terms first, so that `n - 1 - i` does not begin with a negation.
    let mut terms: Vec<(&arr_base::Monomial<VarId>, i64)> = poly.terms.iter().map(|(m, &c)| (m, c)).collect();
    terms.sort_by_key(|(m, c)| (*c < 0, m.is_empty()));
    let mut sum: Option<Atom> = None;
    for (monomial, c) in terms {
        let magnitude = c.wrapping_abs();
        let mut product: Option<Atom> = (magnitude != 1 || monomial.is_empty()).then(|| Atom::int(magnitude));
        for &v in monomial {
            product = Some(match product {
                None => Atom::Var(v),
                Some(p) => code.prim(Prim::Mul, &[p, Atom::Var(v)], "i"),
            });
        }
        let term = product.unwrap_or(Atom::int(1));
        sum = Some(match (sum, c < 0) {
            (None, false) => term,
            (None, true) => code.prim(Prim::Neg, &[term], "i"),
            (Some(s), false) => code.prim(Prim::Add, &[s, term], "i"),
            (Some(s), true) => code.prim(Prim::Sub, &[s, term], "i"),
        });
    }
    sum.unwrap_or(Atom::int(0))
}

/// A copy of a block that has run before. Its accesses are unchecked, as they were checked then.
pub(crate) fn copy_block(func: &mut Func, subst: &mut Subst, block: &Block) -> Block {
    let mut copy = subst.clone_block(func, block);
    elide_checks(&mut copy);
    copy
}

/// Those of the statements that the results need. All have run before, so that no error is lost with the others.
pub(crate) fn needed(func: &Func, stmts: Vec<Stmt>, results: &[Atom]) -> Vec<Stmt> {
    let mut wanted: FxHashSet<VarId> = results.iter().filter_map(|a| a.var()).collect();
    let mut kept: Vec<Stmt> = Vec::new();
    for stmt in stmts.into_iter().rev() {
        if stmt.vars.iter().any(|v| wanted.contains(v)) {
            for_each_use(func, &stmt.op, &mut |v| {
                wanted.insert(v);
            });
            kept.push(stmt);
        }
    }
    kept.reverse();
    kept
}

/// A copy of a statement that has run before, with its accesses unchecked.
pub(crate) fn copy_stmt(func: &mut Func, subst: &mut Subst, stmt: &Stmt) -> Stmt {
    let mut copy = subst.clone_stmt(func, stmt);
    elide_checks_op(&mut copy.op);
    copy
}

/// Removes the checks of a block that has run before, and what it has shown.
pub(crate) fn elide_checks(block: &mut Block) {
    elide(block, true);
}

fn elide(block: &mut Block, traces: bool) {
    block.stmts.retain(|s| match s.op {
        Op::Check { .. } => false,
        Op::Trace { .. } => !traces,
        _ => true,
    });
    for stmt in &mut block.stmts {
        elide_op(&mut stmt.op, traces);
    }
}

pub(crate) fn elide_checks_op(op: &mut Op) {
    elide_op(op, true);
}

fn elide_op(op: &mut Op, traces: bool) {
    if let Op::Read { checked, .. } | Op::Scatter { checked, .. } = op {
        *checked = false;
    }
    // The rule has shown nothing yet.
    if let Op::Custom { body, rule, .. } = op {
        elide(body, traces);
        return elide(rule, false);
    }
    for block in op.blocks_mut() {
        elide(block, traces);
    }
}

/// The finished code and its results, with the inputs of a derivative in place of its params, and operands in place of
/// their aliases. Until here these are variables of their own, so that the two roles of an input that is also captured
/// stay apart.
pub(crate) fn with_inputs(
    code: CodeBuilder<'_>,
    params: &[VarId],
    inputs: &[Atom],
    mut results: Vec<Atom>,
) -> (Vec<Stmt>, Vec<Atom>) {
    let CodeBuilder { func, mut stmts, aliases, .. } = code;
    let mut subst = Subst::new();
    for (&param, &input) in params.iter().zip(inputs) {
        subst.insert(param, input);
    }
    for (var, atom) in aliases {
        let atom = subst.atom(atom);
        subst.insert(var, atom);
    }
    for stmt in &mut stmts {
        subst.apply_to_stmt(func, stmt);
    }
    for result in &mut results {
        *result = subst.atom(*result);
    }
    (stmts, results)
}

/// The reduction that the body of a `build` consists of, if it is one.
pub(crate) fn reduce_of(body: &Block) -> Option<&Stmt> {
    match body.stmts.as_slice() {
        [stmt] if matches!(stmt.op, Op::Reduce { .. }) => Some(stmt),
        _ => None,
    }
}

/// The statements and results of a block with operands in place of its params.
pub(crate) fn inlined(func: &mut Func, block: Block, inputs: &[Atom]) -> (Vec<Stmt>, Vec<Atom>) {
    let mut subst = Subst::new();
    for (&param, &input) in block.params.iter().zip(inputs) {
        subst.insert(param, input);
    }
    let mut block = Block { params: Vec::new(), ..block };
    subst.apply_to_block(func, &mut block);
    (block.stmts, block.results)
}

/// The name of a cotangent or tangent of a variable: `d_x` for `x`.
pub(crate) fn d_name(func: &Func, var: VarId) -> String {
    let name = func.name(var);
    if name.starts_with("d_") { name.to_string() } else { format!("d_{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_one_term_has_one_result() {
        let mut func = Func::new("f");
        let body = |results| Block { params: Vec::new(), stmts: Vec::new(), results };
        let one = Atom::Const(Const::F64(1.0));
        assert_eq!(CodeBuilder::new(&mut func, None).sum_one(Vec::new(), body(vec![one]), "s"), one);
        assert!(func.broken.is_empty());
        CodeBuilder::new(&mut func, None).sum_one(Vec::new(), body(Vec::new()), "s");
        assert_eq!(func.broken, ["a sum has not one result"]);
    }
}
