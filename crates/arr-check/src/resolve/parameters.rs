//! Parameters and sizes of one name: it would mean two things in the body.

use crate::data::problem::Problem;
use crate::data::tables::Tables;
use crate::resolve::written_names::size_names;
use arr_base::Span;
use arr_syntax::ast::{Def, Pattern, PatternKind};

/// The problems of parameters with the name of a size that an earlier type binds, and of parts of parameters with the
/// name of any size.
pub(crate) fn sizes_given_twice(tables: &Tables, module: usize, def: &Def) -> Vec<Problem> {
    let mut implicit: Vec<(&str, Span)> = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    let mut parts: Vec<(&str, Span)> = Vec::new();
    let mut problems = Vec::new();
    let twice = |name: &str, span, first| Problem::Duplicate { what: "size", name: name.to_string(), span, first };
    for param in def.params.iter().flatten() {
        let mut sizes = Vec::new();
        param.ty.iter().for_each(|ty| size_names(ty, tables, module, &mut sizes));
        implicit.extend(sizes.into_iter().filter(|(name, _)| !named.contains(name)));
        let PatternKind::Name(name) = &param.pattern.kind else {
            bound_names(&param.pattern, &mut parts);
            continue;
        };
        if let Some((_, first)) = implicit.iter().find(|(size, _)| size == name) {
            problems.push(twice(name, param.pattern.span, Some(*first)));
        }
        named.push(name);
    }
    for (name, span) in parts {
        if let Some((_, first)) = implicit.iter().find(|(size, _)| *size == name) {
            problems.push(twice(name, span, Some(*first)));
        }
    }
    problems
}

/// The names that a pattern binds.
fn bound_names<'a>(pattern: &'a Pattern, out: &mut Vec<(&'a str, Span)>) {
    match &pattern.kind {
        PatternKind::Name(name) => out.push((name, pattern.span)),
        PatternKind::Tuple(items) | PatternKind::Constructor(_, items) => {
            items.iter().for_each(|p| bound_names(p, out));
        }
        PatternKind::Record(fields) => {
            for (name, inner) in fields {
                match inner {
                    Some(inner) => bound_names(inner, out),
                    None => out.push((&name.text, name.span)),
                }
            }
        }
        PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Error => {}
    }
}
