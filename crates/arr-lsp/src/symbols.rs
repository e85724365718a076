//! The outline of a file, and names of the workspace.

use crate::file::{File, Files};
use crate::paths::Library;
use arr_base::Span;
use arr_syntax::ast::{Item, Name, TypeBody};
use lsp_types::{DocumentSymbol, Location, OneOf, SymbolKind, WorkspaceSymbol};

/// The definitions of a file, in source order.
pub fn outline(file: &File) -> Vec<DocumentSymbol> {
    file.syntax.items.iter().filter_map(|item| item_symbol(file, item)).collect()
}

fn item_symbol(file: &File, item: &Item) -> Option<DocumentSymbol> {
    Some(match item {
        Item::Def(def) => {
            let kind = if def.params.is_some() { SymbolKind::FUNCTION } else { SymbolKind::CONSTANT };
            let detail = arr_driver::signature(def);
            let detail = detail.strip_prefix(&def.name.text).unwrap_or("").trim();
            symbol(file, &def.name, detail, kind, def.span)
        }
        Item::Test(test) => {
            let name = Name { text: format!("test {}", test.def.name.text), span: test.def.name.span };
            symbol(file, &name, "", SymbolKind::EVENT, test.def.span)
        }
        Item::Type(def) => {
            let sum = matches!(def.body, TypeBody::Sum(_));
            let kind = if sum { SymbolKind::ENUM } else { SymbolKind::STRUCT };
            let mut outer = symbol(file, &def.name, "", kind, def.span);
            if let TypeBody::Sum(constructors) = &def.body {
                let inner = |c: &arr_syntax::ast::Constructor| {
                    let fields: Vec<String> = c.fields.iter().map(arr_syntax::print_type).collect();
                    let detail = if fields.is_empty() { String::new() } else { format!("({})", fields.join(", ")) };
                    symbol(file, &c.name, &detail, SymbolKind::ENUM_MEMBER, c.name.span)
                };
                outer.children = Some(constructors.iter().map(inner).collect());
            }
            outer
        }
        Item::Import(import) => {
            let name = Name { text: import.local_name()?.to_string(), span: import.span };
            symbol(file, &name, "", SymbolKind::MODULE, import.span)
        }
        Item::Derivative(rule) => {
            let name = Name { text: format!("derivative {}", rule.name.text), span: rule.name.span };
            symbol(file, &name, "", SymbolKind::FUNCTION, rule.span)
        }
        Item::Error(_) => return None,
    })
}

fn symbol(file: &File, name: &Name, detail: &str, kind: SymbolKind, span: Span) -> DocumentSymbol {
    let range = |span: Span| file.text.range(span.start as usize, span.end as usize);
    #[allow(deprecated, reason = "the field has no other way to be left out")]
    DocumentSymbol {
        name: name.text.clone(),
        detail: (!detail.is_empty()).then(|| detail.to_string()),
        kind,
        tags: None,
        deprecated: None,
        range: range(span.to(name.span)),
        selection_range: range(name.span),
        children: None,
    }
}

/// The definitions and types of the workspace whose names contain the letters of the query in order.
pub fn search(files: &Files, library: &Library, query: &str) -> Vec<WorkspaceSymbol> {
    let mut found = Vec::new();
    for (path, file) in files {
        let Some(uri) = library.uri(path) else { continue };
        for symbol in outline(file) {
            let inner = symbol.children.clone().unwrap_or_default();
            let named = |s: &DocumentSymbol| !matches!(s.kind, SymbolKind::MODULE | SymbolKind::EVENT);
            for symbol in std::iter::once(symbol).chain(inner).filter(|s| named(s) && holds(&s.name, query)) {
                found.push(WorkspaceSymbol {
                    name: symbol.name,
                    kind: symbol.kind,
                    tags: None,
                    container_name: Some(path.clone()),
                    location: OneOf::Left(Location { uri: uri.clone(), range: symbol.selection_range }),
                    data: None,
                });
            }
        }
    }
    found
}

fn holds(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|c| c == wanted))
}
