//! The answers to requests.

use crate::FileSpan;
use crate::analysis::Analysis;
use crate::file::Files;
use crate::navigate;
use crate::rename::{self, Edits};
use crate::resolve::{NameKind, Target};
use crate::server::Server;
use crate::{actions, complete, format, hover, inlay, semantic, signature_help, symbols};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeActionParams, CompletionParams, DocumentFormattingParams, DocumentHighlight, DocumentSymbolParams,
    GotoDefinitionParams, HoverParams, InlayHintParams, Location, PrepareRenameResponse, ReferenceParams, RenameParams,
    SemanticTokens, SemanticTokensParams, SignatureHelpParams, TextDocumentPositionParams, TextEdit, Uri,
    WorkspaceSymbolParams,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A request without an answer: the kind of fault, and a message.
pub type Failed = (ErrorCode, String);

type Answer = Result<Value, Failed>;

/// The capabilities of the server.
pub fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": ["."] },
        "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "documentFormattingProvider": true,
        "renameProvider": { "prepareProvider": true },
        "inlayHintProvider": true,
        "semanticTokensProvider": { "legend": semantic::legend(), "full": true },
    })
}

/// Reads the parameters of a request. Fails with `InvalidParams` if they do not have the form of the request.
pub fn parse<P: DeserializeOwned>(params: Value) -> Result<P, Failed> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// Answers a request.
pub fn answer(server: &mut Server, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => {
            let p: HoverParams = parse(params)?;
            let (analysis, offset) = at(server, &p.text_document_position_params);
            give(hover::hover(&analysis, offset))
        }
        "textDocument/completion" => {
            let p: CompletionParams = parse(params)?;
            let (path, offset) = place(server, &p.text_document_position);
            give(complete::complete(&server.desk(), &path, offset))
        }
        "textDocument/signatureHelp" => {
            let p: SignatureHelpParams = parse(params)?;
            let (analysis, offset) = at(server, &p.text_document_position_params);
            give(signature_help::signature_help(&analysis, offset))
        }
        "textDocument/definition" => {
            let p: GotoDefinitionParams = parse(params)?;
            let (analysis, offset) = at(server, &p.text_document_position_params);
            let place = navigate::definition(&analysis, offset);
            give(place.and_then(|place| location(server, &analysis.files, &place)))
        }
        "textDocument/references" => {
            let p: ReferenceParams = parse(params)?;
            let (analysis, offset) = at(server, &p.text_document_position);
            let Some(target) = target(&analysis, offset) else { return Ok(Value::Null) };
            let files = server.all_files(&analysis.path);
            let places = navigate::references(&files, &target, p.context.include_declaration);
            let locations: Vec<Location> = places.iter().filter_map(|p| location(server, &files, p)).collect();
            give(locations)
        }
        "textDocument/documentHighlight" => {
            let p: TextDocumentPositionParams = parse(params)?;
            give(highlights(server, &p))
        }
        "textDocument/documentSymbol" => {
            let p: DocumentSymbolParams = parse(params)?;
            let analysis = analysis(server, &p.text_document.uri);
            give(analysis.file().map(|file| symbols::outline(file)))
        }
        "workspace/symbol" => {
            let p: WorkspaceSymbolParams = parse(params)?;
            let first = server.documents.0.keys().next().cloned().unwrap_or_default();
            let files = server.all_files(&first);
            give(symbols::search(&files, &server.library, &p.query))
        }
        "textDocument/codeAction" => {
            let p: CodeActionParams = parse(params)?;
            let analysis = analysis(server, &p.text_document.uri);
            let Some(file) = analysis.file() else { return Ok(Value::Null) };
            let (start, end) = (file.text.offset(p.range.start), file.text.offset(p.range.end));
            give(actions::actions(&analysis, &server.library, server.abilities, start, end))
        }
        "textDocument/formatting" => {
            let p: DocumentFormattingParams = parse(params)?;
            let path = server.library.path(&p.text_document.uri);
            give(server.documents.0.get(&path).and_then(|document| format::format(&document.text)))
        }
        "textDocument/prepareRename" => prepare_rename(server, parse(params)?),
        "textDocument/rename" => rename_all(server, parse(params)?),
        "textDocument/inlayHint" => {
            let p: InlayHintParams = parse(params)?;
            let analysis = analysis(server, &p.text_document.uri);
            let Some(file) = analysis.file() else { return Ok(Value::Null) };
            let (start, end) = (file.text.offset(p.range.start), file.text.offset(p.range.end));
            give(inlay::hints(&analysis, start, end))
        }
        "textDocument/semanticTokens/full" => {
            let p: SemanticTokensParams = parse(params)?;
            let analysis = analysis(server, &p.text_document.uri);
            give(semantic_tokens(&analysis).map(|data| SemanticTokens { result_id: None, data }))
        }
        other => Err((ErrorCode::MethodNotFound, format!("`{other}` is not supported"))),
    }
}

fn give(value: impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

fn analysis(server: &mut Server, uri: &Uri) -> Arc<Analysis> {
    let path = server.library.path(uri);
    server.analysis(&path)
}

/// The program of a text, and the byte of a position in it.
fn at(server: &mut Server, position: &TextDocumentPositionParams) -> (Arc<Analysis>, usize) {
    let analysis = analysis(server, &position.text_document.uri);
    let offset = analysis.file().map_or(0, |file| file.text.offset(position.position));
    (analysis, offset)
}

/// The same without analysing the program.
fn place(server: &Server, position: &TextDocumentPositionParams) -> (String, usize) {
    let path = server.library.path(&position.text_document.uri);
    let offset = server.documents.0.get(&path).map_or(0, |d| d.text.offset(position.position));
    (path, offset)
}

fn target(analysis: &Analysis, offset: usize) -> Option<Target> {
    let occurrence = analysis.index()?.at(offset)?;
    (!matches!(occurrence.target, Target::Unknown(_))).then(|| occurrence.target.clone())
}

fn location(server: &Server, files: &Files, place: &FileSpan) -> Option<Location> {
    let range = files.get(&place.path)?.text.range(place.start as usize, place.end as usize);
    Some(Location { uri: server.uri(&place.path)?, range })
}

fn highlights(server: &mut Server, position: &TextDocumentPositionParams) -> Vec<DocumentHighlight> {
    let (analysis, offset) = at(server, position);
    let (Some(file), Some(index), Some(target)) = (analysis.file(), analysis.index(), target(&analysis, offset)) else {
        return Vec::new();
    };
    let same = index.occurrences.iter().filter(|o| o.target == target);
    let highlight = |(start, end): (u32, u32)| DocumentHighlight {
        range: file.text.range(start as usize, end as usize),
        kind: None,
    };
    same.map(|o| highlight((o.start, o.end))).collect()
}

fn prepare_rename(server: &mut Server, position: TextDocumentPositionParams) -> Answer {
    let (analysis, offset) = at(server, &position);
    let files = server.all_files(&analysis.path);
    let (occurrence, _, bound) = rename::renamable(&files, &analysis.path, offset).map_err(refused)?;
    let Some(file) = analysis.file() else { return Ok(Value::Null) };
    give(PrepareRenameResponse::RangeWithPlaceholder {
        range: file.text.range(occurrence.start as usize, occurrence.end as usize),
        placeholder: bound.name,
    })
}

fn rename_all(server: &mut Server, params: RenameParams) -> Answer {
    let (analysis, offset) = at(server, &params.text_document_position);
    let files = server.all_files(&analysis.path);
    let edits = rename::rename(&files, &analysis.path, offset, &params.new_name).map_err(refused)?;
    give(json!({ "changes": changes(server, &files, &edits) }))
}

fn refused(why: String) -> Failed {
    (ErrorCode::RequestFailed, why)
}

fn changes(server: &Server, files: &Files, edits: &Edits) -> BTreeMap<String, Vec<TextEdit>> {
    let mut changes = BTreeMap::new();
    for (path, edits) in edits {
        let (Some(file), Some(uri)) = (files.get(path), server.uri(path)) else { continue };
        let edit = |e: &rename::Edit| TextEdit {
            range: file.text.range(e.start as usize, e.end as usize),
            new_text: e.text.clone(),
        };
        changes.insert(uri.as_str().to_string(), edits.iter().map(edit).collect());
    }
    changes
}

fn semantic_tokens(analysis: &Analysis) -> Option<Vec<lsp_types::SemanticToken>> {
    let kind_of = |target: &Target| -> Option<NameKind> {
        match target {
            Target::Bound(place) => Some(analysis.bound(place)?.1.kind),
            _ => None,
        }
    };
    Some(semantic::tokens(analysis.file()?, analysis.index()?, &kind_of))
}
