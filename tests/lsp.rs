//! `arr lsp` over its standard streams: messages, including malformed ones, from the first to the last.

use arr_tests::trial::Trial;
use arr_tests::{arr, files};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

pub fn trials() -> Vec<Trial> {
    let run = |test: fn() -> Result<(), Box<dyn Error>>| move || Ok(test().map_err(|error| error.to_string())?);
    vec![Trial::test("session", run(session)), Trial::test("early_end", run(early_end))]
}

struct Editor {
    server: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Editor {
    fn start(home: &std::path::Path, arguments: &[&str]) -> Result<Editor, Box<dyn Error>> {
        let mut command = Command::new(arr::binary()?);
        command
            .arg("lsp")
            .args(arguments)
            .current_dir(home)
            .env("HOME", home)
            .env("XDG_CACHE_HOME", home.join("cache"));
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let output = BufReader::new(server.stdout.take().ok_or("no output")?);
        Ok(Editor { server, output })
    }

    fn raw(&mut self, body: &str) -> Result<(), Box<dyn Error>> {
        let input = self.server.stdin.as_mut().ok_or("no input")?;
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(input.flush()?)
    }

    fn send(&mut self, mut message: Value) -> Result<(), Box<dyn Error>> {
        message["jsonrpc"] = json!("2.0");
        self.raw(&message.to_string())
    }

    fn receive(&mut self) -> Result<Value, Box<dyn Error>> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server has gone".into());
            }
            match line.trim().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body)?)
    }

    /// The next message of a method, or the answer to a request.
    fn wait(&mut self, key: &str, value: &Value) -> Result<Value, Box<dyn Error>> {
        loop {
            let message = self.receive()?;
            if message.get(key) == Some(value) {
                return Ok(message);
            }
        }
    }

    fn ask(&mut self, id: i32, method: &str, params: Value) -> Result<Value, Box<dyn Error>> {
        self.send(json!({ "id": id, "method": method, "params": params }))?;
        self.wait("id", &json!(id))
    }
}

fn equal(found: &Value, expected: Value) -> Result<(), Box<dyn Error>> {
    if *found == expected { Ok(()) } else { Err(format!("expected {expected}, found {found}").into()) }
}

fn session() -> Result<(), Box<dyn Error>> {
    let directory = files::scratch()?;
    let home = directory.path();
    let model = "--| Half of it.\ndef half(x: [n]f64) -> [n]f64 = 0.5 * x\n";
    std::fs::write(home.join("model.arr"), model)?;
    let address = |name: &str| format!("file://{}", home.join(name).display());
    let main = "import stats\nimport \"model.arr\"\n-- 𝛼 \ndef f(x: [n]f64) -> f64 = stats.mean(model.half(x))\n";
    std::fs::write(home.join("main.arr"), main)?;
    let mut editor = Editor::start(home, &["--stdio"])?;
    // A malformed message is answered, and the session continues.
    editor.raw("{ not json")?;
    equal(&editor.receive()?["error"]["code"], json!(-32700))?;
    editor.raw("[]")?;
    equal(&editor.receive()?["error"]["code"], json!(-32600))?;
    let folder = json!([{ "uri": address("").trim_end_matches('/'), "name": "home" }]);
    let started = editor.ask(1, "initialize", json!({ "capabilities": {}, "workspaceFolders": folder }))?;
    equal(&started["result"]["serverInfo"]["name"], json!("arr"))?;
    editor.send(json!({ "method": "initialized", "params": {} }))?;
    let document = json!({ "uri": address("main.arr"), "languageId": "arr", "version": 1, "text": main });
    editor.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }))?;
    let told = editor.wait("method", &json!("textDocument/publishDiagnostics"))?;
    equal(&told["params"]["diagnostics"], json!([]))?;
    // An error is typed, and corrected.
    let range = json!({ "start": { "line": 3, "character": 37 }, "end": { "line": 3, "character": 42 } });
    let document = json!({ "uri": address("main.arr"), "version": 2 });
    let changes = json!([{ "range": range, "text": "modle" }]);
    let change = json!({ "textDocument": document, "contentChanges": changes });
    editor.send(json!({ "method": "textDocument/didChange", "params": change }))?;
    let told = editor.wait("method", &json!("textDocument/publishDiagnostics"))?;
    equal(&told["params"]["diagnostics"][0]["code"], json!("E0207"))?;
    equal(&told["params"]["diagnostics"][0]["range"], range.clone())?;
    let changes = json!([{ "range": range, "text": "model" }]);
    let change = json!({ "textDocument": document, "contentChanges": changes });
    editor.send(json!({ "method": "textDocument/didChange", "params": change }))?;
    let told = editor.wait("method", &json!("textDocument/publishDiagnostics"))?;
    equal(&told["params"]["diagnostics"], json!([]))?;
    // Names lead to the other file and to the library, whose text is read-only.
    let place = |character: u32| json!({ "textDocument": { "uri": address("main.arr") }, "position": { "line": 3, "character": character } });
    let found = editor.ask(2, "textDocument/definition", place(44))?;
    equal(&found["result"]["uri"], json!(address("model.arr")))?;
    let found = editor.ask(3, "textDocument/definition", place(33))?;
    let library = home.join("cache/arr").join(env!("CARGO_PKG_VERSION")).join("std/stats.arr");
    equal(&found["result"]["uri"], json!(format!("file://{}", library.display())))?;
    if !std::fs::metadata(&library)?.permissions().readonly() {
        return Err("the library can be written".into());
    }
    let hover = editor.ask(4, "textDocument/hover", place(44))?;
    equal(&hover["result"]["contents"]["value"], json!("```arr\ndef half(x: [n]f64) -> [n]f64\n```\n\nHalf of it."))?;
    let unknown = editor.ask(5, "arr/unknown", json!({}))?;
    equal(&unknown["error"]["code"], json!(-32601))?;
    equal(&editor.ask(6, "shutdown", Value::Null)?["result"], Value::Null)?;
    editor.send(json!({ "method": "exit" }))?;
    equal(&json!(editor.server.wait()?.code()), json!(0))
}

/// `exit` without `shutdown`, and an editor that has disconnected.
fn early_end() -> Result<(), Box<dyn Error>> {
    let directory = files::scratch()?;
    let mut editor = Editor::start(directory.path(), &[])?;
    editor.send(json!({ "method": "exit" }))?;
    equal(&json!(editor.server.wait()?.code()), json!(1))?;
    let mut editor = Editor::start(directory.path(), &[])?;
    drop(editor.server.stdin.take());
    equal(&json!(editor.server.wait()?.code()), json!(1))
}
