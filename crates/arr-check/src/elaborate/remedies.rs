//! What to write in the place of an expression that does not fit, as far as its text shows what was meant.

use crate::data::types::Ty;
use crate::elaborate::Elab;
use crate::elaborate::env::Entry;
use crate::messages::written::{expr_text, short_text, size_text};
use arr_base::Span;
use arr_ir::Scalar;
use arr_syntax::ast::{Def, Expr, ExprKind, Generator, Item, Name, TypeKind};
use arr_syntax::{print_expr, print_pattern};

/// Functions that differentiate, and what follows the function that they are given.
const DERIVATIVES: &[(&str, &str)] = &[
    ("grad", ""),
    ("value_and_grad", ""),
    ("jacrev", ""),
    ("jacfwd", ""),
    ("hessian", ""),
    ("vjp", ", x"),
    ("linearize", ", x"),
    ("jvp", ", x, dx"),
];

/// Functions that make one element of all along the first axis.
const REDUCTIONS: &[&str] =
    &["sum", "product", "mean", "maximum", "minimum", "any", "all", "argmax", "argmin", "logsumexp"];

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// The outermost expression at exactly this place, and the one around it.
fn expr_at(root: &Expr, span: Span) -> Option<(Option<&Expr>, &Expr)> {
    let (mut around, mut here) = (None, root);
    while here.span != span {
        let mut inner = None;
        here.kind.for_each_child(|child| {
            if inner.is_none() && contains(child.span, span) {
                inner = Some(child);
            }
        });
        (around, here) = (Some(here), inner?);
    }
    Some((around, here))
}

fn names_in<'e>(e: &'e Expr, names: &mut Vec<&'e str>) {
    if let ExprKind::Name(name) = &*e.kind {
        names.push(name);
    }
    e.kind.for_each_child(|child| names_in(child, names));
}

/// A generator as it is written.
fn generator_text(generator: &Generator) -> String {
    match generator {
        Generator::Range(name, extent) => format!("{} < {}", name.text, short_text(extent)),
        Generator::Inferred(name) => format!("{} < n", name.text),
        Generator::Element(pattern, array) => format!("{} in {}", print_pattern(pattern), short_text(array)),
    }
}

impl<'a> Elab<'a> {
    /// The definition whose text holds a place.
    fn def_around(&self, span: Span) -> Option<&'a Def> {
        let tables = self.tables;
        tables.modules.iter().flat_map(|module| &module.syntax.items).find_map(|item| match item {
            Item::Def(def) if contains(def.span, span) => Some(def),
            Item::Test(test) if contains(test.def.span, span) => Some(&test.def),
            _ => None,
        })
    }

    /// The expression at exactly this place, and the one around it.
    fn written_at(&self, span: Span) -> Option<(Option<&'a Expr>, &'a Expr)> {
        let root = self.root.filter(|root| contains(root.span, span));
        expr_at(root.or_else(|| self.def_around(span).map(|def| &def.body))?, span)
    }

    /// The function that was meant where its value is given: `grad(sq)(x)` for `grad(sq(x))`.
    pub fn function_remedy(&self, span: Span) -> Option<String> {
        let (around, arg) = self.written_at(span)?;
        let ExprKind::Call(callee, _) = &*around?.kind else { return None };
        let base = if let ExprKind::Index(base, _) = &*callee.kind { base } else { callee };
        let ExprKind::Name(name) = &*base.kind else { return None };
        let (_, rest) = DERIVATIVES.iter().find(|(derivative, _)| derivative == name)?;
        let derivative = print_expr(callee);
        let written = |function: String, args: &str| match rest.is_empty() {
            true => format!("a derivative is that of a function: `{derivative}({function})({args})`"),
            false => format!("a derivative is that of a function: `{derivative}({function}{rest})`"),
        };
        if let ExprKind::Call(function, args) = &*arg.kind
            && args.iter().all(|e| matches!(&*e.kind, ExprKind::Name(_) | ExprKind::Number(_)))
        {
            let args: Vec<String> = args.iter().map(expr_text).collect();
            return Some(written(expr_text(function), &args.join(", ")));
        }
        if matches!(&*arg.kind, ExprKind::Name(_)) {
            return None;
        }
        let variable = self.variable_of(arg)?;
        Some(written(format!("\\{variable} => {}", short_text(arg)), variable))
    }

    /// The first name in an expression that stands for a value of the definition.
    fn variable_of(&self, e: &'a Expr) -> Option<&'a str> {
        let mut names = Vec::new();
        names_in(e, &mut names);
        let is_value =
            |name: &&str| matches!(self.env.get(name), Some(Entry::Val(val)) if !matches!(val.ty, Ty::Fn(_)));
        names.into_iter().find(is_value)
    }

    /// What to write for an array where a value with fewer axes is needed.
    pub fn reduction_remedy(&self, want: &Ty, found: &Ty, span: Span) -> Option<String> {
        let (_, e) = self.written_at(span)?;
        match &*e.kind {
            ExprKind::Call(callee, _) if found.peel().1 == want => {
                let ExprKind::Name(name) = &*callee.kind else { return None };
                let reduces = REDUCTIONS.contains(&name.as_str()) && self.env.get(name).is_none();
                let ours = reduces && self.tables.find(self.scope.module, name).is_none();
                ours.then(|| {
                    format!("`{name}` works along the first axis; of all elements it is `{name}(flatten(..))`")
                })
            }
            ExprKind::For(generators, body) => self.carried(generators, body, want, found),
            _ => None,
        }
    }

    /// The loop that was meant by a `for` whose result is one state, and not an array of such.
    fn carried(&self, generators: &'a [Generator], body: &'a Expr, want: &Ty, found: &Ty) -> Option<String> {
        let [generator] = generators else { return None };
        let Ty::Array(_, each) = found else { return None };
        if want.peel().0.len() + 1 != found.peel().0.len() || each.peel().1 != want.peel().1 {
            return None;
        }
        let mut names = Vec::new();
        names_in(body, &mut names);
        let index = match generator {
            Generator::Range(name, _) | Generator::Inferred(name) => Some(name.text.as_str()),
            Generator::Element(..) => None,
        };
        let repeats = index.is_some_and(|index| !names.contains(&index));
        if matches!(want, Ty::Scalar(_)) && !repeats {
            return None;
        }
        let same = |name: &&str| matches!(self.env.get(name), Some(Entry::Val(val)) if val.ty == *want);
        let (state, begin) = names.into_iter().find(same).map_or(("s", "s0"), |name| (name, name));
        let generator = generator_text(generator);
        let carried = format!("to carry a value along write `loop {state} = {begin} for {generator} do ..`");
        Some(match repeats {
            true => format!("`for` makes an array of all its results; {carried}"),
            false => format!("`for` makes an array of all its results, which `sum(..)` adds; {carried}"),
        })
    }

    /// What to write where an index has no extent: the size that the declared result has there, if it is known.
    pub fn extent_remedy(&self, name: &Name) -> String {
        let size = self.declared_extent(name).unwrap_or_else(|| "n".to_string());
        format!("write the extent: `{} < {size}`", name.text)
    }

    fn declared_extent(&self, name: &Name) -> Option<String> {
        let def = self.def_around(name.span)?;
        let (mut ty, mut e) = (def.result.as_ref()?, &def.body);
        loop {
            match &*e.kind {
                ExprKind::Let(_, body) => e = body,
                ExprKind::For(generators, body) => {
                    for generator in generators {
                        let TypeKind::Array(size, inner) = &ty.kind else { return None };
                        if matches!(generator, Generator::Inferred(index) if index.span == name.span) {
                            let text = size_text(size);
                            return (!text.contains('?')).then_some(text);
                        }
                        ty = inner;
                    }
                    e = body;
                }
                _ => return None,
            }
        }
    }

    /// `for i, v in enumerate(x)` and `for a, b in zip(x, y)`, where the names before the last are indices: what is wrong,
    /// unless the unknown name `enumerate` has been reported.
    pub fn unpacked<'g>(&self, generators: &'g [Generator]) -> Option<(&'g Name, Option<String>)> {
        let unknown = |name: &str| self.env.get(name).is_none() && self.tables.find(self.scope.module, name).is_none();
        generators.windows(2).find_map(|pair| {
            let [Generator::Inferred(first), Generator::Element(second, array)] = pair else { return None };
            let ExprKind::Call(callee, args) = &*array.kind else { return None };
            match &*callee.kind {
                ExprKind::Name(name) if name == "enumerate" && unknown(name) => Some((first, None)),
                ExprKind::Name(name) if name == "zip" && unknown(name) && args.len() > 1 => {
                    let arrays: Vec<String> = args.iter().map(short_text).collect();
                    let reads: Vec<String> = args.iter().map(|array| format!("{}[i]", expr_text(array))).collect();
                    let names = format!("({}, {})", first.text, print_pattern(second));
                    let (arrays, reads) = (arrays.join(", "), reads.join(" .. "));
                    Some((first, Some(format!("write `for {names} in zip({arrays}) => ..`, or `for i => {reads}`"))))
                }
                _ => None,
            }
        })
    }

    /// Whether the name in an index that is to add an axis stands for nothing.
    pub fn is_unknown_name(&self, e: &Expr) -> bool {
        let base = if let ExprKind::Field(base, _) = &*e.kind { base } else { e };
        let ExprKind::Name(name) = &*base.kind else { return false };
        let module = self.scope.module;
        let defined = self.tables.find(module, name).is_some() || self.tables.constructor(module, name).is_some();
        !defined && self.env.get(name).is_none() && self.tables.import(module, base).is_none()
    }

    /// What to write for a call of a value that is no function.
    pub fn called_remedy(&self, callee: &Expr, ty: &Ty) -> Option<String> {
        let text = expr_text(callee);
        match ty.as_numeric()? {
            (dims, _) if !dims.is_empty() => Some(format!("an array is indexed with brackets: `{text}[..]`")),
            (_, Scalar::Bool) => None,
            _ => Some(format!("a product has its sign: `{text} * (..)`")),
        }
    }
}
