//! Random trees, from a small linear congruential generator, so that a failure can be repeated by its seed.

use super::file;
use arr_base::Span;
use arr_syntax::ast::*;

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    fn some<T>(&mut self, n: usize, mut f: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..n).map(|_| f(self)).collect()
    }

    fn maybe<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.below(2) == 0 { Some(f(self)) } else { None }
    }
}

fn span() -> Span {
    Span::new(file(), 0, 0)
}

fn text(r: &mut Random) -> String {
    let names = ["a", "b", "x'", "_y", "long_name_of_something", "derivative", "as", "f64", "n", "lambda"];
    names[r.below(names.len())].to_string()
}

fn name(r: &mut Random) -> Name {
    Name { text: text(r), span: span() }
}

fn size(r: &mut Random, depth: usize) -> Size {
    let two = |r: &mut Random| (Box::new(size(r, depth - 1)), Box::new(size(r, depth - 1)));
    let kind = match r.below(if depth == 0 { 3 } else { 6 }) {
        0 => SizeKind::Int(r.below(100) as i64),
        1 => SizeKind::Name(["n", "m", "k", "net.width"][r.below(4)].into()),
        2 => SizeKind::Computed(["k", "l'"][r.below(2)].into()),
        3 => two(r).into_kind(SizeKind::Add),
        4 => two(r).into_kind(SizeKind::Sub),
        _ => two(r).into_kind(SizeKind::Mul),
    };
    Size { kind, span: span() }
}

trait IntoKind<T> {
    fn into_kind(self, f: fn(T, T) -> SizeKind) -> SizeKind;
}

impl<T> IntoKind<T> for (T, T) {
    fn into_kind(self, f: fn(T, T) -> SizeKind) -> SizeKind {
        f(self.0, self.1)
    }
}

pub fn ty(r: &mut Random, depth: usize) -> Type {
    let d = depth.saturating_sub(1);
    let kind = match r.below(if depth == 0 { 1 } else { 7 }) {
        0 | 1 => TypeKind::Named { name: Name { text: "f64".into(), span: span() }, args: Vec::new() },
        2 => {
            let n = 1 + r.below(3);
            let args = r.some(n, |r| match r.below(2) {
                0 => TypeArg::Size(size(r, d)),
                _ => TypeArg::Type(ty(r, d)),
            });
            TypeKind::Named { name: Name { text: ["Mix", "m.Mix"][r.below(2)].into(), span: span() }, args }
        }
        3 => TypeKind::Array(size(r, d), Box::new(ty(r, d))),
        4 => {
            let n = r.below(4);
            TypeKind::Tuple(r.some(n, |r| ty(r, d)))
        }
        5 => {
            let n = 1 + r.below(3);
            TypeKind::Record(r.some(n, |r| (name(r), ty(r, d))))
        }
        _ => {
            let n = r.below(3);
            TypeKind::Function(r.some(n, |r| ty(r, d)), Box::new(ty(r, d)))
        }
    };
    Type { kind, span: span() }
}

/// A pattern; only a refutable one has constructors without fields and literals.
fn pattern(r: &mut Random, depth: usize, fails: bool) -> Pattern {
    let d = depth.saturating_sub(1);
    let kind = match r.below(if depth == 0 { 2 } else { 8 }) {
        0 => PatternKind::Wildcard,
        1 | 2 => PatternKind::Name(text(r)),
        3 => {
            let n = r.below(4);
            PatternKind::Tuple(r.some(n, |r| pattern(r, d, fails)))
        }
        4 => {
            let n = 1 + r.below(3);
            PatternKind::Record(r.some(n, |r| (name(r), r.maybe(|r| pattern(r, d, fails)))))
        }
        5 => {
            let n = if fails { r.below(3) } else { 1 + r.below(2) };
            let fields = r.some(n, |r| pattern(r, d, fails));
            PatternKind::Constructor(Name { text: ["Circle", "m.Circle"][r.below(2)].into(), span: span() }, fields)
        }
        6 if fails => PatternKind::Int(r.below(9) as i64 - 4),
        7 if fails => PatternKind::Bool(r.below(2) == 0),
        _ => PatternKind::Name(text(r)),
    };
    Pattern { kind, span: span() }
}

const OPS: [BinaryOp; 15] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Pow,
    BinaryOp::MatMul,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::And,
    BinaryOp::Or,
];

fn param(r: &mut Random, d: usize) -> Param {
    Param { pattern: pattern(r, d.min(2), false), ty: r.maybe(|r| ty(r, d.min(2))) }
}

fn subscripts(r: &mut Random, d: usize) -> Vec<Subscript> {
    let n = 1 + r.below(3);
    r.some(n, |r| match r.below(2) {
        0 => Subscript::Index(expr(r, d)),
        _ => Subscript::Slice {
            lo: r.maybe(|r| expr(r, d)),
            hi: r.maybe(|r| expr(r, d)),
            step: r.maybe(|r| expr(r, d)),
            span: span(),
        },
    })
}

fn fields(r: &mut Random, d: usize) -> Vec<(Name, Expr)> {
    let n = 1 + r.below(3);
    r.some(n, |r| (name(r), expr(r, d)))
}

fn leaf(r: &mut Random) -> ExprKind {
    let digits = ["0", "7", "1.5", "1e-3", "2.5E+7"];
    match r.below(6) {
        0 => ExprKind::Number(Number { digits: digits[r.below(5)].into(), suffix: r.maybe(|_| "f32".into()) }),
        1 => ExprKind::Bool(r.below(2) == 0),
        2 => ExprKind::Operator(OPS[r.below(15)]),
        3 => ExprKind::Tuple(Vec::new()),
        _ => ExprKind::Name(text(r)),
    }
}

/// A random expression, as the parser would build it.
pub fn expr(r: &mut Random, depth: usize) -> Expr {
    Expr::new(if depth == 0 { leaf(r) } else { branch(r, depth - 1) }, span())
}

fn branch(r: &mut Random, d: usize) -> ExprKind {
    let n = r.below(4);
    match r.below(22) {
        0 => leaf(r),
        1 => ExprKind::Array(r.some(n, |r| expr(r, d))),
        2 => ExprKind::Tuple(r.some(n, |r| expr(r, d))),
        3 => ExprKind::Record(fields(r, d)),
        4 => ExprKind::RecordWith(expr(r, d), fields(r, d)),
        5 => ExprKind::Field(expr(r, d), name(r)),
        6 => ExprKind::Project(expr(r, d), r.below(3) as u32, span()),
        7 => ExprKind::Call(expr(r, d), r.some(n, |r| expr(r, d))),
        8 => ExprKind::Index(expr(r, d), subscripts(r, d)),
        9 => ExprKind::Unary(UnaryOp::Neg, expr(r, d)),
        10 => ExprKind::Unary(UnaryOp::Not, expr(r, d)),
        11..=13 => ExprKind::Binary(OPS[r.below(15)], expr(r, d), expr(r, d)),
        14 => ExprKind::Lambda(r.some(n, |r| param(r, d)), expr(r, d)),
        15 => let_in(r, d),
        16 => ExprKind::If(expr(r, d), expr(r, d), expr(r, d)),
        17 => ExprKind::For(r.some(1 + n % 3, |r| generator(r, d)), expr(r, d)),
        18 => loop_form(r, d),
        19 => ExprKind::Match(expr(r, d), r.some(n, |r| (pattern(r, 3, true), expr(r, d)))),
        20 => ExprKind::With(expr(r, d), subscripts(r, d), expr(r, d)),
        _ => ExprKind::Assert(expr(r, d), ty(r, 3)),
    }
}

fn let_in(r: &mut Random, d: usize) -> ExprKind {
    let n = 1 + r.below(3);
    let mut bindings =
        r.some(n, |r| Binding { pattern: pattern(r, 2, false), ty: r.maybe(|r| ty(r, 2)), value: expr(r, d) });
    let body = expr(r, d);
    // The parser joins a `let` with a `let` in its body.
    match *body.kind {
        ExprKind::Let(more, body) => {
            bindings.extend(more);
            ExprKind::Let(bindings, body)
        }
        _ => ExprKind::Let(bindings, body),
    }
}

fn generator(r: &mut Random, d: usize) -> Generator {
    match r.below(3) {
        0 => Generator::Range(name(r), expr(r, d)),
        1 => Generator::Inferred(name(r)),
        _ => Generator::Element(pattern(r, 2, false), expr(r, d)),
    }
}

fn loop_form(r: &mut Random, d: usize) -> ExprKind {
    let kind = match r.below(3) {
        0 => LoopKind::Range(name(r), expr(r, d)),
        1 => LoopKind::Element(pattern(r, 2, false), expr(r, d)),
        _ => LoopKind::While(expr(r, d)),
    };
    let (state, ty) = (pattern(r, 2, false), r.maybe(|r| ty(r, 2)));
    ExprKind::Loop(Box::new(Loop { state, ty, init: expr(r, d), kind, body: expr(r, d) }))
}
