//! Signatures of definitions and types, as markup.

use crate::html::escape;
use crate::text::{Names, linked};
use arr_check::Types;
use arr_syntax::ast::{Bound, Def, Item, TypeDef};

/// Longer signatures have one parameter per line.
const WIDTH: usize = 80;

/// The signature as written, on one line or with one parameter per line. A result type that is not written is the
/// inferred one, and looks different.
pub(crate) fn signature(item: &Item, types: &Types, names: &Names) -> String {
    match item {
        Item::Def(def) => {
            let inferred = inferred(def, types);
            let one = format!("def {}", arr_driver::signature(def));
            let written = if one.chars().chain(inferred.chars()).count() <= WIDTH { one } else { tall(def) };
            let written = linked(&written, names);
            if inferred.is_empty() {
                return written;
            }
            let title = escape("inferred, not written");
            format!("{written}<span class=\"inferred\" title=\"{title}\">{}</span>", linked(&inferred, names))
        }
        Item::Type(def) => {
            let bare = TypeDef { doc: Vec::new(), ..def.clone() };
            linked(arr_syntax::print_item(&Item::Type(bare)).trim_end(), names)
        }
        _ => String::new(),
    }
}

/// The end of a signature whose result type is not written, as far as it is known.
fn inferred(def: &Def, types: &Types) -> String {
    let known = types.result(def.name.span).filter(|known| def.result.is_none() && !known.function);
    known.map(|known| format!("{} {}", arrow(def), known.ty)).unwrap_or_default()
}

/// What stands before the type of a result; of a constant, before its own.
fn arrow(def: &Def) -> &'static str {
    if def.params.is_some() { " ->" } else { ":" }
}

fn tall(def: &Def) -> String {
    let bound = |b: Bound| match b {
        Bound::Any => "any",
        Bound::Num => "num",
        Bound::Float => "float",
    };
    let mut text = format!("def {}", def.name.text);
    if !def.type_params.is_empty() {
        let params: Vec<String> =
            def.type_params.iter().map(|p| format!("{}: {}", p.name.text, bound(p.bound))).collect();
        text.push_str(&format!("[{}]", params.join(", ")));
    }
    if let Some(params) = &def.params {
        text.push_str("(\n");
        for param in params {
            let ty = param.ty.as_ref().map_or(String::new(), |ty| format!(": {}", arr_syntax::print_type(ty)));
            text.push_str(&format!("  {}{ty},\n", arr_syntax::print_pattern(&param.pattern)));
        }
        text.push(')');
    }
    if let Some(result) = &def.result {
        text.push_str(&format!("{} {}", arrow(def), arr_syntax::print_type(result)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_driver::{MemoryWorld, Session};

    fn signatures(text: &str) -> Vec<String> {
        let mut session = Session::new(MemoryWorld::new([("a.arr", text.as_bytes())]));
        let Ok((checked, types)) = session.checked_with_types("a.arr") else { return Vec::new() };
        let one = |item: &Item| signature(item, &types, &Names::new(["P".to_string()]));
        checked.module().items.iter().map(one).collect()
    }

    #[test]
    fn inferred_types_are_told_apart() {
        let inferred = |ty: &str| format!("<span class=\"inferred\" title=\"inferred, not written\">{ty}</span>");
        assert_eq!(
            signatures("def f(x: [n]f64) = 2.0 * x"),
            [format!("def f(x: [n]f64){}", inferred(" -&gt; [n]f64"))]
        );
        assert_eq!(signatures("def f(x: f64) -> f64 = x"), ["def f(x: f64) -&gt; f64"]);
        assert_eq!(
            signatures("def golden = 1.6\ndef k: i64 = 2"),
            [format!("def golden{}", inferred(": f64")), "def k: i64".to_string()]
        );
        let p = "<a href=\"#P\">P</a>";
        assert_eq!(
            signatures("type P = { x: f64 }\ndef f(p: P) = p").get(1),
            Some(&format!("def f(p: {p}){}", inferred(&format!(" -&gt; {p}"))))
        );
        assert_eq!(
            signatures("def f[t: float](x: [n]t) = (sum(x), x)"),
            [format!("def f[t: float](x: [n]t){}", inferred(" -&gt; (t, [n]t)"))]
        );
    }
}
