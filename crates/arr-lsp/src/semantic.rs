//! Semantic highlighting: keywords, numbers and comments by the lexer, names by their targets.

use crate::file::File;
use crate::resolve::SCALARS;
use crate::resolve::{Index, NameKind, Occurrence, Role, Target};
use arr_syntax::PieceKind;
use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};

/// The kinds, in the order of their numbers.
const TYPES: &[SemanticTokenType] = &[
    SemanticTokenType::KEYWORD,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::TYPE,
    SemanticTokenType::TYPE_PARAMETER,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::PROPERTY,
];

const MODIFIERS: &[SemanticTokenModifier] = &[
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::DEFAULT_LIBRARY,
    SemanticTokenModifier::DOCUMENTATION,
];

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

type Colour = (SemanticTokenType, Vec<SemanticTokenModifier>);

/// The highlighted pieces of a file. `kind_of` returns the binding at a place.
pub fn tokens(file: &File, index: &Index, kind_of: &dyn Fn(&Target) -> Option<NameKind>) -> Vec<SemanticToken> {
    let mut out = Vec::new();
    let mut last = lsp_types::Position::default();
    for piece in arr_syntax::pieces(file.text.text()) {
        let Some((ty, modifiers)) = colour(file, index, kind_of, piece.kind, piece.range.start) else { continue };
        let range = file.text.range(piece.range.start, piece.range.end);
        let delta_line = range.start.line - last.line;
        let delta_start = range.start.character - if delta_line == 0 { last.character } else { 0 };
        last = range.start;
        let number = |n: Option<usize>| n.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let bit = |m: &SemanticTokenModifier| 1u32 << number(MODIFIERS.iter().position(|known| known == m));
        out.push(SemanticToken {
            delta_line,
            delta_start,
            length: range.end.character.saturating_sub(range.start.character),
            token_type: number(TYPES.iter().position(|known| *known == ty)),
            token_modifiers_bitset: modifiers.iter().map(bit).sum(),
        });
    }
    out
}

fn colour(
    file: &File,
    index: &Index,
    kind_of: &dyn Fn(&Target) -> Option<NameKind>,
    kind: PieceKind,
    start: usize,
) -> Option<Colour> {
    let plain = |ty| Some((ty, Vec::new()));
    match kind {
        PieceKind::Keyword => plain(SemanticTokenType::KEYWORD),
        PieceKind::Number => plain(SemanticTokenType::NUMBER),
        PieceKind::Text => plain(SemanticTokenType::STRING),
        PieceKind::Comment => plain(SemanticTokenType::COMMENT),
        PieceKind::Doc => Some((SemanticTokenType::COMMENT, vec![SemanticTokenModifier::DOCUMENTATION])),
        PieceKind::Operator => plain(SemanticTokenType::OPERATOR),
        PieceKind::Bracket | PieceKind::Punctuation | PieceKind::Unreadable => None,
        PieceKind::Name => {
            let at = index.occurrences.partition_point(|o| (o.start as usize) < start);
            let here = index.occurrences.get(at..).unwrap_or_default();
            match here.iter().take_while(|o| o.start as usize == start).last() {
                Some(occurrence) => name(file, occurrence, kind_of),
                // A name that is not in scope is a field.
                None => plain(SemanticTokenType::PROPERTY),
            }
        }
    }
}

fn name(file: &File, occurrence: &Occurrence, kind_of: &dyn Fn(&Target) -> Option<NameKind>) -> Option<Colour> {
    let mut modifiers = Vec::new();
    if matches!(occurrence.role, Role::Binding | Role::Shorthand) {
        modifiers.push(SemanticTokenModifier::DECLARATION);
    }
    let ty = match &occurrence.target {
        Target::Builtin(name) => {
            modifiers.push(SemanticTokenModifier::DEFAULT_LIBRARY);
            let scalar = SCALARS.contains(&name.as_str());
            if scalar && occurrence.role == Role::Type { SemanticTokenType::TYPE } else { SemanticTokenType::FUNCTION }
        }
        Target::File(_) => SemanticTokenType::NAMESPACE,
        Target::Unknown(_) => return None,
        Target::Bound(place) => {
            if crate::paths::is_standard(place) && place.path != *file.path {
                modifiers.push(SemanticTokenModifier::DEFAULT_LIBRARY);
            }
            match kind_of(&occurrence.target)? {
                NameKind::Def(_) => SemanticTokenType::FUNCTION,
                NameKind::Type(_) => SemanticTokenType::TYPE,
                NameKind::Constructor(..) => SemanticTokenType::ENUM_MEMBER,
                NameKind::Module(_) => SemanticTokenType::NAMESPACE,
                NameKind::Parameter => SemanticTokenType::PARAMETER,
                NameKind::Local | NameKind::Index => SemanticTokenType::VARIABLE,
                NameKind::Size => {
                    modifiers.push(SemanticTokenModifier::READONLY);
                    SemanticTokenType::VARIABLE
                }
                NameKind::TypeParam(_) => SemanticTokenType::TYPE_PARAMETER,
            }
        }
    };
    Some((ty, modifiers))
}
