//! The session: messages in order, one at a time, and diagnostics when the editor pauses.

use crate::analysis::Analysis;
use crate::documents::{Desk, Documents};
use crate::paths::Library;
use crate::publish::{Abilities, by_file};
use crate::requests::{self, Failed};
use crate::workspace::Workspace;
use arr_driver::World;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    ClientCapabilities, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    InitializeParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The least pause before an edited program is checked.
const PAUSE: Duration = Duration::from_millis(120);
/// The maximal pause, for a program whose check takes long.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The environment of a session.
pub struct Options {
    /// The files on disk.
    pub world: Arc<dyn World>,
    /// A directory for the compiler's embedded texts, for the editor to show.
    pub library: String,
}

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// As the protocol asks: `shutdown`, then `exit`.
    Properly,
    /// Without `shutdown`.
    Early,
}

/// Answers the messages of a connection until the session ends.
pub fn serve(connection: Connection, options: Options) -> Ended {
    let session = || Server::new(connection, options).run();
    arr_driver::with_stack(session).unwrap_or(Ended::Early)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    Open,
    /// After `shutdown`.
    Closing,
}

pub(crate) struct Server {
    connection: Connection,
    phase: Phase,
    queue: VecDeque<Message>,
    world: Arc<dyn World>,
    pub library: Library,
    pub documents: Documents,
    /// Directories, as paths.
    folders: Vec<String>,
    pub abilities: Abilities,
    /// Whether the editor can report changed files.
    watches: bool,
    workspace: Workspace,
    /// The last analysis of each file, with the state of the texts that it belongs to.
    analyses: BTreeMap<String, (u64, Arc<Analysis>)>,
    /// Incremented whenever a text changes.
    state: u64,
    /// Files whose diagnostics the editor shows.
    published: BTreeSet<String>,
    /// When the texts changed, if diagnostics are due.
    changed: Option<Instant>,
    pause: Duration,
}

impl Server {
    fn new(connection: Connection, options: Options) -> Server {
        Server {
            connection,
            phase: Phase::New,
            queue: VecDeque::new(),
            world: options.world,
            library: Library::new(&options.library),
            documents: Documents::default(),
            folders: Vec::new(),
            abilities: Abilities::default(),
            watches: false,
            workspace: Workspace::default(),
            analyses: BTreeMap::new(),
            state: 0,
            published: BTreeSet::new(),
            changed: None,
            pause: PAUSE,
        }
    }

    fn run(mut self) -> Ended {
        loop {
            let message = match self.next() {
                Some(message) => message,
                None if self.changed.is_some() => {
                    self.guarded(None, Server::publish);
                    continue;
                }
                // The editor is gone.
                None => return Ended::Early,
            };
            match message {
                Message::Notification(n) if n.method == "exit" => {
                    return if self.phase == Phase::Closing { Ended::Properly } else { Ended::Early };
                }
                Message::Notification(n) => self.guarded(None, |server| server.notified(n)),
                Message::Request(request) => {
                    let id = request.id.clone();
                    self.guarded(Some(id), |server| server.asked(request));
                }
                // Answers to our own requests need no action.
                Message::Response(_) => {}
            }
        }
    }

    /// The next message; nothing if diagnostics are due before there is one, or if there will be none.
    fn next(&mut self) -> Option<Message> {
        while let Ok(message) = self.connection.receiver.try_recv() {
            self.queue.push_back(message);
        }
        if self.queue.is_empty() {
            let received = match self.changed {
                Some(changed) => {
                    let left = self.pause.saturating_sub(changed.elapsed());
                    let received = self.connection.receiver.recv_timeout(left).ok()?;
                    Some(received)
                }
                None => self.connection.receiver.recv().ok(),
            };
            self.queue.extend(received);
        }
        self.queue.pop_front()
    }

    /// Runs a piece of work; a panic ends only this work.
    fn guarded(&mut self, id: Option<RequestId>, work: impl FnOnce(&mut Server)) {
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_ok() {
            return;
        }
        // Intermediate results may be incomplete.
        self.analyses.clear();
        self.workspace = Workspace::default();
        self.changed = None;
        let what = "arr: internal compiler error; the output of the language server says more";
        match id {
            Some(id) => self.send(Response::new_err(id, ErrorCode::InternalError as i32, what.to_string())),
            None => self.notify("window/showMessage", json!({ "type": 1, "message": what })),
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // Without an editor nobody misses it.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_string(), params });
    }

    fn asked(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = match (self.phase, method.as_str()) {
            (Phase::New, "initialize") => self.initialize(params),
            (Phase::New, _) => Err((ErrorCode::ServerNotInitialized, "`initialize` comes first".to_string())),
            (Phase::Closing, _) => Err((ErrorCode::InvalidRequest, "the session was shut down".to_string())),
            (Phase::Open, "initialize") => Err((ErrorCode::InvalidRequest, "this was done before".to_string())),
            (Phase::Open, "shutdown") => {
                self.phase = Phase::Closing;
                self.changed = None;
                Ok(Value::Null)
            }
            (Phase::Open, _) if self.is_cancelled(&id) => Err((ErrorCode::RequestCanceled, "cancelled".to_string())),
            (Phase::Open, method) => requests::answer(self, method, params),
        };
        self.send(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err((code, what)) => Response::new_err(id, code as i32, what),
        });
    }

    /// Whether the editor has cancelled a request in the meantime.
    fn is_cancelled(&self, id: &RequestId) -> bool {
        let id = serde_json::to_value(id).unwrap_or_default();
        self.queue.iter().any(|message| match message {
            Message::Notification(n) => n.method == "$/cancelRequest" && n.params.get("id") == Some(&id),
            _ => false,
        })
    }

    fn initialize(&mut self, params: Value) -> Result<Value, Failed> {
        let params: InitializeParams = requests::parse(params)?;
        self.phase = Phase::Open;
        self.take_abilities(&params.capabilities);
        #[allow(deprecated, reason = "older editors send nothing else")]
        let root = params.root_uri.clone();
        let folders = params.workspace_folders.unwrap_or_default();
        let uris: Vec<Uri> = folders.into_iter().map(|folder| folder.uri).collect();
        let uris = if uris.is_empty() { root.into_iter().collect() } else { uris };
        self.folders = uris.iter().map(|uri| self.library.path(uri)).collect();
        self.library.write(&*self.world);
        let version = env!("CARGO_PKG_VERSION");
        Ok(json!({
            "capabilities": requests::capabilities(),
            "serverInfo": { "name": "arr", "version": version },
        }))
    }

    fn take_abilities(&mut self, capabilities: &ClientCapabilities) {
        let diagnostics = capabilities.text_document.as_ref().and_then(|t| t.publish_diagnostics.as_ref());
        self.abilities = Abilities {
            related: diagnostics.and_then(|d| d.related_information).unwrap_or(false),
            pages: diagnostics.and_then(|d| d.code_description_support).unwrap_or(false),
        };
        let watched = capabilities.workspace.as_ref().and_then(|w| w.did_change_watched_files.as_ref());
        self.watches = watched.and_then(|w| w.dynamic_registration).unwrap_or(false);
    }

    fn notified(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        if self.phase != Phase::Open {
            return;
        }
        match method.as_str() {
            "initialized" if self.watches => self.send(Request {
                id: RequestId::from("watch".to_string()),
                method: "client/registerCapability".to_string(),
                params: json!({ "registrations": [{
                    "id": "watch",
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": { "watchers": [{ "globPattern": "**/*.arr" }] },
                }]}),
            }),
            "textDocument/didOpen" => self.take(params, |server, p: DidOpenTextDocumentParams| {
                let document = p.text_document;
                let path = server.library.path(&document.uri);
                server.documents.open(path, document.uri, document.version, document.text);
            }),
            "textDocument/didChange" => self.take(params, |server, p: DidChangeTextDocumentParams| {
                let path = server.library.path(&p.text_document.uri);
                server.documents.change(&path, p.text_document.version, p.content_changes);
            }),
            "textDocument/didClose" => self.take(params, |server, p: DidCloseTextDocumentParams| {
                let path = server.library.path(&p.text_document.uri);
                server.documents.0.remove(&path);
                server.analyses.remove(&path);
            }),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.touch(),
            _ => {}
        }
    }

    /// Reads the parameters of a notification; one that cannot be read is ignored.
    fn take<P: DeserializeOwned>(&mut self, params: Value, apply: impl FnOnce(&mut Server, P)) {
        if let Ok(params) = serde_json::from_value(params) {
            apply(self, params);
            self.touch();
        }
    }

    fn touch(&mut self) {
        self.state += 1;
        self.changed = Some(Instant::now());
    }

    /// The present files.
    pub fn desk(&self) -> Desk {
        Desk { open: self.documents.texts(), below: self.world.clone() }
    }

    /// The analysis of a file's program in its present state.
    pub fn analysis(&mut self, path: &str) -> Arc<Analysis> {
        let desk = self.desk();
        if let Some((state, analysis)) = self.analyses.get(path)
            && (*state == self.state || analysis.is_current(&desk))
        {
            let analysis = analysis.clone();
            self.analyses.insert(path.to_string(), (self.state, analysis.clone()));
            return analysis;
        }
        let analysis = Arc::new(Analysis::new(&desk, path));
        self.analyses.insert(path.to_string(), (self.state, analysis.clone()));
        analysis
    }

    /// All files in which a name of a program can occur.
    pub fn all_files(&mut self, path: &str) -> crate::file::Files {
        let desk = self.desk();
        let mut files = self.workspace.files(&desk, &self.folders);
        let analysis = self.analysis(path);
        for (path, file) in &analysis.files {
            files.entry(path.clone()).or_insert_with(|| file.clone());
        }
        files
    }

    /// Checks all open programs and sends their diagnostics to the editor.
    fn publish(&mut self) {
        // First of all, so that a program that causes a panic is not retried for ever.
        self.changed = None;
        let begun = Instant::now();
        let mut all: BTreeMap<String, Vec<lsp_types::Diagnostic>> = BTreeMap::new();
        let open: Vec<String> = self.documents.0.keys().cloned().collect();
        for path in open {
            let analysis = self.analysis(&path);
            if let Some(what) = &analysis.bug {
                let what = format!("arr: internal compiler error: {what}");
                self.notify("window/showMessage", json!({ "type": 1, "message": what }));
            }
            for (path, list) in by_file(&analysis, &self.library, self.abilities) {
                let known = all.entry(path).or_default();
                // Errors in a file that several programs import are reported once.
                list.into_iter().for_each(|d| {
                    if !known.contains(&d) {
                        known.push(d);
                    }
                });
            }
        }
        let paths: BTreeSet<String> =
            all.keys().chain(&self.published).chain(self.documents.0.keys()).cloned().collect();
        for path in &paths {
            let document = self.documents.0.get(path);
            let Some(uri) = document.map(|d| d.uri.clone()).or_else(|| self.library.uri(path)) else { continue };
            let list = all.get(path).map(Vec::as_slice).unwrap_or_default();
            let mut params = json!({ "uri": uri, "diagnostics": list });
            if let (Some(document), Some(params)) = (document, params.as_object_mut()) {
                params.insert("version".to_string(), json!(document.version));
            }
            self.notify("textDocument/publishDiagnostics", params);
        }
        self.published = all.into_keys().collect();
        self.pause = (begun.elapsed() * 2).clamp(PAUSE, LONGEST_PAUSE);
    }

    /// The URI of a file, in the editor's spelling if it has it open.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        let open = self.documents.0.get(path).map(|d| d.uri.clone());
        open.or_else(|| self.library.uri(path))
    }
}
