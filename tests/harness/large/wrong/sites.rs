//! The indices in a program, and their replacements.

use arr_base::Span;
use arr_syntax::ast::{Expr, ExprKind, Item, Module, Param, Size, SizeKind, Subscript, Type, TypeArg, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// A definition, or the derivative that is declared for one.
#[derive(Clone, Default, Debug)]
pub struct Body {
    pub indices: Vec<Span>,
    /// Whether its derivative is declared, which may have errors of its own.
    pub declared: bool,
    /// The names in it.
    pub mentions: BTreeSet<String>,
    /// The names of sizes in its parameters' types.
    pub sizes: Vec<String>,
}

/// The indices of a file by the definitions that they are in.
pub fn bodies(module: &Module) -> BTreeMap<String, Body> {
    let mut bodies: BTreeMap<String, Body> = BTreeMap::new();
    for item in &module.items {
        let (name, params, expr) = match item {
            Item::Def(def) => (&def.name.text, def.params.as_deref().unwrap_or_default(), &def.body),
            Item::Derivative(def) => (&def.name.text, def.params.as_slice(), &def.body),
            Item::Type(_) | Item::Import(_) | Item::Test(_) | Item::Error(_) => continue,
        };
        let body = bodies.entry(name.clone()).or_default();
        body.declared |= matches!(item, Item::Derivative(_));
        params.iter().filter_map(|param: &Param| param.ty.as_ref()).for_each(|ty| size_names(ty, &mut body.sizes));
        walk(expr, body);
    }
    bodies
}

/// The definitions that a definition uses, including itself.
pub fn reach(bodies: &BTreeMap<String, Body>, from: &str) -> BTreeSet<String> {
    let (mut found, mut work) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(name) = work.pop() {
        let Some(body) = bodies.get(&name) else { continue };
        if found.insert(name) {
            work.extend(body.mentions.iter().cloned());
        }
    }
    found
}

/// The replacements of an index: off by one at each end, huge, negative, and the available sizes.
pub fn replacements(index: &str, sizes: &[String]) -> Vec<String> {
    let mut texts = vec![
        format!("(({index}) + 1)"),
        format!("(({index}) - 1)"),
        format!("(({index}) + 4611686018427387904)"),
        format!("(-({index}) - 1)"),
    ];
    texts.extend(sizes.iter().filter(|size| *size != index).take(2).cloned());
    texts
}

/// The argument of a built-in function that holds indices.
fn index_argument(function: &str) -> Option<usize> {
    match function {
        "gather" | "scatter" | "scatter_add" => Some(1),
        "histogram" => Some(3),
        _ => None,
    }
}

fn walk(expr: &Expr, body: &mut Body) {
    match &*expr.kind {
        ExprKind::Index(_, subscripts) | ExprKind::With(_, subscripts, _) => {
            for subscript in subscripts {
                match subscript {
                    Subscript::Index(index) => body.indices.push(index.span),
                    Subscript::Slice { lo, hi, .. } => {
                        body.indices.extend([lo, hi].into_iter().flatten().map(|bound| bound.span));
                    }
                }
            }
        }
        ExprKind::Call(callee, arguments) => {
            if let ExprKind::Name(name) = &*callee.kind
                && let Some(indices) = index_argument(name).and_then(|at| arguments.get(at))
            {
                body.indices.push(indices.span);
            }
        }
        ExprKind::Name(name) => {
            body.mentions.insert(name.clone());
        }
        _ => {}
    }
    expr.kind.for_each_child(|child| walk(child, body));
}

fn size_names(ty: &Type, found: &mut Vec<String>) {
    match &ty.kind {
        TypeKind::Named { args, .. } => args.iter().for_each(|arg| match arg {
            TypeArg::Size(size) => size_name(size, found),
            TypeArg::Type(ty) => size_names(ty, found),
        }),
        TypeKind::Array(size, elem) => {
            size_name(size, found);
            size_names(elem, found);
        }
        TypeKind::Tuple(types) => types.iter().for_each(|ty| size_names(ty, found)),
        TypeKind::Record(fields) => fields.iter().for_each(|(_, ty)| size_names(ty, found)),
        TypeKind::Function(..) | TypeKind::Error => {}
    }
}

fn size_name(size: &Size, found: &mut Vec<String>) {
    match &size.kind {
        SizeKind::Name(name) if !name.contains('.') && !found.contains(name) => found.push(name.clone()),
        SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) => {
            size_name(a, found);
            size_name(b, found);
        }
        SizeKind::Name(_) | SizeKind::Computed(_) | SizeKind::Int(_) | SizeKind::Error => {}
    }
}
