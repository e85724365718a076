//! Classifies an input: items, a binding, an expression, a command; and whether it continues in the next line.

use arr_base::{Code, Diagnostic, Id, SourceId};
use arr_syntax::ast::{Expr, ExprKind, Item, Pattern, PatternKind};

/// An input that was read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Input {
    /// Only comments.
    Nothing,
    Items(Vec<Item>),
    /// `let p = e` without `in`: the `let` with its names as its body, and the names.
    Let(Expr, Vec<String>),
    Expr(Expr),
}

/// Reads an input other than a command.
pub(crate) fn read(file: SourceId, text: &str) -> (Input, Vec<Diagnostic>) {
    match first_word(text) {
        None => (Input::Nothing, Vec::new()),
        Some("item") => {
            let parsed = arr_syntax::parse_module(file, text);
            (Input::Items(parsed.module.items), parsed.diagnostics)
        }
        Some(word) => {
            let (expr, diagnostics) = arr_syntax::parse_expr(file, text);
            if word == "let" && !diagnostics.is_empty() {
                // Names that are bound for the rest of the session have no `in`.
                let (closed, problems) = arr_syntax::parse_expr(file, &format!("{text}\nin ()"));
                if problems.is_empty()
                    && let Some((expr, names)) = binding(closed)
                {
                    return (Input::Let(expr, names), Vec::new());
                }
            }
            (Input::Expr(expr), diagnostics)
        }
    }
}

/// The first word of the text after comments: `item` for those that begin an item, nothing if there is none.
fn first_word(text: &str) -> Option<&str> {
    let line = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("--"))?;
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(line.len());
    let (word, rest) = line.split_at_checked(end)?;
    let rest = rest.trim_start();
    let named = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let item = match word {
        "def" | "type" | "import" => true,
        // No expression puts two names, or a name and a text, side by side.
        "derivative" => named,
        "test" => rest.starts_with('"'),
        _ => false,
    };
    Some(if item { "item" } else { word })
}

/// `let p = e in ()` with the names of `p` in place of `()`.
fn binding(expr: Expr) -> Option<(Expr, Vec<String>)> {
    let span = expr.span;
    let ExprKind::Let(bindings, body) = *expr.kind else { return None };
    if !matches!(&*body.kind, ExprKind::Tuple(items) if items.is_empty()) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for binding in &bindings {
        pattern_names(&binding.pattern, &mut names);
    }
    let mut values: Vec<Expr> = names.iter().map(|name| Expr::new(ExprKind::Name(name.clone()), span)).collect();
    let body = match values.pop() {
        Some(only) if values.is_empty() => only,
        last => {
            values.extend(last);
            Expr::new(ExprKind::Tuple(values), span)
        }
    };
    Some((Expr::new(ExprKind::Let(bindings, body), span), names))
}

fn pattern_names(pattern: &Pattern, names: &mut Vec<String>) {
    match &pattern.kind {
        // Of two bindings of a name the later one counts.
        PatternKind::Name(name) if !names.contains(name) => names.push(name.clone()),
        PatternKind::Tuple(items) | PatternKind::Constructor(_, items) => {
            items.iter().for_each(|p| pattern_names(p, names))
        }
        PatternKind::Record(fields) => {
            for (name, inner) in fields {
                match inner {
                    Some(inner) => pattern_names(inner, names),
                    None if !names.contains(&name.text) => names.push(name.text.clone()),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// Whether an input continues in the next line: something is open, or an item or expression has no end yet. An empty
/// line ends it in any case.
pub fn incomplete(text: &str) -> bool {
    let last = text.split('\n').next_back().unwrap_or_default();
    if text.trim_start().starts_with(':') || (text.contains('\n') && last.trim().is_empty()) {
        return false;
    }
    match first_word(text) {
        // The item that a doc comment belongs to is still to come.
        None => text.lines().any(|line| line.trim_start().starts_with("--|")),
        Some(_) => {
            let (_, diagnostics) = read(SourceId::from_index(0), text);
            !diagnostics.is_empty() && diagnostics.iter().all(|d| d.code == Code::UNEXPECTED_END)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_inputs_go_on() {
        for text in
            ["(1 +", "1 +", "def f(x: f64) =", "def f(x: f64) -> f64", "let x =", "[1,", "--| doc", "if true then 1"]
        {
            assert!(incomplete(text), "{text}");
        }
        for text in
            ["1", "1 + )", "def f(x: f64) -> f64 = x", "let x = 1", "let x = 1 in x", ":type (1", "-- no", "", "(1\n"]
        {
            assert!(!incomplete(text), "{text}");
        }
    }

    #[test]
    fn words_that_begin_items_elsewhere_are_names() {
        let kind = |text| read(SourceId::from_index(0), text).0;
        assert!(matches!(kind("test + 1"), Input::Expr(_)));
        assert!(matches!(kind("derivative(1.0)"), Input::Expr(_)));
        assert!(matches!(kind("derivative f(x, y, dy) = dy"), Input::Items(items) if items.len() == 1));
        assert!(matches!(kind("--| a\ndef a = 1\ndef b = 2"), Input::Items(items) if items.len() == 2));
        assert!(matches!(kind("let (a, { b, c = _ }) = f(1) let a = 2"), Input::Let(_, names) if names == ["a", "b"]));
        assert!(matches!(kind("let a = 1 in a"), Input::Expr(_)));
    }
}
