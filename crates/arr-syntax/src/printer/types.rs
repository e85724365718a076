//! Types, sizes, patterns and parameters.

use super::{CURLY, Printer, ROUND, SQUARE};
use crate::ast::*;
use crate::doc::Doc;
use arr_base::Span;

/// The placeholder for unreadable text: no valid program, but visible.
pub(super) const UNREADABLE: &str = "?";

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: &Type) -> Doc {
        match &ty.kind {
            TypeKind::Function(params, result) => {
                let params = self.function_params(params);
                let arrow = self.text(" -> ");
                let result = self.ty(result);
                self.cat([params, arrow, result])
            }
            _ => self.type_atom(ty),
        }
    }

    /// A single parameter is printed bare, unless its own parentheses would be read as a parameter list.
    fn function_params(&mut self, params: &[Type]) -> Doc {
        match params {
            [only] if !matches!(only.kind, TypeKind::Tuple(_) | TypeKind::Function(..)) => self.type_atom(only),
            params => {
                let params = params.iter().map(|p| self.ty(p)).collect();
                self.bracketed(ROUND, params, false)
            }
        }
    }

    fn type_atom(&mut self, ty: &Type) -> Doc {
        match &ty.kind {
            TypeKind::Named { name, args } => {
                let name = self.text(name.text.clone());
                if args.is_empty() {
                    return name;
                }
                let args = args.iter().map(|arg| self.type_arg(arg)).collect();
                let args = self.bracketed(SQUARE, args, false);
                self.cat([name, args])
            }
            TypeKind::Array(size, element) => {
                let size = self.text(format!("[{}]", self.size(size, 0)));
                let element = self.type_atom(element);
                self.cat([size, element])
            }
            TypeKind::Tuple(parts) => {
                let parts: Vec<Doc> = parts.iter().map(|p| self.ty(p)).collect();
                self.tuple(parts, false)
            }
            TypeKind::Record(fields) => {
                let broken = self.any_starts_line(fields.iter().map(|(name, _)| name.span));
                let fields = fields.iter().map(|(name, ty)| self.field(name, ty)).collect();
                self.bracketed(CURLY, fields, broken)
            }
            TypeKind::Function(..) => {
                let (open, inner, close) = (self.text("("), self.ty(ty), self.text(")"));
                self.cat([open, inner, close])
            }
            TypeKind::Error => self.text(UNREADABLE),
        }
    }

    fn field(&mut self, name: &Name, ty: &Type) -> Doc {
        let name = self.text(format!("{}: ", name.text));
        let ty = self.ty(ty);
        self.cat([name, ty])
    }

    /// A tuple of one has a comma that distinguishes it from parentheses.
    pub(super) fn tuple(&mut self, parts: Vec<Doc>, broken: bool) -> Doc {
        match parts.as_slice() {
            [only] => {
                let (open, close) = (self.text("("), self.text(",)"));
                self.cat([open, *only, close])
            }
            _ => self.bracketed(ROUND, parts, broken),
        }
    }

    fn type_arg(&mut self, arg: &TypeArg) -> Doc {
        match arg {
            TypeArg::Size(size) => {
                let size = self.size(size, 0);
                self.text(size)
            }
            TypeArg::Type(ty) => self.ty(ty),
        }
    }

    pub(super) fn constructor(&mut self, constructor: &Constructor) -> Doc {
        let name = self.text(constructor.name.text.clone());
        if constructor.fields.is_empty() {
            return name;
        }
        let fields = constructor.fields.iter().map(|f| self.ty(f)).collect();
        let fields = self.bracketed(ROUND, fields, false);
        self.cat([name, fields])
    }

    pub(super) fn type_param(&mut self, param: &TypeParam) -> Doc {
        let bound = match param.bound {
            Bound::Any => "any",
            Bound::Num => "num",
            Bound::Float => "float",
        };
        self.text(format!("{}: {bound}", param.name.text))
    }

    pub(super) fn type_def_param(&mut self, param: &TypeDefParam) -> Doc {
        match param {
            TypeDefParam::Size(name) => self.text(name.text.clone()),
            TypeDefParam::Type(param) => self.type_param(param),
        }
    }

    pub(super) fn param(&mut self, param: &Param) -> Doc {
        self.annotated(&param.pattern, param.ty.as_ref())
    }

    /// `p: t` or `p`
    pub(super) fn annotated(&mut self, pattern: &Pattern, ty: Option<&Type>) -> Doc {
        let pattern = self.pattern(pattern);
        let Some(ty) = ty else { return pattern };
        let (colon, ty) = (self.text(": "), self.ty(ty));
        self.cat([pattern, colon, ty])
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Doc {
        match &pattern.kind {
            PatternKind::Wildcard => self.text("_"),
            PatternKind::Name(name) => self.text(name.clone()),
            PatternKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.pattern(p)).collect();
                self.tuple(parts, false)
            }
            PatternKind::Record(fields) => {
                let fields = fields.iter().map(|(name, p)| self.field_pattern(name, p.as_ref())).collect();
                self.bracketed(CURLY, fields, false)
            }
            PatternKind::Constructor(name, fields) => {
                let name = self.text(name.text.clone());
                if fields.is_empty() {
                    return name;
                }
                let fields = fields.iter().map(|p| self.pattern(p)).collect();
                let fields = self.bracketed(ROUND, fields, false);
                self.cat([name, fields])
            }
            PatternKind::Int(n) => {
                let text = self.integer(*n, pattern.span);
                self.text(text)
            }
            PatternKind::Bool(b) => self.text(b.to_string()),
            PatternKind::Error => self.text(UNREADABLE),
        }
    }

    fn field_pattern(&mut self, name: &Name, pattern: Option<&Pattern>) -> Doc {
        let label = self.text(name.text.clone());
        let Some(pattern) = pattern else { return label };
        let (equals, pattern) = (self.text(" = "), self.pattern(pattern));
        self.cat([label, equals, pattern])
    }

    /// A size without blanks, `2*n+1`. `level` is 0 where a sum may stand bare, 1 for a product, 2 for neither.
    fn size(&self, size: &Size, level: u8) -> String {
        let (own, text) = match &size.kind {
            SizeKind::Int(n) if *n < 0 => (0, format!("0-{}", n.unsigned_abs())),
            SizeKind::Int(n) => (2, self.integer(*n, size.span)),
            SizeKind::Name(name) => (2, name.clone()),
            SizeKind::Computed(name) => (2, format!("?{name}")),
            SizeKind::Add(a, b) => (0, format!("{}+{}", self.size(a, 0), self.size(b, 1))),
            SizeKind::Sub(a, b) => (0, format!("{}-{}", self.size(a, 0), self.size(b, 1))),
            SizeKind::Mul(a, b) => (1, format!("{}*{}", self.size(a, 1), self.size(b, 2))),
            SizeKind::Error => (2, UNREADABLE.to_string()),
        };
        if own < level { format!("({text})") } else { text }
    }

    /// An integer as its author wrote it.
    pub(super) fn integer(&self, n: i64, span: Span) -> String {
        let written = self.source.map_or("", |source| source.slice(span));
        let digits = written.trim_start_matches('-').trim_start();
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        match (plain, written.starts_with('-')) {
            (true, true) => format!("-{digits}"),
            (true, false) => digits.to_string(),
            (false, _) => n.to_string(),
        }
    }
}
