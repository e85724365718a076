//! A session from an editor's view, in memory: from `initialize` to `exit`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_driver::{Listed, MemoryWorld, World};
use arr_lsp::{Ended, Options, serve};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Far longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Files in memory; one of them triggers a fault of the compiler.
struct TestWorld(MemoryWorld);

impl World for TestWorld {
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        assert!(!path.ends_with("/panics.arr"), "asked for");
        self.0.read_at_most(path, most)
    }
    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        self.0.read_stdin(most)
    }
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.write(path, bytes)
    }
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        self.0.list(directory)
    }
    fn make_directory(&self, directory: &str) -> io::Result<()> {
        self.0.make_directory(directory)
    }
}

struct Editor {
    connection: Connection,
    server: JoinHandle<Ended>,
    id: i32,
    /// The most recent diagnostics, by URI.
    shown: std::collections::BTreeMap<String, Vec<Value>>,
    messages: Vec<String>,
}

fn uri(path: &str) -> String {
    format!("file://{path}")
}

impl Editor {
    fn start(files: &[(&str, &str)]) -> Editor {
        let (server, connection) = Connection::memory();
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        let world = Arc::new(TestWorld(MemoryWorld::new(files)));
        let options = Options { world, library: "/cache/arr".to_string() };
        let server = std::thread::spawn(move || serve(server, options));
        Editor { connection, server, id: 0, shown: Default::default(), messages: Vec::new() }
    }

    fn initialized(files: &[(&str, &str)]) -> Editor {
        let mut editor = Editor::start(files);
        let diagnostics = json!({ "relatedInformation": true, "codeDescriptionSupport": true });
        let answer = editor.ask(
            "initialize",
            json!({
                "capabilities": { "textDocument": { "publishDiagnostics": diagnostics } },
                "workspaceFolders": [{ "uri": "file:///w", "name": "w" }],
            }),
        );
        assert_eq!(answer.expect("capabilities")["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn tell(&self, method: &str, params: Value) {
        let message = Notification { method: method.to_string(), params };
        self.connection.sender.send(message.into()).expect("a server");
    }

    fn receive(&mut self) -> Option<(RequestId, Result<Value, i32>)> {
        match self.connection.receiver.recv_timeout(PATIENCE).expect("an answer") {
            Message::Response(response) => Some((response.id, response.response_result.map_err(|error| error.code))),
            Message::Notification(n) if n.method == "textDocument/publishDiagnostics" => {
                let list = n.params["diagnostics"].as_array().expect("a list").clone();
                self.shown.insert(n.params["uri"].as_str().expect("an address").to_string(), list);
                None
            }
            Message::Notification(n) => {
                self.messages.push(n.method);
                None
            }
            Message::Request(_) => None,
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, i32> {
        self.id += 1;
        let id = RequestId::from(self.id);
        let request = Request { id: id.clone(), method: method.to_string(), params };
        self.connection.sender.send(request.into()).expect("a server");
        loop {
            if let Some((answered, result)) = self.receive() {
                assert_eq!(answered, id);
                return result;
            }
        }
    }

    fn open(&mut self, path: &str, text: &str) {
        let document = json!({ "uri": uri(path), "languageId": "arr", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    fn write(&mut self, path: &str, text: &str) {
        self.change(path, json!([{ "text": text }]));
    }

    fn change(&mut self, path: &str, changes: Value) {
        let document = json!({ "uri": uri(path), "version": 2 });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Waits for the next diagnostics of a file.
    fn diagnostics(&mut self, path: &str) -> Vec<Value> {
        self.shown.remove(&uri(path));
        loop {
            self.receive();
            if let Some(list) = self.shown.get(&uri(path)) {
                return list.clone();
            }
        }
    }

    fn codes(&mut self, path: &str) -> Vec<String> {
        self.diagnostics(path).iter().map(|d| d["code"].as_str().unwrap_or("").to_string()).collect()
    }

    /// Sends a request for the position of `|` in `marked`, which is a part of the file's text without the `|`.
    fn at(&mut self, method: &str, path: &str, text: &str, marked: &str, more: Value) -> Result<Value, i32> {
        let mut params = json!({ "textDocument": { "uri": uri(path) }, "position": position(text, marked) });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.ask(method, params)
    }

    fn hover(&mut self, path: &str, text: &str, marked: &str) -> String {
        let answer = self.at("textDocument/hover", path, text, marked, json!({})).expect("an answer");
        answer["contents"]["value"].as_str().unwrap_or("nothing").to_string()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        assert_eq!(self.ask("textDocument/hover", json!({})), Err(-32600));
        self.tell("exit", Value::Null);
        assert_eq!(self.server.join().expect("no panic"), Ended::Properly);
    }
}

fn position(text: &str, marked: &str) -> Value {
    let part = marked.replacen('|', "", 1);
    let at = text.find(&part).expect(marked) + marked.find('|').expect(marked);
    let before = text.get(..at).expect("a boundary");
    let line = before.matches('\n').count();
    let column: usize = before.rsplit('\n').next().unwrap_or("").chars().map(char::len_utf16).sum();
    json!({ "line": line, "character": column })
}

/// "1:4-6 in /w/a.arr": a range, from 0, and its file.
fn shown(location: &Value) -> String {
    let range = &location["range"];
    let path = location["uri"].as_str().unwrap_or("").trim_start_matches("file://");
    format!("{}:{}-{} {path}", range["start"]["line"], range["start"]["character"], range["end"]["character"])
}

const MODEL: &str = "-- Models.
--| The score of a model.
--|
--| > score({ w = [1.0] }, [2.0])
--| 2.0
def score(m: Model[n], x: [n]f64) -> f64 = sum(m.w * x)
type Model[k] = { w: [k]f64 }
";

const MAIN: &str = "import stats
import \"./model.arr\" as model

-- α𝛼: the sum of squares
def energy(x: [n]f64, p: model.Model[n]) =
  let y = x * x
  let s = for i => y[i] + p.w[i]
  in stats.mean(s) + model.score(p, x) + sum(y)
def twice(x: [n]f64) -> f64 = 2.0 * energy(x, { w = x })
";

#[test]
fn errors_come_and_go() {
    let mut editor = Editor::initialized(&[("/w/model.arr", MODEL)]);
    editor.open("/w/main.arr", MAIN);
    assert_eq!(editor.diagnostics("/w/main.arr"), Vec::<Value>::new());
    // Typed in the middle of a line, behind characters of every width.
    let at = position(MAIN, "sum of |squares");
    editor.change(
        "/w/main.arr",
        json!([{ "range": { "start": at, "end": at }, "text": "all\ndef wrong = sumn([1.0])\n-- " }]),
    );
    let found = editor.diagnostics("/w/main.arr");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "E0201");
    assert_eq!(
        found[0]["range"],
        json!({ "start": { "line": 4, "character": 12 }, "end": { "line": 4, "character": 16 } })
    );
    assert_eq!(found[0]["relatedInformation"][0]["message"], "help: did you mean `sum`?");
    assert!(found[0]["codeDescription"]["href"].as_str().is_some_and(|href| href.ends_with("/codes/E0201.md")));
    // The hint as a change.
    let range = &found[0]["range"];
    let context = json!({ "diagnostics": [] });
    let document = json!({ "uri": uri("/w/main.arr") });
    let actions =
        editor.ask("textDocument/codeAction", json!({ "textDocument": document, "range": range, "context": context }));
    let edit = actions.expect("actions")[0]["edit"]["changes"]["file:///w/main.arr"][0].clone();
    assert_eq!((&edit["range"], &edit["newText"]), (range, &json!("sum")));
    editor.change("/w/main.arr", json!([{ "range": edit["range"], "text": edit["newText"] }]));
    assert_eq!(editor.diagnostics("/w/main.arr"), Vec::<Value>::new());
    editor.end();
}

#[test]
fn errors_of_imported_files_are_theirs() {
    let mut editor = Editor::initialized(&[("/w/model.arr", MODEL)]);
    editor.open("/w/main.arr", MAIN);
    assert_eq!(editor.codes("/w/main.arr"), Vec::<String>::new());
    // The open text takes precedence over the file.
    editor.open("/w/model.arr", &MODEL.replace("sum(m.w * x)", "sum(m.w * y)"));
    assert_eq!(editor.codes("/w/model.arr"), ["E0201"]);
    assert_eq!(editor.shown["file:///w/main.arr"], Vec::<Value>::new());
    editor.write("/w/model.arr", &MODEL.replace("def score", "def scores"));
    assert_eq!(editor.codes("/w/main.arr"), ["E0209"]);
    // Closed, the file on disk counts again.
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri("/w/model.arr") } }));
    assert_eq!(editor.codes("/w/main.arr"), Vec::<String>::new());
    // An import of a missing file, and a text that is not a program at all.
    editor.write("/w/main.arr", "import \"./none.arr\"\ndef f( = )\n]");
    let mut codes = editor.codes("/w/main.arr");
    codes.dedup();
    assert_eq!(codes, ["E0207", "E0101"]);
    editor.end();
}

#[test]
fn hover_shows_types_and_documentation() {
    let mut editor = Editor::initialized(&[("/w/model.arr", MODEL)]);
    editor.open("/w/main.arr", MAIN);
    let mut hover = |marked: &str| editor.hover("/w/main.arr", MAIN, marked);
    assert_eq!(hover("let |y"), "```arr\ny: [n]f64\n```");
    assert_eq!(hover("sum(y|)"), "```arr\ny: [n]f64\n```");
    assert_eq!(hover("for |i"), "```arr\ni: i64 < n\n```\n\nindex");
    assert_eq!(hover("score(p, |x"), "```arr\nx: [n]f64\n```\n\nparameter");
    assert_eq!(hover("x: [|n]f64, p"), "```arr\nn: i64\n```\n\nsize");
    assert_eq!(hover("p.|w"), "```arr\n[n]f64\n```");
    assert!(hover("sum|(y)").starts_with("```arr\nsum[t: num](x: [n]t) -> t\n```\n\nbuilt-in"));
    assert!(hover("= 2.0 * |energy").starts_with("```arr\ndef energy(x: [n]f64, p: model.Model[n]) -> f64\n```"));
    let score = hover("model.sc|ore");
    assert!(score.contains("def score(m: Model[n], x: [n]f64) -> f64"), "{score}");
    assert!(score.contains("The score of a model.") && score.contains("```arr\n> score("), "{score}");
    assert!(hover("p: model.Mo|del").contains("type Model[k] = { w: [k]f64 }"));
    assert!(hover("mod|el.score").contains("Models."));
    assert!(hover("stats.m|ean").contains("def mean"));
    assert_eq!(hover("the sum| of"), "nothing");
    editor.end();
}

#[test]
fn from_names_to_places() {
    let mut editor = Editor::initialized(&[
        ("/w/model.arr", MODEL),
        ("/w/other.arr", "import \"model.arr\"\ndef k() = model.score({ w = [1.0] }, [1.0])"),
    ]);
    editor.open("/w/main.arr", MAIN);
    let mut definition = |marked: &str| {
        let answer = editor.at("textDocument/definition", "/w/main.arr", MAIN, marked, json!({})).expect("an answer");
        if answer.is_null() { "nothing".to_string() } else { shown(&answer) }
    };
    assert_eq!(definition("sum(|y)"), "5:6-7 /w/main.arr");
    assert_eq!(definition("y[|i]"), "6:14-15 /w/main.arr");
    assert_eq!(definition("Model[|n]"), "4:15-16 /w/main.arr");
    assert_eq!(definition("model.|score"), "5:4-9 /w/model.arr");
    assert_eq!(definition("p: model.|Model"), "6:5-10 /w/model.arr");
    assert_eq!(definition("\"./mod|el.arr"), "0:0-0 /w/model.arr");
    assert_eq!(definition("|stats.mean"), "0:0-0 /cache/arr/std/stats.arr");
    assert!(definition("stats.|mean").ends_with("/cache/arr/std/stats.arr"));
    assert_eq!(definition("+ |sum"), "nothing");
    let references = |editor: &mut Editor, marked: &str, declaration: bool| -> Vec<String> {
        let context = json!({ "context": { "includeDeclaration": declaration } });
        let answer = editor.at("textDocument/references", "/w/main.arr", MAIN, marked, context).expect("an answer");
        answer.as_array().into_iter().flatten().map(shown).collect()
    };
    assert_eq!(
        references(&mut editor, "model.|score", true),
        ["7:27-32 /w/main.arr", "5:4-9 /w/model.arr", "1:16-21 /w/other.arr"]
    );
    assert_eq!(references(&mut editor, "model.|score", false), ["7:27-32 /w/main.arr", "1:16-21 /w/other.arr"]);
    assert_eq!(references(&mut editor, "let |y", false), ["6:19-20 /w/main.arr", "7:45-46 /w/main.arr"]);
    let highlights =
        editor.at("textDocument/documentHighlight", "/w/main.arr", MAIN, "let |y", json!({})).expect("an answer");
    assert_eq!(highlights.as_array().map(Vec::len), Some(3));
    // A place in the library leads on, and the text there is the library's.
    let stats = arr_driver::standard_module("stats").expect("a module").text;
    editor.open("/cache/arr/std/stats.arr", stats);
    assert!(editor.hover("/cache/arr/std/stats.arr", stats, "def me|an").contains("def mean"));
    editor.end();
}

#[test]
fn renaming_goes_through_the_workspace() {
    let other = "import \"model.arr\"\ndef k() = model.score({ w = [1.0] }, [1.0])";
    let mut editor = Editor::initialized(&[("/w/model.arr", MODEL), ("/w/other.arr", other)]);
    editor.open("/w/main.arr", MAIN);
    let rename = |editor: &mut Editor, marked: &str, new: &str| {
        editor.at("textDocument/rename", "/w/main.arr", MAIN, marked, json!({ "newName": new }))
    };
    let changes = rename(&mut editor, "model.|score", "value").expect("changes");
    let files: Vec<&String> = changes["changes"].as_object().expect("files").keys().collect();
    assert_eq!(files, ["file:///w/main.arr", "file:///w/model.arr", "file:///w/other.arr"]);
    // The definition; an example in a doc comment is text.
    assert_eq!(changes["changes"]["file:///w/model.arr"].as_array().map(Vec::len), Some(1));
    for (marked, new) in
        [("let |y", "s"), ("let |y", "for"), ("+ |sum", "total"), ("stats.|mean", "average"), ("let |y", "2")]
    {
        assert_eq!(rename(&mut editor, marked, new), Err(-32803), "{marked} {new}");
    }
    let prepared =
        editor.at("textDocument/prepareRename", "/w/main.arr", MAIN, "let |y", json!({})).expect("an answer");
    assert_eq!(prepared["placeholder"], "y");
    assert_eq!(editor.at("textDocument/prepareRename", "/w/main.arr", MAIN, "+ |sum", json!({})), Err(-32803));
    editor.end();
}

/// The labels of proposals at the end of `typed`, which replaces `{}` in a text, with their details.
fn proposals(editor: &mut Editor, path: &str, text: &str) -> Vec<(String, String)> {
    let marked = text.replacen("{}", "|", 1);
    let text = text.replacen("{}", "", 1);
    editor.write(path, &text);
    let answer = editor.at("textDocument/completion", path, &text, &marked, json!({})).expect("an answer");
    let text = |v: &Value| v.as_str().unwrap_or("").to_string();
    answer.as_array().into_iter().flatten().map(|item| (text(&item["label"]), text(&item["detail"]))).collect()
}

#[test]
fn completion_in_unfinished_texts() {
    let mut editor = Editor::initialized(&[("/w/model.arr", MODEL)]);
    editor.open("/w/main.arr", MAIN);
    let has =
        |list: &[(String, String)], label: &str, detail: &str| list.contains(&(label.to_string(), detail.to_string()));
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("+ sum(y)", "+ sum({}"));
    for (label, detail) in [
        ("y", "[n]f64"),
        ("s", "[n]f64"),
        ("x", "[n]f64"),
        ("n", "i64"),
        ("exp", "built-in"),
        ("model", "module"),
        ("let", ""),
    ] {
        assert!(has(&found, label, detail), "{label}: {found:?}");
    }
    assert!(found.iter().any(|(label, detail)| label == "energy" && detail.starts_with("energy(x: [n]f64")));
    // An index is visible only inside its `for`.
    assert!(!found.iter().any(|(label, _)| label == "i"));
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("y[i] + p.w[i]", "y[{}"));
    assert!(has(&found, "i", "i64"), "{found:?}");
    assert!(!found.iter().any(|(label, _)| label == "s"));
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("y[i] + p.w[i]", "y[i] + p.w[{}]"));
    assert!(has(&found, "i", "i64 < n"), "{found:?}");
    // Fields, members and types.
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("p.w[i]", "p.{}"));
    assert_eq!(found, [("w".to_string(), "[n]f64".to_string())]);
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("model.score(p, x)", "model.sc{}"));
    assert_eq!(found, [("score".to_string(), "score(m: Model[n], x: [n]f64) -> f64".to_string())]);
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("stats.mean(s)", "stats.{}"));
    assert!(found.iter().any(|(label, _)| label == "mean"), "{found:?}");
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("model.Model[n]", "model.{}"));
    assert_eq!(found.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(), ["Model"]);
    let found = proposals(&mut editor, "/w/main.arr", &MAIN.replace("x: [n]f64, p: model.Model[n]", "x: [n]{}"));
    assert!(has(&found, "f64", "built-in") && !has(&found, "exp", "built-in"), "{found:?}");
    // Items, modules, and places where there is nothing to say.
    let found = proposals(&mut editor, "/w/main.arr", "de{}");
    assert!(has(&found, "def", ""));
    let found = proposals(&mut editor, "/w/main.arr", "import {}");
    assert!(found.iter().any(|(label, _)| label == "linalg"));
    assert_eq!(proposals(&mut editor, "/w/main.arr", "def f() = 1 -- a comment {}"), []);
    assert_eq!(proposals(&mut editor, "/w/main.arr", "def f() = 12{}"), []);
    editor.end();
}

#[test]
fn other_questions() {
    let mut editor = Editor::initialized(&[("/w/model.arr", MODEL)]);
    editor.open("/w/main.arr", MAIN);
    let document = json!({ "textDocument": { "uri": uri("/w/main.arr") } });
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = editor
        .ask("textDocument/inlayHint", json!({ "textDocument": { "uri": uri("/w/main.arr") }, "range": all }))
        .expect("hints");
    let hints: Vec<String> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|h| {
            format!("{}:{}{}", h["position"]["line"], h["position"]["character"], h["label"].as_str().unwrap_or(""))
        })
        .collect();
    assert_eq!(hints, ["4:40 -> f64", "5:7: [n]f64", "6:7: [n]f64", "6:15 < n"]);
    let help =
        editor.at("textDocument/signatureHelp", "/w/main.arr", MAIN, "model.score(p, |x", json!({})).expect("help");
    assert_eq!(help["signatures"][0]["label"], "score(m: Model[n], x: [n]f64) -> f64");
    assert_eq!(help["activeParameter"], 1);
    let outline = editor.ask("textDocument/documentSymbol", document.clone()).expect("an outline");
    let names: Vec<&str> = outline.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["stats", "model", "energy", "twice"]);
    let found = editor.ask("workspace/symbol", json!({ "query": "scr" })).expect("symbols");
    assert!(
        found
            .as_array()
            .expect("a list")
            .iter()
            .any(|s| s["name"] == "score" && shown(&s["location"]) == "5:4-9 /w/model.arr")
    );
    let tokens = editor.ask("textDocument/semanticTokens/full", document.clone()).expect("tokens");
    assert!(tokens["data"].as_array().is_some_and(|data| data.len() > 100 && data.len() % 5 == 0));
    // Formatting changes badly formatted lines, and leaves unreadable text.
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let format = json!({ "textDocument": { "uri": uri("/w/main.arr") }, "options": options });
    assert_eq!(editor.ask("textDocument/formatting", format.clone()), Ok(json!([])));
    editor.write("/w/main.arr", "def f(x:f64)->f64=x*x\ndef g() = 1\n");
    let edits = editor.ask("textDocument/formatting", format.clone()).expect("edits");
    assert_eq!(edits[0]["newText"], "def f(x: f64) -> f64 = x * x\n");
    assert_eq!(edits[0]["range"]["end"], json!({ "line": 1, "character": 0 }));
    editor.write("/w/main.arr", "def f(");
    assert_eq!(editor.ask("textDocument/formatting", format), Ok(Value::Null));
    editor.end();
}

#[test]
fn faults_end_nothing() {
    let mut editor = Editor::start(&[]);
    assert_eq!(editor.ask("textDocument/hover", json!({})), Err(-32002));
    assert!(editor.ask("initialize", json!({ "capabilities": {} })).is_ok());
    assert_eq!(editor.ask("initialize", json!({ "capabilities": {} })), Err(-32600));
    assert_eq!(editor.ask("arr/nothing", json!({})), Err(-32601));
    assert_eq!(editor.ask("textDocument/hover", json!({ "position": 3 })), Err(-32602));
    editor.tell("textDocument/didOpen", json!(7));
    editor.tell("$/unheard", json!({}));
    // A panic in the compiler, when diagnostics are due and in a request.
    let text = "import \"./panics.arr\"\ndef f() = 1";
    editor.open("/w/a.arr", text);
    while editor.messages.is_empty() {
        editor.receive();
    }
    assert_eq!(editor.messages, ["window/showMessage"]);
    assert_eq!(editor.at("textDocument/hover", "/w/a.arr", text, "def |f", json!({})), Err(-32603));
    editor.write("/w/a.arr", "def f() = 1");
    assert!(editor.hover("/w/a.arr", "def f() = 1", "def |f").contains("def f() -> i64"));
    // Texts that are in no file, or in none that can be read.
    assert_eq!(editor.hover("/w/none.arr", "x", "|x"), "nothing");
    editor.end();
}

/// Whatever part of a program is present, every question has an answer.
#[test]
fn every_prefix_is_answered() {
    let text = "import stats\ntype S[k] = A([k]f64) | B\n--| Doc é.\ndef f[t: float](x: [n]t, s: S[n]) -> t =\n  \
                let { a, b = (c, _) } = { a = x, b = (1, 2) }\n  let g = \\(u, v) => u * v -- α\n  in match s { A(y) => \
                loop m = t(0) for i < n do m + g(a[i], t(y[i])), B => t(c) + sum(for i, z in x => z :> t) }\n\
                derivative f(x, s, y, dy) = (x, ())\ntest \"f\" within 1e-3 (x: [n]f64) = f(x, A(x)) == stats.mean(x)\n";
    let mut editor = Editor::initialized(&[]);
    editor.open("/w/a.arr", "");
    for (end, _) in text.char_indices().step_by(7) {
        let part = text.get(..end).expect("a boundary");
        editor.write("/w/a.arr", part);
        let last = part.rsplit('\n').next().unwrap_or("");
        let units: usize = last.chars().map(char::len_utf16).sum();
        let position = json!({ "line": part.matches('\n').count(), "character": units });
        let document = json!({ "uri": uri("/w/a.arr") });
        for method in ["completion", "hover", "signatureHelp", "definition", "prepareRename", "documentHighlight"] {
            let params = json!({ "textDocument": document, "position": position });
            let answer = editor.ask(&format!("textDocument/{method}"), params);
            assert!(answer.is_ok() || answer == Err(-32803), "{method} behind {part}: {answer:?}");
        }
        for method in ["documentSymbol", "semanticTokens/full"] {
            let answer = editor.ask(&format!("textDocument/{method}"), json!({ "textDocument": document }));
            assert!(answer.is_ok(), "{method} of {part}: {answer:?}");
        }
    }
    editor.end();
}

#[test]
fn an_end_without_shutdown_is_early() {
    let editor = Editor::initialized(&[]);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.join().expect("no panic"), Ended::Early);
    let editor = Editor::initialized(&[]);
    drop(editor.connection);
    assert_eq!(editor.server.join().expect("no panic"), Ended::Early);
}
