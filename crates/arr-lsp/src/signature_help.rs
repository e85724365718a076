//! The signature of the definition whose arguments are being written.

use crate::analysis::Analysis;
use crate::describe;
use crate::file::File;
use arr_syntax::ast::{Def, Item};
use arr_syntax::{Piece, PieceKind};
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation,
};

/// The signature for a byte of the analysed file.
pub fn signature_help(analysis: &Analysis, offset: usize) -> Option<SignatureHelp> {
    let file = analysis.file()?;
    let (callee, argument) = call_around(file.text.text(), offset)?;
    let (label, doc, params) = match callee.split_once('.') {
        Some((module, name)) => definition(analysis, analysis.files.get(&file.import(module)?)?, name)?,
        None if file.defs.contains_key(&callee) => definition(analysis, file, &callee)?,
        None => builtin(&callee)?,
    };
    let active = u32::try_from(argument.min(params.len().saturating_sub(1))).ok();
    let parameters = params
        .into_iter()
        .map(|label| ParameterInformation { label: ParameterLabel::Simple(label), documentation: None });
    let documentation = (!doc.is_empty())
        .then_some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: doc }));
    let information =
        SignatureInformation { label, documentation, parameters: Some(parameters.collect()), active_parameter: active };
    Some(SignatureHelp { signatures: vec![information], active_signature: Some(0), active_parameter: active })
}

type Signature = (String, String, Vec<String>);

fn definition(analysis: &Analysis, file: &File, name: &str) -> Option<Signature> {
    let Item::Def(def) = file.item(*file.defs.get(name)?)? else { return None };
    let label = describe::signature(analysis, &file.path, def);
    Some((label, describe::doc_markdown(&def.doc), parameters(def)))
}

fn parameters(def: &Def) -> Vec<String> {
    let parameter = |p: &arr_syntax::ast::Param| {
        let pattern = arr_syntax::print_pattern(&p.pattern);
        match &p.ty {
            Some(ty) => format!("{pattern}: {}", arr_syntax::print_type(ty)),
            None => pattern,
        }
    };
    def.params.iter().flatten().map(parameter).collect()
}

/// A built-in has a signature where its documentation begins with one: "shl(a, k): ...".
fn builtin(name: &str) -> Option<Signature> {
    let (_, doc) = arr_check::builtin_docs().find(|(builtin, _)| *builtin == name)?;
    let rest = doc.strip_prefix(name).and_then(|rest| rest.strip_prefix('('));
    let (label, params) = match rest.and_then(|rest| rest.split_once(')')) {
        Some((params, _)) => {
            let params = params.trim_end_matches("..").trim_end_matches([' ', ',']);
            (format!("{name}({params})"), params.split(',').map(|p| p.trim().to_string()).collect())
        }
        None => (format!("{name}(..)"), Vec::new()),
    };
    Some((label, doc.to_string(), params))
}

/// The call around a byte, and the position of the argument there.
fn call_around(text: &str, offset: usize) -> Option<(String, usize)> {
    let pieces: Vec<Piece> = arr_syntax::pieces(text)
        .into_iter()
        .filter(|p| p.range.end <= offset && !matches!(p.kind, PieceKind::Comment | PieceKind::Doc))
        .collect();
    // Open brackets, each with the commas behind it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let word = |at: usize| pieces.get(at).and_then(|p| text.get(p.range.clone())).unwrap_or("");
    for (at, piece) in pieces.iter().enumerate() {
        match (piece.kind, word(at)) {
            (PieceKind::Keyword, "def" | "type" | "import" | "test" | "derivative") => open.clear(),
            (PieceKind::Bracket, "(" | "[" | "{") => open.push((at, 0)),
            (PieceKind::Bracket, _) => drop(open.pop()),
            (PieceKind::Punctuation, ",") => {
                if let Some((_, commas)) = open.last_mut() {
                    *commas += 1;
                }
            }
            _ => {}
        }
    }
    let name = |at: usize| pieces.get(at).is_some_and(|p| p.kind == PieceKind::Name);
    let mut calls = open.into_iter().rev().filter_map(|(at, commas)| {
        let before = at.checked_sub(1).filter(|b| word(at) == "(" && name(*b))?;
        let declared = before.checked_sub(1).is_some_and(|b| matches!(word(b), "def" | "derivative"));
        let module = before.checked_sub(2).filter(|m| word(m + 1) == "." && name(*m));
        let callee = match module {
            Some(module) => format!("{}.{}", word(module), word(before)),
            None => word(before).to_string(),
        };
        (!declared).then_some((callee, commas))
    });
    calls.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls() {
        for (text, expected) in [
            ("def g() = f(|", Some(("f", 0))),
            ("def g() = f(1, h(2), [3, |", Some(("f", 2))),
            ("def g() = f(1, h(2, |", Some(("h", 1))),
            ("def g() = m.f(x, -- ,(\n |", Some(("m.f", 1))),
            ("def g(x|", None),
            ("def g() = f(1) + |", None),
            ("def g() = (1, |", None),
        ] {
            let offset = text.find('|').unwrap_or(0);
            let found = call_around(text.get(..offset).unwrap_or(""), offset);
            assert_eq!(found, expected.map(|(name, at)| (name.to_string(), at)), "{text}");
        }
    }
}
