//! Input from other processes: requests to `arr serve`, messages of an editor.

use crate::Outcome;
use arr_driver::{Backend, Execution, MemoryWorld};
use arr_serve::json::Host;
use arr_serve::{Answer, Options};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const MODULE: &str = "type Point = { x: f64, y: f64 }\ndef norm(p: Point) -> f64 = sqrt(p.x * p.x + p.y * p.y)\n\
    def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)\ndef rows(a: [n][m]f64) -> [n]f64 = for r in a => sum(r)\n\
    def pick(x: [n]f64, i: i64) -> f64 = x[i]\n";

/// Far longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Every line has a reply, which is a JSON object with the request's `id`, and no answer ends in a fault of the compiler.
pub fn serve(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let world = MemoryWorld::new([("m.arr", MODULE.as_bytes())]);
    let execution = Execution {
        backend: Backend::Interp,
        max_steps: Some(10_000),
        max_memory: Some(1 << 26),
        ..Execution::default()
    };
    let mut host = Host::new(world, Options { directory: ".".to_string(), execution });
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let reply = host.answer(line.trim());
        let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(&reply) else {
            return Err(format!("the reply to {line} is no JSON object: {reply}"));
        };
        if reply.contains('\n') {
            return Err(format!("the reply to {line} is of several lines: {reply}"));
        }
        if !fields.contains_key("ok")
            || reply.contains("internal compiler error")
            || reply.contains("bug in the compiler")
        {
            return Err(format!("the reply to {line} is {reply}"));
        }
    }
    Ok(())
}

/// Lines of messages without their headers, after an `initialize`: every request has a response, and the session ends
/// as the protocol demands.
pub fn lsp(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let (server, editor) = Connection::memory();
    let world = Arc::new(MemoryWorld::new([("/w/m.arr", MODULE.as_bytes())]));
    let options = arr_lsp::Options { world, library: "/cache/arr".to_string() };
    let session = std::thread::spawn(move || arr_lsp::serve(server, options));
    let send = |message: Message| editor.sender.send(message).map_err(|_| "the session ended".to_string());
    let ask = |id: i32, method: &str, params: Value| -> Outcome {
        send(Request { id: RequestId::from(id), method: method.to_string(), params }.into())?;
        await_response(&editor, &RequestId::from(id)).map_err(|told| format!("{method}: {told}"))
    };
    ask(-1, "initialize", json!({ "capabilities": {}, "workspaceFolders": [{ "uri": "file:///w", "name": "w" }] }))?;
    send(Notification { method: "initialized".to_string(), params: json!({}) }.into())?;
    let document = json!({ "uri": "file:///w/p.arr", "languageId": "arr", "version": 1, "text": MODULE });
    send(
        Notification { method: "textDocument/didOpen".to_string(), params: json!({ "textDocument": document }) }.into(),
    )?;
    for (k, line) in text.lines().enumerate().take(20) {
        let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(line) else { continue };
        let Some(method) = fields.get("method").and_then(Value::as_str) else { continue };
        if ["exit", "shutdown", "initialize"].contains(&method) {
            continue;
        }
        let params = fields.get("params").cloned().unwrap_or(Value::Null);
        match fields.contains_key("id") {
            true => ask(k as i32 + 1, method, params)?,
            false => send(Notification { method: method.to_string(), params }.into())?,
        }
    }
    ask(-2, "shutdown", Value::Null)?;
    send(Notification { method: "exit".to_string(), params: Value::Null }.into())?;
    match session.join() {
        Ok(arr_lsp::Ended::Properly) => Ok(()),
        Ok(arr_lsp::Ended::Early) => Err("the session ended early".to_string()),
        Err(_) => Err("the session panicked".to_string()),
    }
}

fn await_response(editor: &Connection, id: &RequestId) -> Outcome {
    loop {
        match editor.receiver.recv_timeout(PATIENCE) {
            Ok(Message::Response(response)) if response.id == *id => {
                let told = response.response_result.err().map_or_else(String::new, |error| error.message);
                // The session's message after a panic.
                return if told.contains("fault of the compiler") || told.contains("panic") {
                    Err(told)
                } else {
                    Ok(())
                };
            }
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}
