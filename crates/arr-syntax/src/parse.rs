//! Driving the grammar: a file is split into items, and each item is parsed by itself.
//!
//! Only an item can begin with `def`, `type`, `import` or `derivative`, so splitting there is exact for a well-formed
//! file and, in a broken one, confines an error to its item whatever brackets it leaves open.

use crate::ast::*;
use crate::build_tree::{GrammarError, MAX_IDLE, MAX_NESTING, Parse, TreeBuilder, too_deep};
use crate::grammar::StartParser;
use crate::hints::NO_NAME;
use crate::lexer::lex;
use crate::report::Piece;
use crate::spellings::item_hint;
use crate::statements::PARAMETERS;
use crate::token::{Spanned, Tok};
use arr_base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::ParseError;

/// After this many syntax errors in a file the rest of it is not read, and no more are shown.
const MAX_ERRORS: usize = 200;

/// A file as far as it could be read, and its errors, in source order.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub module: Module,
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a file. Items that cannot be read are in the tree as [`Item::Error`] or with [`ExprKind::Error`] in them.
pub fn parse_module(file: SourceId, text: &str) -> Parsed {
    let lexed = lex(file, text);
    let mut diagnostics = lexed.diagnostics;
    let mut items = Vec::new();
    let parser = StartParser::new();
    for cut in cut_items(text, &lexed.tokens) {
        if diagnostics.len() > MAX_ERRORS {
            break;
        }
        let what = match cut.tokens.first().map(|t| t.1) {
            Some(Tok::Def) => "definition",
            Some(Tok::Type) => "type",
            Some(Tok::Import) => "import",
            Some(Tok::Derivative) => "derivative",
            Some(Tok::Test) => "test",
            _ => "text",
        };
        let piece = Piece { file, text, tokens: &cut.tokens, next: cut.next, what };
        items.push(with_doc(parse_item(&parser, &piece, &mut diagnostics), cut.doc));
    }
    finish(&mut diagnostics);
    Parsed { module: Module { items }, diagnostics }
}

/// Parses an expression that stands alone.
pub fn parse_expr(file: SourceId, text: &str) -> (Expr, Vec<Diagnostic>) {
    let lexed = lex(file, text);
    let mut diagnostics = lexed.diagnostics;
    let tokens: Vec<Spanned> = lexed.tokens.into_iter().filter(|t| !matches!(t.1, Tok::Doc(_))).collect();
    let piece = Piece { file, text, tokens: &tokens, next: None, what: "expression" };
    let parse = parse_piece(&StartParser::new(), &piece, Tok::StartExpr, &mut diagnostics);
    finish(&mut diagnostics);
    let expr = match parse {
        Some(Parse::Expr(expr)) => expr,
        _ => Expr::new(ExprKind::Error, whole(&piece)),
    };
    (expr, diagnostics)
}

/// Source order, and a bounded number.
fn finish(diagnostics: &mut Vec<Diagnostic>) {
    Diagnostic::sort(diagnostics);
    if diagnostics.len() > MAX_ERRORS {
        diagnostics.truncate(MAX_ERRORS);
        if let Some(last) = diagnostics.last_mut() {
            last.notes.push("further syntax errors are not shown".to_string());
        }
    }
}

/// The tokens of one item, without doc comments.
struct Cut<'s> {
    doc: Vec<String>,
    tokens: Vec<Spanned<'s>>,
    next: Option<Spanned<'s>>,
}

/// Whether an item begins at a token: at a keyword for items that a name follows, or that begins its line. Elsewhere,
/// as in `r.type`, the keyword is taken for a mistake inside an item.
fn begins_item(text: &str, tokens: &[Spanned], index: usize) -> bool {
    let Some(&(start, token, _)) = tokens.get(index) else { return false };
    let before = text.get(..start as usize).unwrap_or("");
    let first_on_line = || before.trim_end_matches([' ', '\t', '\u{feff}']).ends_with(['\n', '\r']);
    let named = || matches!(tokens.get(index + 1), Some((_, Tok::Ident(_) | Tok::Str(_), _)));
    token.starts_item() && (index == 0 || named() || first_on_line())
}

fn cut_items<'s>(text: &str, tokens: &[Spanned<'s>]) -> Vec<Cut<'s>> {
    let mut cuts: Vec<Cut<'s>> = Vec::new();
    let mut doc: Vec<String> = Vec::new();
    for (index, &token) in tokens.iter().enumerate() {
        match token.1 {
            Tok::Doc(line) => doc.push(doc_line(line)),
            _ if begins_item(text, tokens, index) => {
                if let Some(cut) = cuts.last_mut() {
                    cut.next = Some(token);
                }
                cuts.push(Cut { doc: std::mem::take(&mut doc), tokens: vec![token], next: None });
            }
            _ => {
                // A doc comment that no item follows belongs to nothing.
                doc.clear();
                match cuts.last_mut() {
                    Some(cut) => cut.tokens.push(token),
                    None => cuts.push(Cut { doc: Vec::new(), tokens: vec![token], next: None }),
                }
            }
        }
    }
    cuts
}

/// A doc comment's text without `--| `.
fn doc_line(line: &str) -> String {
    let line = line.strip_prefix("--|").unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line).trim_end().to_string()
}

fn with_doc(mut item: Item, lines: Vec<String>) -> Item {
    match &mut item {
        Item::Def(Def { doc, .. }) | Item::Type(TypeDef { doc, .. }) => *doc = lines,
        Item::Test(test) => test.def.doc = lines,
        Item::Import(_) | Item::Derivative(_) | Item::Error(_) => {}
    }
    item
}

fn parse_item(parser: &StartParser, piece: &Piece, diagnostics: &mut Vec<Diagnostic>) -> Item {
    if !piece.tokens.first().is_some_and(|t| t.1.starts_item()) {
        diagnostics.extend(no_item(piece));
        return Item::Error(whole(piece));
    }
    match parse_piece(parser, piece, Tok::StartItem, diagnostics) {
        Some(Parse::Item(item)) => *item,
        _ => salvage(piece),
    }
}

/// The diagnostic for text before the first item of a file.
fn no_item(piece: &Piece) -> Option<Diagnostic> {
    let &(start, token, end) = piece.tokens.first()?;
    if matches!(token, Tok::Bad | Tok::BadNumber) {
        return None;
    }
    let span = Span { file: piece.file, start, end };
    let text = piece.text.get(start as usize..end as usize).unwrap_or("");
    let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, format!("unexpected `{text}`"))
        .at(span, "expected `def`, `type`, `import`, `derivative` or `test`");
    Some(match token {
        Tok::Ident(word) => diagnostic.hint(item_hint(word).unwrap_or("a definition starts with `def`")),
        Tok::Let => diagnostic.hint("a definition starts with `def`"),
        Tok::Slash => diagnostic.hint("comments start with `--`"),
        _ => diagnostic.hint("a file is definitions: `def main = 1.0 + 2.0`; `arr repl` evaluates expressions"),
    })
}

/// A definition or a type whose head cannot be read keeps its name, so that its uses are not reported as unknown.
fn salvage(piece: &Piece) -> Item {
    let span = whole(piece);
    match piece.tokens {
        [(_, Tok::Def, _), (start, Tok::Ident(name), end), ..] => Item::Def(Def {
            doc: Vec::new(),
            name: Name { text: name.to_string(), span: Span { file: piece.file, start: *start, end: *end } },
            type_params: Vec::new(),
            params: None,
            result: None,
            body: Expr::new(ExprKind::Error, span),
            span,
        }),
        // Of a type with parameters nobody can say what its uses should be.
        [(start, Tok::Type, _), (from, Tok::Ident(name), to), rest @ ..]
            if !matches!(rest.first(), Some((_, Tok::LBracket, _))) =>
        {
            let name = Name { text: name.to_string(), span: Span { file: piece.file, start: *from, end: *to } };
            let body = TypeBody::Alias(Type {
                kind: TypeKind::Error,
                span: Span { file: piece.file, start: *start, end: *to },
            });
            Item::Type(TypeDef { doc: Vec::new(), name, params: Vec::new(), body, span })
        }
        _ => Item::Error(span),
    }
}

fn whole(piece: &Piece) -> Span {
    let start = piece.tokens.first().map_or(0, |t| t.0);
    let end = piece.tokens.last().map_or(0, |t| t.2);
    Span { file: piece.file, start, end }
}

/// Runs the generated parser over a piece.
fn parse_piece(parser: &StartParser, piece: &Piece, start: Tok, diagnostics: &mut Vec<Diagnostic>) -> Option<Parse> {
    if let Some(span) = bracket_too_deep(piece) {
        diagnostics.push(too_deep(span));
        return None;
    }
    let mut cx = TreeBuilder::new(piece.file);
    let (stop, idle) = (cx.stop.clone(), cx.idle.clone());
    let first = piece.tokens.first().map_or(0, |t| t.0);
    let tokens = std::iter::once((first, start, first))
        .chain(piece.tokens.iter().copied())
        .take_while(|_| {
            idle.set(idle.get() + 1);
            stop.set(stop.get() || idle.get() > MAX_IDLE);
            !stop.get()
        })
        .map(Ok::<_, std::convert::Infallible>);
    let result = parser.parse(&mut cx, tokens);
    // When reading was stopped early, the parser's error at the artificial end is none of the program's.
    let stopped = stop.get();
    let counts = |e: &GrammarError| !(stopped && matches!(e, ParseError::UnrecognizedEof { .. }));
    cx.recovered.retain(|r| counts(&r.error));
    let mut found = std::mem::take(&mut cx.diagnostics);
    let on_track = piece.recovered(&cx.recovered, &mut found);
    let parse = match result {
        Ok(parse) => Some(parse),
        Err(error) => {
            if on_track && counts(&error) {
                found.extend(piece.error(&error));
            }
            None
        }
    };
    without_consequences(&mut found);
    diagnostics.append(&mut found);
    parse
}

/// Drops what follows from an error before: uses of a keyword that was to be a name, and the `=>` of a function whose
/// parameters lack their parentheses.
fn without_consequences(found: &mut Vec<Diagnostic>) {
    let mut dropped: Vec<String> = Vec::new();
    found.retain(|d| {
        let follows = dropped.contains(&d.title);
        match d.hint.as_deref() {
            Some(hint) if hint.ends_with(NO_NAME) => dropped.push(d.title.clone()),
            Some(hint) if hint.starts_with(PARAMETERS) => dropped.push("unexpected `=>`".to_string()),
            _ => {}
        }
        !follows
    });
}

/// The first bracket past the limit.
fn bracket_too_deep(piece: &Piece) -> Option<Span> {
    let mut depth = 0u32;
    for &(start, token, end) in piece.tokens {
        if token.closer().is_some() {
            depth += 1;
        } else if token.is_closer() {
            depth = depth.saturating_sub(1);
        }
        if depth > MAX_NESTING {
            return Some(Span { file: piece.file, start, end });
        }
    }
    None
}
