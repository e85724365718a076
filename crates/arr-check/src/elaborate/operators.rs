//! Operators: elementwise arithmetic and comparison, logic, and contraction.

use crate::data::problem::{Problem, Role};
use crate::data::types::{SumTy, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::literal::is_arithmetic;
use arr_ir::{Atom, Prim, Reduction, Scalar, SizeId};
use arr_syntax::ast::{BinaryOp, Expr, UnaryOp};

/// The largest constant exponent that is a whole number of factors, though it is written as a float. `powi` is as
/// accurate as `pow` for so few.
const WHOLE_EXPONENT: f64 = 16.0;

fn prim_of(op: BinaryOp) -> Option<Prim> {
    Some(match op {
        BinaryOp::Add => Prim::Add,
        BinaryOp::Sub => Prim::Sub,
        BinaryOp::Mul => Prim::Mul,
        BinaryOp::Div => Prim::Div,
        BinaryOp::Rem => Prim::Rem,
        BinaryOp::Pow => Prim::Pow,
        BinaryOp::Eq => Prim::Eq,
        BinaryOp::Ne => Prim::Ne,
        BinaryOp::Lt => Prim::Lt,
        BinaryOp::Le => Prim::Le,
        BinaryOp::Gt => Prim::Gt,
        BinaryOp::Ge => Prim::Ge,
        BinaryOp::And => Prim::And,
        BinaryOp::Or => Prim::Or,
        BinaryOp::MatMul => return None,
    })
}

/// The sum that a type is, or is an array of, where a tag says all about a value of it.
fn enumeration(ty: &Ty) -> Option<&SumTy> {
    let (_, Ty::Sum(sum)) = ty.peel() else { return None };
    (sum.has_tag() && sum.payload().next().is_none()).then_some(&**sum)
}

impl<'a> Elab<'a> {
    pub fn unary(&mut self, op: UnaryOp, e: &'a Expr, hint: &Hint) -> Val {
        let val = self.expr(e, &hint.elem_only());
        let (prim, symbol) = match op {
            UnaryOp::Neg => (Prim::Neg, "-"),
            UnaryOp::Not => (Prim::Not, "not"),
        };
        self.pointwise(prim, symbol, &[Arg { val, span: e.span }])
    }

    pub fn binary(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr, hint: &Hint) -> Val {
        if op == BinaryOp::Pow {
            return self.power_expr(a, b, hint);
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.logic(op, a, b);
        }
        let (a, b) = self.operands(op, a, b, hint);
        self.binary_values(op, a, b)
    }

    /// The two sides of an operator: a literal takes the type of the other side.
    pub fn operands(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr, hint: &Hint) -> (Arg, Arg) {
        let outer = if is_arithmetic(op) || op == BinaryOp::MatMul { hint.elem_only() } else { Hint::None };
        let (first, second, swapped) =
            if self.is_flexible(a) && !self.is_flexible(b) { (b, a, true) } else { (a, b, false) };
        let outer = if self.is_flexible(first) { self.joint_hint(outer, [a, b]) } else { outer };
        let first_val = self.expr(first, &outer);
        let numeric = first_val.ty.as_numeric().map(|(_, elem)| elem);
        let elem = numeric.or_else(|| first_val.ty.one_number()).map_or(outer, Hint::Elem);
        let second_val = self.expr(second, &elem);
        let (first, second) = (Arg { val: first_val, span: first.span }, Arg { val: second_val, span: second.span });
        if swapped { (second, first) } else { (first, second) }
    }

    /// A binary operator on values; `and` and `or` are strict here.
    pub fn binary_values(&mut self, op: BinaryOp, a: Arg, b: Arg) -> Val {
        match (op, prim_of(op)) {
            (BinaryOp::Pow, _) => self.power(a, b),
            (_, Some(prim)) => self.pointwise(prim, op.symbol(), &[a, b]),
            (_, None) => self.contract(a, b),
        }
    }

    /// `x ** p`: an integer exponent of a float stays an integer.
    fn power_expr(&mut self, a: &'a Expr, b: &'a Expr, hint: &Hint) -> Val {
        let (base, exponent) = self.power_operands(a, b, hint);
        self.power(Arg { val: base, span: a.span }, Arg { val: exponent, span: b.span })
    }

    pub fn power_operands(&mut self, a: &'a Expr, b: &'a Expr, hint: &Hint) -> (Val, Val) {
        let outer = hint.elem_only();
        let open = outer == Hint::None && self.is_flexible(a);
        // An exponent with a point makes an integer before it a float.
        let outer = if open && self.wants_float(b) { Hint::Elem(Scalar::F64) } else { outer };
        if self.is_flexible(a) && !self.is_flexible(b) {
            let exponent = self.expr(b, &Hint::None);
            let float = exponent.ty.as_numeric().map(|(_, elem)| elem).filter(|elem| elem.is_float());
            (self.expr(a, &float.map_or(outer, Hint::Elem)), exponent)
        } else {
            let base = self.expr(a, &outer);
            let int = base.ty.as_numeric().map(|(_, elem)| elem).filter(|elem| elem.is_int());
            let float = self.wants_float(b);
            let elem = base.ty.as_numeric().map_or(Hint::None, |(_, elem)| Hint::Elem(elem));
            let hint = match int {
                None if !float => Hint::Elem(Scalar::I64),
                _ => elem,
            };
            (base, self.expr(b, &hint))
        }
    }

    pub fn power(&mut self, a: Arg, b: Arg) -> Val {
        let (Some((_, x)), Some((_, p))) = (a.val.ty.as_numeric(), b.val.ty.as_numeric()) else {
            return self.pointwise(Prim::Pow, "**", &[a, b]);
        };
        if x.is_float() && p.is_int() {
            let exponent = if p == Scalar::I64 {
                b
            } else {
                Arg { val: self.pointwise(Prim::ToI64, "i64", std::slice::from_ref(&b)), span: b.span }
            };
            return self.pointwise(Prim::PowInt, "**", &[a, exponent]);
        }
        match b.val.atom().and_then(Atom::constant).and_then(|c| c.as_f64()).filter(|_| x == p) {
            Some(0.5) => self.pointwise(Prim::Sqrt, "sqrt", &[a]),
            Some(whole) if whole.fract() == 0.0 && whole.abs() <= WHOLE_EXPONENT => {
                let exponent = Val::scalar(Scalar::I64, Atom::int(whole as i64));
                self.pointwise(Prim::PowInt, "**", &[a, Arg { val: exponent, span: b.span }])
            }
            _ => self.pointwise(Prim::Pow, "**", &[a, b]),
        }
    }

    /// `and`, `or`: lazy on scalars, elementwise on arrays.
    fn logic(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr) -> Val {
        let left = self.expr(a, &Hint::None);
        let is_bool = |val: &Val| val.ty == Ty::Scalar(Scalar::Bool);
        let Some(cond) = left.atom().filter(|_| is_bool(&left)) else {
            let right = self.expr(b, &Hint::None);
            return self.binary_values(op, Arg { val: left, span: a.span }, Arg { val: right, span: b.span });
        };
        self.b.open();
        let right = self.expr(b, &Hint::None);
        if !is_bool(&right) {
            // An array on the right: both sides are evaluated, so the block's statements belong outside.
            self.splice();
            return self.binary_values(op, Arg { val: left, span: a.span }, Arg { val: right, span: b.span });
        }
        let lazy = self.b.close(right.leaves);
        let constant = arr_ir::Block { results: vec![Atom::bool(op == BinaryOp::Or)], ..Default::default() };
        let (then_block, else_block) = if op == BinaryOp::And { (lazy, constant) } else { (constant, lazy) };
        if then_block.stmts.is_empty() && else_block.stmts.is_empty() {
            // Nothing is saved by being lazy.
            let prim = if op == BinaryOp::And { Prim::And } else { Prim::Or };
            let other = if op == BinaryOp::And { then_block.results } else { else_block.results };
            let other = other.first().copied().unwrap_or(cond);
            return Val::scalar(Scalar::Bool, self.prim(prim, vec![cond, other]));
        }
        let results = self.b.if_(cond, then_block, else_block, op.symbol());
        Val::new(Ty::Scalar(Scalar::Bool), results.into_iter().map(Atom::Var).collect())
    }

    /// A primitive on scalars, or elementwise on arrays and scalars, whose trailing axes are equal; arithmetic also on records and
    /// tuples, `==` and `!=` also on sums whose constructors carry nothing.
    pub fn pointwise(&mut self, prim: Prim, symbol: &str, args: &[Arg]) -> Val {
        if args.iter().any(|a| a.val.is_error()) {
            return Val::error();
        }
        if let Some(val) = self.by_parts(prim, symbol, args) {
            return val;
        }
        if let Some(val) = self.different_sums(prim, symbol, args) {
            return val;
        }
        let tags = matches!(prim, Prim::Eq | Prim::Ne) && args.iter().all(|arg| enumeration(&arg.val.ty).is_some());
        let mut operands = Vec::new();
        for arg in args {
            let (dims, inner) = arg.val.ty.peel();
            let elem = if tags { Some(SumTy::TAG) } else { inner.as_scalar() };
            match (elem, arg.val.atom()) {
                (Some(elem), Some(atom)) => operands.push((dims, elem, atom)),
                _ => return self.bad_operand(symbol, arg),
            }
        }
        let elems: Vec<Scalar> = operands.iter().map(|(_, elem, _)| *elem).collect();
        let Some(elem) = prim.result(&elems) else {
            return self.bad_elements(prim, symbol, args, &elems);
        };
        let Some(dims) = self.common_shape(symbol, args) else { return Val::error() };
        let result = self.tabulate1(&dims, prim.name(), |e, index| {
            let read = |(dims, _, atom): &(Vec<SizeId>, Scalar, Atom)| {
                // Of an operand with fewer axes they are the last ones.
                let (_, own) = index.split_at(index.len().saturating_sub(dims.len()));
                e.read_inside(*atom, own.to_vec())
            };
            let scalars = operands.iter().map(read).collect();
            e.prim(prim, scalars)
        });
        Val::new(Ty::array(&dims, elem), vec![result])
    }

    /// The shape of the array with the most axes, empty when all are scalars. The axes of the others must be its last ones.
    pub fn common_shape(&mut self, symbol: &str, args: &[Arg]) -> Option<Vec<SizeId>> {
        let dims_of = |arg: &Arg| arg.val.ty.peel().0;
        // Of several the first, which messages call the left one.
        let from = args.iter().rev().max_by_key(|arg| dims_of(arg).len())?;
        let shape = dims_of(from);
        for arg in args {
            let dims = dims_of(arg);
            let trailing = shape.iter().skip(shape.len() - dims.len());
            let Some((&a, &b)) = trailing.zip(&dims).find(|(a, b)| a != b) else { continue };
            let (longer, other) = (self.show(&from.val.ty), self.show(&arg.val.ty));
            if shape.len() != dims.len() {
                let (op, span) = (symbol.to_string(), self.span());
                let (larger, smaller) = ((from.span, longer), (arg.span, other));
                self.fail(Problem::RankMismatch { op, span, larger, smaller });
                return None;
            }
            let facts = vec![(from.span, format!("this has type `{longer}`"))];
            let role = Role::Operand(symbol.to_string());
            self.size_problem(role, arg.span, longer, other, (a, b), facts);
            return None;
        }
        Some(shape)
    }

    /// The error for `==` between sums of two types.
    fn different_sums(&mut self, prim: Prim, symbol: &str, args: &[Arg]) -> Option<Val> {
        let (Prim::Eq | Prim::Ne, [a, b]) = (prim, args) else { return None };
        let (Ty::Sum(x), Ty::Sum(y)) = (a.val.ty.peel().1, b.val.ty.peel().1) else { return None };
        if x.name == y.name {
            return None;
        }
        let (left, right) = ((a.span, self.show(&a.val.ty)), (b.span, self.show(&b.val.ty)));
        let hint = Some("constructors are compared with those of the same type".to_string());
        Some(self.fail(Problem::Operator { op: symbol.to_string(), span: self.span(), left, right, hint }))
    }

    pub fn bad_operand(&mut self, symbol: &str, arg: &Arg) -> Val {
        let ty = self.show(&arg.val.ty);
        if arg.val.ty.has_fn() {
            let hint = self.function_hint(&arg.val.ty);
            return self.fail(Problem::FunctionValue { span: arg.span, place: "an operand", hint });
        }
        let hint = match arg.val.ty.peel().1 {
            Ty::Sum(_) => "take it apart with `match`",
            _ => "apply it to the parts, one by one",
        };
        let hint = Some(hint.to_string());
        let needs = "a scalar or an array of scalars";
        self.fail(Problem::Operand { op: symbol.to_string(), span: arg.span, ty, needs, hint })
    }

    fn bad_elements(&mut self, prim: Prim, symbol: &str, args: &[Arg], elems: &[Scalar]) -> Val {
        let op = symbol.to_string();
        if let ([a, b], [x, y]) = (args, elems)
            && x != y
        {
            let (left, right) = ((a.span, self.show(&a.val.ty)), (b.span, self.show(&b.val.ty)));
            let hint = match prim {
                Prim::And | Prim::Or => Some(format!("`{symbol}` takes booleans; compare, as in `x != 0`")),
                _ => mix_hint(*x, *y),
            };
            let span = self.span();
            return self.fail(Problem::Operator { op, span, left, right, hint });
        }
        let Some(arg) = args.first() else { return Val::error() };
        let ty = self.show(&arg.val.ty);
        let elem = elems.first().copied().unwrap_or(Scalar::Bool);
        let (needs, hint) = match prim.rule() {
            arr_ir::TypeRule::Bool => ("booleans", None),
            arr_ir::TypeRule::Select => ("a boolean, then two values of one type", None),
            arr_ir::TypeRule::Num if elem == Scalar::Bool => {
                ("numbers", Some("`f64(..)` and `i64(..)` make 0 or 1 of a boolean".to_string()))
            }
            arr_ir::TypeRule::Num => ("numbers of one type", None),
            arr_ir::TypeRule::Int => ("integers of one type", None),
            arr_ir::TypeRule::Compare if elem == Scalar::Bool => (
                "numbers",
                Some("booleans have no order: `not a and b` is true where `a` is false and `b` true".to_string()),
            ),
            arr_ir::TypeRule::Compare => ("two of one type", None),
            _ if elem.is_int() => ("floats", Some("convert it: `f64(..)`".to_string())),
            _ => ("floats", None),
        };
        self.fail(Problem::Operand { op, span: arg.span, ty, needs, hint })
    }

    /// `x @ y`: the last axis of `x` against the first of `y`.
    pub fn contract(&mut self, x: Arg, y: Arg) -> Val {
        if x.val.is_error() || y.val.is_error() {
            return Val::error();
        }
        let mut operands = Vec::new();
        for arg in [&x, &y] {
            match (arg.val.ty.as_numeric(), arg.val.atom()) {
                (Some((dims, elem)), Some(atom)) if !dims.is_empty() => operands.push((dims, elem, atom)),
                _ => {
                    let ty = self.show(&arg.val.ty);
                    return self.fail(Problem::NotAnArray { span: arg.span, ty, doing: "`@`" });
                }
            }
        }
        let [(xd, xe, xa), (yd, ye, ya)] = operands.as_slice() else { return Val::error() };
        let (Some((k, outer)), Some((k2, inner))) = (xd.split_last(), yd.split_first()) else {
            return Val::error();
        };
        if xe != ye || *xe == Scalar::Bool {
            return self.bad_elements(Prim::Mul, "@", &[x, y], &[*xe, *ye]);
        }
        if k != k2 {
            let facts = vec![(x.span, format!("this has type `{}`", self.show(&x.val.ty)))];
            let want: Vec<SizeId> = std::iter::once(*k).chain(inner.iter().copied()).collect();
            let (expected, found) = (self.show(&Ty::array(&want, *ye)), self.show(&y.val.ty));
            let role = Role::Operand("@".to_string());
            return self.size_problem(role, y.span, expected, found, (*k, *k2), facts);
        }
        let dims: Vec<SizeId> = outer.iter().chain(inner).copied().collect();
        let rows = outer.len();
        let result = self.tabulate1(&dims, "dot", |e, index| {
            let (left, right) = index.split_at(rows.min(index.len()));
            e.contraction(*k, (*xa, left), (*ya, right))
        });
        Val::new(Ty::array(&dims, *xe), vec![result])
    }

    /// The sum over one axis of products of elements.
    fn contraction(&mut self, k: SizeId, (x, left): (Atom, &[Atom]), (y, right): (Atom, &[Atom])) -> Atom {
        let (s, axis) = self.axis("s", k);
        self.b.open();
        let a = self.read_inside(x, left.iter().copied().chain([s]).collect());
        let b = self.read_inside(y, std::iter::once(s).chain(right.iter().copied()).collect());
        let product = self.prim(Prim::Mul, vec![a, b]);
        let body = self.b.close(vec![product]);
        let results = self.b.reduce(Reduction::Sum, vec![axis], body, "dot");
        match results.first() {
            Some(v) => Atom::Var(*v),
            None => self.broken("a contraction without a result"),
        }
    }
}

/// What to write where two element types meet.
fn mix_hint(a: Scalar, b: Scalar) -> Option<String> {
    match (a.is_float(), b.is_float()) {
        (true, false) => Some(format!("nothing is converted silently; convert the right side: `{a}(..)`")),
        (false, true) => Some(format!("nothing is converted silently; convert the left side: `{b}(..)`")),
        _ => Some(format!("nothing is converted silently; convert one side: `{a}(..)` or `{b}(..)`")),
    }
}
