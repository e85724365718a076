//! The contents of a session: items by name, and values as the parameters, or constants, of the code that uses them.

use arr_data::EdgeValue;
use arr_syntax::ast::{Def, Expr, ExprKind, ImportPath, Item};

/// A name that a `let` bound.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LetBinding {
    pub name: String,
    pub value: EdgeValue,
}

/// The name under which an item is kept, and what kind of name it is.
pub(crate) fn item_name(item: &Item) -> Option<(&'static str, String)> {
    Some(match item {
        Item::Def(def) => ("def", def.name.text.clone()),
        Item::Type(def) => ("type", def.name.text.clone()),
        Item::Derivative(def) => ("derivative", def.name.text.clone()),
        Item::Import(import) => {
            let path = match &import.path {
                ImportPath::Std(name) => name.text.clone(),
                ImportPath::File { path, .. } => path.clone(),
            };
            ("import", import.alias.as_ref().map_or(path, |alias| alias.text.clone()))
        }
        Item::Test(test) => ("test", test.def.name.text.clone()),
        Item::Error(_) => return None,
    })
}

/// Whether a definition mentions a name, other than as a parameter.
pub(crate) fn mentions(def: &Def, name: &str) -> bool {
    fn walk(e: &Expr, name: &str) -> bool {
        if matches!(&*e.kind, ExprKind::Name(n) if n == name) {
            return true;
        }
        let mut found = false;
        e.kind.for_each_child(|child| found |= walk(child, name));
        found
    }
    let mut params = def.params.iter().flatten();
    let shadowed = params.any(|p| words(&arr_syntax::print_pattern(&p.pattern)).any(|word| word == name));
    !shadowed && walk(&def.body, name)
}

/// The words of a text that may be names.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).filter(|word| !word.is_empty())
}

/// The number of elements of a value.
pub(crate) fn elements(value: &EdgeValue) -> usize {
    value
        .leaves()
        .iter()
        .map(|leaf| leaf.dims().iter().map(|d| usize::try_from(*d).unwrap_or(0)).product::<usize>())
        .sum()
}

/// A value as source. Values without a literal, infinities and NaN, are written as a quotient.
pub(crate) fn source(value: &EdgeValue) -> String {
    let text = arr_data::to_literal(value);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(char::is_alphabetic) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let end = from.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(from.len());
        let (word, after) = from.split_at_checked(end).unwrap_or((from, ""));
        out.push_str(before);
        // `inf = ..` is a field of that name.
        let field = after.trim_start().starts_with('=');
        out.push_str(match word {
            "inf" if !field => "(1.0 / 0.0)",
            "nan" if !field => "(0.0 / 0.0)",
            word => word,
        });
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_ir::{Const, Value};

    #[test]
    fn what_has_no_literal_is_a_quotient() {
        let number = |x| EdgeValue::Leaf(Value::Scalar(Const::F64(x)));
        let record = EdgeValue::Record(vec![("inf".into(), number(f64::NEG_INFINITY)), ("b".into(), number(f64::NAN))]);
        assert_eq!(source(&record), "{inf = -(1.0 / 0.0), b = (0.0 / 0.0)}");
        assert_eq!(source(&number(1e300)), "1e300");
    }
}
