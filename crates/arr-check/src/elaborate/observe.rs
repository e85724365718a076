//! The bodies of tests: what is observed when they run.
//!
//! A test that asks whether something holds gives its verdicts, and beside the verdict of a comparison the two values
//! that were compared. A gradient test gives one number, in which every float of its body has a weight of its own.

use crate::data::problem::Problem;
use crate::data::tables::DefInfo;
use crate::data::types::Ty;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use arr_base::Span;
use arr_ir::{Atom, Const, Prim, Reduction, Scalar};
use arr_syntax::ast::{BinaryOp, Expr, ExprKind, PatternKind, TestDef};

/// What one part of a test's body gives, in the order of the results.
#[derive(Clone, PartialEq, Debug)]
pub enum Observation {
    /// One value: the verdict.
    Verdict { span: Span },
    /// Three values: the verdict, the left side, the right side.
    Comparison { op: BinaryOp, span: Span },
}

/// What the results of a test are: of its body under `let`s, or of each component where that is a tuple.
pub fn observations(body: &Expr) -> Vec<Observation> {
    let mut parts = Vec::new();
    let mut todo = vec![body];
    while let Some(e) = todo.pop() {
        match &*e.kind {
            ExprKind::Let(_, body) => todo.push(body),
            ExprKind::Tuple(items) => todo.extend(items.iter().rev()),
            ExprKind::Binary(op, _, _) if op.is_comparison() => {
                parts.push(Observation::Comparison { op: *op, span: e.span });
            }
            _ => parts.push(Observation::Verdict { span: e.span }),
        }
    }
    parts
}

impl<'a> Elab<'a> {
    /// The results of a test, see [`observations`]; one float for a gradient test.
    pub fn test_body(&mut self, test: &'a TestDef) -> Val {
        if test.gradient {
            return self.objective(&test.def.body);
        }
        let mut parts = Vec::new();
        self.observe(&test.def.body, &mut parts);
        if parts.is_empty() {
            let what = "a test says what holds: its body is a `bool`, or booleans".to_string();
            self.fail(Problem::TestBody { span: test.def.body.span, what, ty: Some("()".to_string()) });
        }
        let close = parts.iter().any(|(part, vals)| {
            let float = vals.get(1).is_some_and(|v| v.ty.has_float());
            matches!(part, Observation::Comparison { op: BinaryOp::Eq, .. }) && float
        });
        let failed = parts.iter().flat_map(|(_, vals)| vals).any(Val::is_error);
        if let Some(within) = test.within.as_ref().filter(|_| !close && !failed) {
            let what = "`within` is for a comparison `==` of floats".to_string();
            self.fail(Problem::TestBody { span: within.span, what, ty: None });
        }
        Val::tuple(parts.into_iter().flat_map(|(_, vals)| vals).collect())
    }

    fn observe(&mut self, e: &'a Expr, parts: &mut Vec<(Observation, Vec<Val>)>) {
        match &*e.kind {
            ExprKind::Let(bindings, body) => {
                let mark = self.env.mark();
                self.let_bindings(bindings, body);
                self.observe(body, parts);
                self.env.close(mark);
            }
            ExprKind::Tuple(items) => items.iter().for_each(|item| self.observe(item, parts)),
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let outer = self.b.span.replace(e.span);
                let (left, right) = self.operands(*op, a, b, &Hint::None);
                let values = [left.val.clone(), right.val.clone()];
                let verdict = self.binary_values(*op, left, right);
                self.b.span = outer;
                let vals = std::iter::once(verdict).chain(values).collect();
                parts.push((Observation::Comparison { op: *op, span: e.span }, vals));
            }
            _ => {
                let verdict = self.expr(e, &Hint::None);
                let leaves = verdict.ty.leaves();
                let holds = !leaves.is_empty() && leaves.iter().all(|(_, ty)| ty.elem == Scalar::Bool);
                if !verdict.is_error() && (!holds || verdict.ty.has_fn()) {
                    let what = "a test says what holds: its body is a `bool`, or booleans".to_string();
                    let ty = Some(self.show(&verdict.ty));
                    self.fail(Problem::TestBody { span: e.span, what, ty });
                }
                parts.push((Observation::Verdict { span: e.span }, vec![verdict]));
            }
        }
    }

    /// The body of a gradient test as one number, whose derivative is wrong where that of a part is.
    fn objective(&mut self, body: &'a Expr) -> Val {
        let val = self.expr(body, &Hint::None);
        if val.is_error() {
            return val;
        }
        let leaves = val.ty.leaves();
        if leaves.is_empty() || val.ty.has_fn() || !leaves.iter().all(|(_, ty)| ty.elem.is_float()) {
            let what = "a gradient test needs floats to differentiate".to_string();
            let ty = Some(self.show(&val.ty));
            return self.fail(Problem::TestBody { span: body.span, what, ty });
        }
        self.as_number(val)
    }

    /// A value as one number: the sum of its floats, each with a weight of its own. A value that is one float is left as it is, so
    /// that the derivatives shown are the user's, and so is one without floats.
    pub fn as_number(&mut self, val: Val) -> Val {
        if val.is_error() || val.ty.has_fn() || val.ty.as_scalar().is_some() {
            return val;
        }
        let mut total = None;
        let leaves = val.ty.leaves();
        let floats = val.leaves.iter().zip(leaves).filter(|(_, (_, ty))| ty.elem.is_float());
        for (place, (atom, (_, ty))) in floats.enumerate() {
            let atom = *atom;
            let sum = match ty.dims.as_slice() {
                [] => self.weighted(atom, ty.elem, place, &[]),
                dims => self.reduce(Reduction::Sum, dims, |e, index| {
                    let element = e.read_inside(atom, index.to_vec());
                    e.weighted(element, ty.elem, place, index)
                }),
            };
            total = Some(total.map_or(sum, |total| self.prim(Prim::Add, vec![total, sum])));
        }
        match total {
            Some(total) => Val::scalar(Scalar::F64, total),
            None => val,
        }
    }

    fn weighted(&mut self, element: Atom, elem: Scalar, place: usize, index: &[Atom]) -> Atom {
        let element = if elem == Scalar::F64 { element } else { self.prim(Prim::ToF64, vec![element]) };
        let weight = self.weight(place, index);
        self.prim(Prim::Mul, vec![element, weight])
    }

    /// A number between 1/2 and 3/2 that differs from one neighbour to the next.
    fn weight(&mut self, place: usize, index: &[Atom]) -> Atom {
        let start = i64::try_from(place % 5).unwrap_or(0);
        let mut mixed = Self::int(start);
        if index.is_empty() {
            return Atom::Const(Const::F64(start as f64 / 7.0 + 0.5));
        }
        for (i, factor) in index.iter().zip([3, 5, 2, 6, 4].into_iter().cycle()) {
            let term = self.prim(Prim::Mul, vec![*i, Self::int(factor)]);
            mixed = self.prim(Prim::Add, vec![mixed, term]);
        }
        let rest = self.prim(Prim::Rem, vec![mixed, Self::int(7)]);
        let rest = self.prim(Prim::ToF64, vec![rest]);
        let part = self.prim(Prim::Div, vec![rest, Atom::Const(Const::F64(7.0))]);
        self.prim(Prim::Add, vec![part, Atom::Const(Const::F64(0.5))])
    }

    /// What the parameters of a test must be, so that arguments can be made for them.
    pub fn check_test_parameters(&mut self, test: &'a TestDef, info: &DefInfo, params: &[Val]) {
        for (param, val) in info.params().iter().zip(params) {
            if val.ty.has_fn() {
                let place = "a parameter of a test";
                self.fail(Problem::FunctionValue { span: param.span, place, hint: None });
            }
        }
        if !test.gradient {
            return;
        }
        for param in test.def.params.iter().flatten() {
            if !matches!(param.pattern.kind, PatternKind::Name(_) | PatternKind::Error) {
                let what = "a parameter of a gradient test is a name".to_string();
                self.fail(Problem::TestBody { span: param.pattern.span, what, ty: None });
            }
        }
        let unknown = params.iter().any(|val| matches!(val.ty, Ty::Error));
        let float = params.iter().flat_map(|val| val.ty.leaves()).any(|(_, ty)| ty.elem.is_float());
        if !float && !unknown {
            let what = "a gradient test has a parameter with floats".to_string();
            self.fail(Problem::TestBody { span: info.span, what, ty: None });
        }
    }
}
