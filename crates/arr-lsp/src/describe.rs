//! Descriptions of names: the signature or type as code, and the documentation as Markdown.

use crate::FileSpan;
use crate::analysis::Analysis;
use crate::file::File;
use crate::resolve::{Bound, NameKind, Target};
use arr_syntax::ast::{self, Item, TypeBody};

/// Code in one line, or few, and Markdown.
#[derive(Clone, Debug, Default)]
pub struct Description {
    pub code: String,
    pub text: String,
}

impl Description {
    pub fn markdown(&self) -> String {
        let code = format!("```arr\n{}\n```", self.code);
        if self.text.is_empty() { code } else { format!("{code}\n\n{}", self.text) }
    }
}

/// The description of a name's target.
pub fn describe(analysis: &Analysis, target: &Target) -> Option<Description> {
    match target {
        Target::Bound(place) => bound(analysis, place),
        Target::Builtin(name) => Some(builtin(name)),
        Target::File(path) => Some(file(analysis, path)),
        Target::Unknown(_) => None,
    }
}

fn bound(analysis: &Analysis, place: &FileSpan) -> Option<Description> {
    let (file, bound) = analysis.bound(place)?;
    let item = |at: usize| file.item(at);
    Some(match bound.kind {
        NameKind::Def(at) => definition(analysis, file, item(at)?)?,
        NameKind::Type(at) => match item(at)? {
            Item::Type(def) => Description { code: type_code(item(at)?), text: doc_markdown(&def.doc) },
            _ => return None,
        },
        NameKind::Constructor(at, k) => match item(at)? {
            Item::Type(def) => constructor(def, k)?,
            _ => return None,
        },
        NameKind::Module(at) => match item(at)? {
            Item::Import(import) => self::file(analysis, &file.target(import)),
            _ => return None,
        },
        NameKind::TypeParam(bound_) => {
            let code = format!("{}: {}", bound.name, bound_word(bound_));
            Description { code, text: "type parameter".to_string() }
        }
        NameKind::Size => Description { code: format!("{}: i64", bound.name), text: "size".to_string() },
        NameKind::Parameter | NameKind::Local | NameKind::Index => local(analysis, &place.path, bound),
    })
}

fn local(analysis: &Analysis, path: &str, bound: &Bound) -> Description {
    let known = analysis.known(path, bound);
    let extent = known.and_then(|k| k.extent.as_ref()).map(|extent| format!(" < {extent}")).unwrap_or_default();
    let code = match known {
        Some(known) => format!("{}: {}{extent}", bound.name, known.ty),
        None => bound.name.clone(),
    };
    let text = match bound.kind {
        NameKind::Parameter => "parameter",
        NameKind::Index => "index",
        _ => "",
    };
    Description { code, text: text.to_string() }
}

/// The signature of a definition; an undeclared result type is the inferred one.
pub fn signature(analysis: &Analysis, path: &str, def: &ast::Def) -> String {
    let mut code = arr_driver::signature(def);
    if def.result.is_none()
        && let Some(known) = analysis.result(path, def.name.span.start, def.name.span.end)
    {
        code.push_str(if def.params.is_some() { " -> " } else { ": " });
        code.push_str(&known.ty);
    }
    code
}

fn definition(analysis: &Analysis, file: &File, item: &Item) -> Option<Description> {
    let Item::Def(def) = item else { return None };
    Some(Description { code: format!("def {}", signature(analysis, &file.path, def)), text: doc_markdown(&def.doc) })
}

fn constructor(def: &ast::TypeDef, k: usize) -> Option<Description> {
    let TypeBody::Sum(constructors) = &def.body else { return None };
    let constructor = constructors.get(k)?;
    let fields: Vec<String> = constructor.fields.iter().map(arr_syntax::print_type).collect();
    let mut code = constructor.name.text.clone();
    if !fields.is_empty() {
        code.push_str(&format!("({})", fields.join(", ")));
    }
    let text = format!("constructor of `{}`", def.name.text);
    let doc = doc_markdown(&def.doc);
    Some(Description { code, text: if doc.is_empty() { text } else { format!("{text}\n\n{doc}") } })
}

/// A type definition without its doc comment.
fn type_code(item: &Item) -> String {
    let mut item = item.clone();
    if let Item::Type(def) = &mut item {
        def.doc.clear();
    }
    arr_syntax::print_item(&item).trim_end().to_string()
}

/// The description of a built-in function or type.
pub fn builtin(name: &str) -> Description {
    let doc = arr_check::builtin_docs().find(|(builtin, _)| *builtin == name).map(|(_, doc)| doc);
    Description {
        code: arr_check::builtin_signature(name).unwrap_or_else(|| name.to_string()),
        text: format!("built-in\n\n{}", doc.unwrap_or_default()).trim_end().to_string(),
    }
}

/// A module: the comment at the top of its file.
fn file(analysis: &Analysis, path: &str) -> Description {
    let module = path.strip_prefix("<std>/").and_then(|file| file.strip_suffix(".arr"));
    let code = match module {
        Some(module) => format!("import {module}"),
        None => format!("import \"{path}\""),
    };
    let text = analysis.files.get(path).map_or(String::new(), |file| {
        let lines = file.text.text().lines().take_while(|line| line.starts_with("--") && !line.starts_with("--|"));
        let lines: Vec<&str> = lines.map(|line| line.trim_start_matches('-').trim()).collect();
        lines.join("\n").trim().to_string()
    });
    Description { code, text }
}

fn bound_word(bound: ast::Bound) -> &'static str {
    match bound {
        ast::Bound::Any => "any",
        ast::Bound::Num => "num",
        ast::Bound::Float => "float",
    }
}

/// A doc comment as Markdown, with examples as code blocks.
pub fn doc_markdown(lines: &[String]) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut example = false;
    let mut fenced = false;
    for line in lines {
        let starts = line.starts_with("> ") && !fenced;
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if starts && !example {
            out.push("```arr");
            example = true;
        }
        if example && line.trim().is_empty() {
            out.push("```");
            example = false;
        }
        out.push(line);
    }
    if example {
        out.push("```");
    }
    out.join("\n").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_become_code() {
        let lines = ["A sum.", "> f(1)", "1", "", "More.", "```", "> x", "```", "> g(2)"].map(str::to_string);
        let expected = "A sum.\n```arr\n> f(1)\n1\n```\n\nMore.\n```\n> x\n```\n```arr\n> g(2)\n```";
        assert_eq!(doc_markdown(&lines), expected);
    }
}
