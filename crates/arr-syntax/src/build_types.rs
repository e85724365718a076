//! The actions for types, sizes, patterns and the heads of definitions.

use crate::ast::*;
use crate::build_tree::{MAX_NESTING, TreeBuilder};
use arr_base::Span;

/// A size and its depth, which the tree itself does not carry.
pub struct SizedSize(pub Size, pub u32);

/// An argument of a named type while it is read: its kind may be open until its end.
pub enum Arg {
    /// A name alone, which may be a size or a type.
    Bare(Name),
    Size(SizedSize),
    Type(Type),
    /// The contents of parentheses, and whether a comma ends them.
    Parens(Vec<TypeArg>, bool, Span),
}

#[derive(Clone, Copy)]
pub enum SizeOp {
    Add,
    Sub,
    Mul,
}

/// Types in parentheses: a tuple, the parameters of a function, or one type.
pub struct ParenTypes {
    pub types: Vec<Type>,
    pub trailing: bool,
    pub span: Span,
}

const SCALARS: [&str; 6] = ["bool", "i32", "i64", "u32", "f32", "f64"];

fn named(name: Name) -> Type {
    Type { span: name.span, kind: TypeKind::Named { name, args: Vec::new() } }
}

impl ParenTypes {
    /// Read as a type.
    pub fn into_type(mut self) -> Type {
        match self.types.pop() {
            Some(only) if self.types.is_empty() && !self.trailing => only,
            Some(last) => {
                self.types.push(last);
                Type { kind: TypeKind::Tuple(self.types), span: self.span }
            }
            None => Type { kind: TypeKind::Tuple(self.types), span: self.span },
        }
    }
}

/// Whether a name, of this file or of a module, is that of a constructor.
fn starts_upper(text: &str) -> bool {
    split_qualified(text).1.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Reads bare capitalised names as names: in an irrefutable pattern, a constructor without fields would bind nothing,
/// and `let (Q, R) = qr(A)` is common.
pub fn irrefutable(mut pattern: Pattern) -> Pattern {
    rename_bare(&mut pattern);
    pattern
}

fn rename_bare(pattern: &mut Pattern) {
    match &mut pattern.kind {
        PatternKind::Constructor(name, fields) if fields.is_empty() && !name.text.contains('.') => {
            pattern.kind = PatternKind::Name(std::mem::take(&mut name.text));
        }
        PatternKind::Tuple(parts) | PatternKind::Constructor(_, parts) => parts.iter_mut().for_each(rename_bare),
        PatternKind::Record(fields) => fields.iter_mut().filter_map(|f| f.1.as_mut()).for_each(rename_bare),
        _ => {}
    }
}

impl TreeBuilder<'_> {
    pub fn ty(&self, kind: TypeKind, start: u32, end: u32) -> Type {
        self.idle.set(0);
        Type { kind, span: self.span(start, end) }
    }

    pub fn pattern(&self, kind: PatternKind, start: u32, end: u32) -> Pattern {
        self.idle.set(0);
        Pattern { kind, span: self.span(start, end) }
    }

    // ---- sizes

    pub fn size_integer(&mut self, text: &str, start: u32, end: u32) -> SizedSize {
        let kind = self.integer(text, false, start, end).map_or(SizeKind::Error, SizeKind::Int);
        SizedSize(Size { kind, span: self.span(start, end) }, 1)
    }

    /// `?k`
    pub fn computed_size(&self, text: &str, start: u32, end: u32) -> SizedSize {
        let kind = SizeKind::Computed(text.trim_start_matches('?').to_string());
        SizedSize(Size { kind, span: self.span(start, end) }, 1)
    }

    pub fn size_op(&mut self, op: SizeOp, a: SizedSize, b: SizedSize, start: u32, end: u32) -> SizedSize {
        let depth = 1 + a.1.max(b.1);
        if depth > MAX_NESTING {
            self.refuse_depth(start, end);
            return SizedSize(Size { kind: SizeKind::Error, span: self.span(start, end) }, 1);
        }
        let (a, b) = (Box::new(a.0), Box::new(b.0));
        let kind = match op {
            SizeOp::Add => SizeKind::Add(a, b),
            SizeOp::Sub => SizeKind::Sub(a, b),
            SizeOp::Mul => SizeKind::Mul(a, b),
        };
        SizedSize(Size { kind, span: self.span(start, end) }, depth)
    }

    // ---- arguments of named types

    fn arg_size(&mut self, arg: Arg) -> SizedSize {
        match arg {
            Arg::Bare(name) => SizedSize(Size { kind: SizeKind::Name(name.text), span: name.span }, 1),
            Arg::Size(size) => size,
            Arg::Type(ty) => self.not_a_size(ty.span),
            Arg::Parens(mut parts, trailing, span) => match parts.pop() {
                // The depth of the inside was lost, but brackets are counted too, so this stays bounded.
                Some(TypeArg::Size(size)) if parts.is_empty() && !trailing => SizedSize(size, 1),
                _ => self.not_a_size(span),
            },
        }
    }

    fn not_a_size(&mut self, span: Span) -> SizedSize {
        self.unexpected(
            span.start,
            span.end,
            "a type stands where a size is needed",
            "expected a size",
            "a size is an integer, a name, or a sum, difference or product of sizes",
        );
        SizedSize(Size { kind: SizeKind::Error, span }, 1)
    }

    pub fn arg_op(&mut self, op: SizeOp, a: Arg, b: Arg, start: u32, end: u32) -> Arg {
        let (a, b) = (self.arg_size(a), self.arg_size(b));
        Arg::Size(self.size_op(op, a, b, start, end))
    }

    pub fn arg(&mut self, arg: Arg) -> TypeArg {
        match arg {
            Arg::Bare(name) if SCALARS.contains(&name.text.as_str()) => TypeArg::Type(named(name)),
            Arg::Bare(name) => TypeArg::Size(Size { kind: SizeKind::Name(name.text), span: name.span }),
            Arg::Size(size) => TypeArg::Size(size.0),
            Arg::Type(ty) => TypeArg::Type(ty),
            Arg::Parens(mut parts, trailing, span) => match parts.pop() {
                Some(only) if parts.is_empty() && !trailing => only,
                last => {
                    parts.extend(last);
                    let types = parts.into_iter().map(|part| self.arg_type(part)).collect();
                    TypeArg::Type(Type { kind: TypeKind::Tuple(types), span })
                }
            },
        }
    }

    fn arg_type(&mut self, arg: TypeArg) -> Type {
        match arg {
            TypeArg::Type(ty) => ty,
            TypeArg::Size(Size { kind: SizeKind::Name(text), span }) => named(Name { text, span }),
            TypeArg::Size(size) => {
                if size.kind != SizeKind::Error {
                    self.unexpected(
                        size.span.start,
                        size.span.end,
                        "a size stands where a type is needed",
                        "expected a type",
                        "an array of this size is written `[n]t`",
                    );
                }
                Type { kind: TypeKind::Error, span: size.span }
            }
        }
    }

    /// `a -> b` among the arguments of a named type.
    pub fn arg_function(&mut self, from: Arg, to: Type, start: u32, end: u32) -> TypeArg {
        let params = match from {
            Arg::Parens(parts, ..) => parts.into_iter().map(|part| self.arg_type(part)).collect(),
            from => {
                let from = self.arg(from);
                vec![self.arg_type(from)]
            }
        };
        TypeArg::Type(self.ty(TypeKind::Function(params, Box::new(to)), start, end))
    }

    // ---- patterns

    /// A name, or a constructor without fields.
    pub fn name_pattern(&self, name: Name) -> Pattern {
        let span = name.span;
        let kind = if starts_upper(&name.text) {
            PatternKind::Constructor(name, Vec::new())
        } else {
            PatternKind::Name(name.text)
        };
        Pattern { kind, span }
    }

    /// A constructor of a module without fields. No other item of a module is a pattern.
    pub fn qualified_pattern(&mut self, name: Name) -> Pattern {
        if starts_upper(&name.text) {
            return self.name_pattern(name);
        }
        let text = &name.text;
        self.unexpected(
            name.span.start,
            name.span.end,
            format!("`{text}` is not a pattern"),
            "a constructor starts with a capital letter",
            "a pattern binds plain names, without the name of a module",
        );
        self.pattern(PatternKind::Error, name.span.start, name.span.end)
    }

    pub fn constructor_pattern(&mut self, name: Name, fields: Vec<Pattern>, start: u32, end: u32) -> Pattern {
        if !starts_upper(&name.text) {
            let text = &name.text;
            self.unexpected(
                name.span.start,
                name.span.end,
                format!("the pattern `{text}(..)` is not a constructor"),
                "a constructor starts with a capital letter",
                format!("a local function is written `let {text} = \\x => e`"),
            );
            return self.pattern(PatternKind::Error, start, end);
        }
        self.pattern(PatternKind::Constructor(name, fields), start, end)
    }

    pub fn integer_pattern(&mut self, text: &str, negated: bool, start: u32, end: u32) -> Pattern {
        let kind = self.integer(text, negated, start, end).map_or(PatternKind::Error, PatternKind::Int);
        self.pattern(kind, start, end)
    }

    // ---- heads of definitions

    pub fn bound(&mut self, name: &Name) -> Bound {
        match name.text.as_str() {
            "any" => Bound::Any,
            "num" => Bound::Num,
            "float" => Bound::Float,
            other => {
                self.unexpected(
                    name.span.start,
                    name.span.end,
                    format!("unknown bound `{other}`"),
                    "expected `any`, `num` or `float`",
                    "`num` is every number type, `float` is `f32` and `f64`, `any` is every type",
                );
                Bound::Any
            }
        }
    }

    /// A type parameter of a definition without its bound.
    pub fn unbounded(&mut self, name: Name) -> TypeParam {
        let text = &name.text;
        self.unexpected(
            name.span.start,
            name.span.end,
            format!("the type parameter `{text}` has no bound"),
            "expected `:` and a bound",
            format!("write `{text}: any`, `{text}: num` or `{text}: float`; sizes need no declaration"),
        );
        TypeParam { name, bound: Bound::Any }
    }

    pub fn constructor(&mut self, name: Name, fields: Vec<Type>) -> Constructor {
        if !starts_upper(&name.text) {
            let mut capital = name.text.clone();
            if let Some(first) = capital.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            let hint = if capital == name.text { "choose another name".into() } else { format!("write `{capital}`") };
            self.unexpected(
                name.span.start,
                name.span.end,
                format!("the constructor `{}` does not start with a capital letter", name.text),
                "a constructor",
                hint,
            );
        }
        Constructor { name, fields }
    }

    /// `"./model.arr"` without its quotes.
    pub fn import_path(&self, quoted: &str, start: u32, end: u32) -> ImportPath {
        ImportPath::File { path: quoted.trim_matches('"').to_string(), span: self.span(start, end) }
    }
}
