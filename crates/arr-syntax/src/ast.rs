//! The syntax tree: the result of the grammar, with a span on every node.
//!
//! The tree is close to the text, so that it can be printed back: no desugaring happens here. Every expression
//! carries its depth, so that a tree deeper than [`MAX_DEPTH`] is refused while it is built and later stages may
//! recurse over the others.

use arr_base::Span;

/// The maximal depth of an expression from the parser.
pub const MAX_DEPTH: u32 = 20_000;

/// A name. Types, constructors and sizes may be those of an imported module: then the text is `m.name`.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// The module and the name of `m.name`; no module where there is no dot.
pub fn split_qualified(text: &str) -> (Option<&str>, &str) {
    match text.split_once('.') {
        Some((module, name)) => (Some(module), name),
        None => (None, text),
    }
}

/// A parsed file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    pub items: Vec<Item>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    Def(Def),
    Type(TypeDef),
    Import(Import),
    Derivative(DerivativeDef),
    Test(TestDef),
    /// Text that could not be read as an item; a diagnostic was reported for it.
    Error(Span),
}

/// `--| doc` `def name[t: float](x: [n]t, ..) -> t = body`; no parameter list for a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Def {
    /// The doc comment's lines, without `--| `.
    pub doc: Vec<String>,
    pub name: Name,
    pub type_params: Vec<TypeParam>,
    /// `None` for a constant, `def tau = 6.28`.
    pub params: Option<Vec<Param>>,
    pub result: Option<Type>,
    pub body: Expr,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TypeParam {
    pub name: Name,
    pub bound: Bound,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Any,
    Num,
    Float,
}

/// A parameter of a definition or a lambda: a pattern with an optional type.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub pattern: Pattern,
    pub ty: Option<Type>,
}

/// `type Name[k, d, t: float] = ...`
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDef {
    pub doc: Vec<String>,
    pub name: Name,
    pub params: Vec<TypeDefParam>,
    pub body: TypeBody,
    pub span: Span,
}

/// A size parameter (`k`) or a type parameter (`t: float`).
#[derive(Clone, PartialEq, Debug)]
pub enum TypeDefParam {
    Size(Name),
    Type(TypeParam),
}

impl TypeDefParam {
    pub fn name(&self) -> &Name {
        match self {
            TypeDefParam::Size(name) => name,
            TypeDefParam::Type(param) => &param.name,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeBody {
    Alias(Type),
    Sum(Vec<Constructor>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Constructor {
    pub name: Name,
    pub fields: Vec<Type>,
}

/// `import linalg`, `import "./model.arr" as m`
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    pub path: ImportPath,
    pub alias: Option<Name>,
    pub span: Span,
}

impl Import {
    /// The name of the module in this file: the one after `as`, and otherwise the file's stem, if that is a name.
    pub fn local_name(&self) -> Option<&str> {
        match (&self.alias, &self.path) {
            (Some(alias), _) => Some(&alias.text),
            (None, ImportPath::Std(name)) => Some(&name.text),
            (None, ImportPath::File { path, .. }) => {
                let file = path.rsplit('/').next().unwrap_or(path);
                Some(file.strip_suffix(".arr").unwrap_or(file)).filter(|stem| crate::is_name(stem))
            }
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum ImportPath {
    Std(Name),
    File { path: String, span: Span },
}

/// `derivative f(x1, .., xk, y, dy) = (dx1, .., dxk)`
#[derive(Clone, PartialEq, Debug)]
pub struct DerivativeDef {
    pub name: Name,
    pub params: Vec<Param>,
    pub body: Expr,
    pub span: Span,
}

/// `test "name" gradient within 1e-9 (x: [n]f64) = body`: a definition that no program can name.
#[derive(Clone, PartialEq, Debug)]
pub struct TestDef {
    /// Its name is the test's, with the quotation marks, so that it differs from every definition. It has parameters if
    /// it is to hold for all arguments.
    pub def: Def,
    /// Whether it compares the derivatives of its body, instead of testing its value.
    pub gradient: bool,
    pub within: Option<Tolerance>,
}

/// `within 1e-9`
#[derive(Clone, PartialEq, Debug)]
pub struct Tolerance {
    pub number: Number,
    pub span: Span,
}

impl TestDef {
    /// The name without its quotation marks.
    pub fn title(&self) -> &str {
        self.def.name.text.trim_matches('"')
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// A scalar type, a type parameter or a named type with its arguments: `f64`, `t`, `Mixture[k, d]`.
    /// That of an imported module is `m.Mixture[k, d]`, see [`Name`].
    Named {
        name: Name,
        args: Vec<TypeArg>,
    },
    /// `[n]t`
    Array(Size, Box<Type>),
    /// `(t, u)`; `()` is the empty tuple.
    Tuple(Vec<Type>),
    /// `{ x: t }`
    Record(Vec<(Name, Type)>),
    /// `t -> u`, `(t, u) -> v`
    Function(Vec<Type>, Box<Type>),
    Error,
}

/// An argument of a named type. A bare name may be a size or a type; the checker decides.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    Size(Size),
    Type(Type),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Size {
    pub kind: SizeKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum SizeKind {
    Int(i64),
    /// `n`, or `m.n` for a constant of an imported module.
    Name(String),
    /// `?k`: a size that the definition computes, by its name without the question mark.
    Computed(String),
    Add(Box<Size>, Box<Size>),
    Sub(Box<Size>, Box<Size>),
    Mul(Box<Size>, Box<Size>),
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PatternKind {
    Wildcard,
    Name(String),
    Tuple(Vec<Pattern>),
    /// `{ x = p }`; `{ x }` is `{ x = x }` and keeps `None`.
    Record(Vec<(Name, Option<Pattern>)>),
    /// `Circle(r)`, `m.Circle(r)`
    Constructor(Name, Vec<Pattern>),
    Int(i64),
    Bool(bool),
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: Box<ExprKind>,
    pub span: Span,
    /// One more than the deepest child's.
    pub depth: u32,
}

/// A number as written: its digits and its suffix (`i32 i64 u32 f32 f64`), if any.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    pub digits: String,
    pub suffix: Option<String>,
}

impl Number {
    /// Whether it is written with a point or an exponent.
    pub fn is_decimal(&self) -> bool {
        !crate::number::has_base(&self.digits) && self.digits.contains(['.', 'e', 'E'])
    }

    /// The number in decimal digits, without `_`: `1_000` is `1000`, `0xff` is `255`.
    pub fn decimal_digits(&self) -> String {
        crate::number::decimal_digits(&self.digits)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Number(Number),
    Bool(bool),
    /// A text in quotes, without them; only the first argument of a call is one.
    Text(String),
    Name(String),
    /// `m.name` where `m` is an imported module is parsed as [`ExprKind::Field`].
    /// `[a, b]`
    Array(Vec<Expr>),
    Tuple(Vec<Expr>),
    /// `{ x = a, y = b }`
    Record(Vec<(Name, Expr)>),
    /// `{ r with x = a }`
    RecordWith(Expr, Vec<(Name, Expr)>),
    /// `r.x`
    Field(Expr, Name),
    /// `t.0`
    Project(Expr, u32, Span),
    /// `f(x, y)`
    Call(Expr, Vec<Expr>),
    /// `a[i, :, lo:hi]`
    Index(Expr, Vec<Subscript>),
    Unary(UnaryOp, Expr),
    Binary(BinaryOp, Expr, Expr),
    /// `(+)`
    Operator(BinaryOp),
    Lambda(Vec<Param>, Expr),
    /// Consecutive `let`s are one node: `let p = a let q = b in e` and `let p = a in let q = b in e` alike.
    Let(Vec<Binding>, Expr),
    If(Expr, Expr, Expr),
    For(Vec<Generator>, Expr),
    Loop(Box<Loop>),
    Match(Expr, Vec<(Pattern, Expr)>),
    /// `a with [i, j] = e`
    With(Expr, Vec<Subscript>, Expr),
    /// `e :> t`
    Assert(Expr, Type),
    /// A parenthesised expression is its inside; this is unreadable text.
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    pub pattern: Pattern,
    pub ty: Option<Type>,
    pub value: Expr,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Subscript {
    Index(Expr),
    /// `:`, `lo:`, `:hi`, `lo:hi`, `lo:hi:step`
    Slice {
        lo: Option<Expr>,
        hi: Option<Expr>,
        step: Option<Expr>,
        span: Span,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Generator {
    /// `i < n`
    Range(Name, Expr),
    /// `i`: the extent is inferred.
    Inferred(Name),
    /// `x in xs`
    Element(Pattern, Expr),
}

/// `loop state = init for i < n do body`
#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    pub state: Pattern,
    pub ty: Option<Type>,
    pub init: Expr,
    pub kind: LoopKind,
    pub body: Expr,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LoopKind {
    Range(Name, Expr),
    Element(Pattern, Expr),
    While(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    MatMul,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl BinaryOp {
    /// `== != < <= > >=`
    pub fn is_comparison(self) -> bool {
        matches!(self, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
    }

    /// As written in a program.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Pow => "**",
            BinaryOp::MatMul => "@",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
        }
    }
}
