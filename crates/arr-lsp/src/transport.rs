//! Messages over standard input and output.
//!
//! Reading continues after a malformed message: the fault is answered, and the next message is where its header says.

use crate::server::{Ended, Options, serve};
use lsp_server::{Connection, ErrorCode, Message};
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The longest message that is read, in bytes.
const LONGEST: usize = 1 << 30;

/// The longest line of a header. No editor sends longer ones.
const LONGEST_LINE: u64 = 1 << 16;

/// Serves an editor over standard input and output until it ends the session or closes the input. Fails if the system
/// cannot create the threads.
pub fn stdio(options: Options) -> io::Result<Ended> {
    let (server, editor) = Connection::memory();
    let Connection { sender, receiver } = editor;
    let out = Arc::new(Mutex::new(io::stdout()));
    let faults = out.clone();
    // It waits for input until the process ends.
    thread::Builder::new().spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(read)) = next(&mut input) {
            match read {
                Received::Message(message) => {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
                Received::Fault(code, what) => {
                    if put(&faults, |out| fault(out, code, &what)).is_err() {
                        return;
                    }
                }
            }
        }
    })?;
    let writer = thread::Builder::new().spawn(move || {
        for message in receiver {
            if put(&out, |out| message.write(out)).is_err() {
                return;
            }
        }
    })?;
    let ended = serve(server, options);
    let _ = writer.join();
    Ok(ended)
}

fn put(out: &Mutex<io::Stdout>, write: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<()>) -> io::Result<()> {
    let out = out.lock().unwrap_or_else(PoisonError::into_inner);
    write(&mut out.lock())
}

/// Reports a malformed message.
fn fault(out: &mut impl Write, code: ErrorCode, what: &str) -> io::Result<()> {
    let error = serde_json::json!({ "code": code as i32, "message": what });
    let text = serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

enum Received {
    Message(Message),
    Fault(ErrorCode, String),
}

/// The next message, or the fault found instead; nothing at the end of the input.
fn next(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() || line.len() as u64 == LONGEST_LINE {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            // Empty lines before a header are ignored.
            if length.is_some() {
                break;
            }
            continue;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<usize>().ok().filter(|length| *length <= LONGEST);
            if length.is_none() {
                return Ok(Some(Received::Fault(ErrorCode::ParseError, format!("`{line}` is no length"))));
            }
        }
    }
    let mut body = Vec::new();
    let length = length.unwrap_or(0);
    input.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice::<serde_json::Value>(&body) {
        Err(error) => Received::Fault(ErrorCode::ParseError, format!("this is not JSON: {error}")),
        Ok(value) => match serde_json::from_value::<Message>(value) {
            Ok(message) => Received::Message(message),
            Err(_) => Received::Fault(ErrorCode::InvalidRequest, "this is no request and no notification".to_string()),
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut input: &[u8]) -> Vec<String> {
        let mut shown = Vec::new();
        while let Ok(Some(read)) = next(&mut input) {
            shown.push(match read {
                Received::Message(Message::Request(request)) => request.method,
                Received::Message(Message::Notification(notification)) => notification.method,
                Received::Message(Message::Response(_)) => "response".to_string(),
                Received::Fault(code, _) => (code as i32).to_string(),
            });
        }
        shown
    }

    #[test]
    fn a_header_that_never_ends_is_the_end() {
        let mut endless = io::BufReader::new(io::repeat(0));
        assert!(matches!(next(&mut endless), Ok(None)));
    }

    #[test]
    fn reading_goes_on_after_a_fault() {
        let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let input = [
            "\r\n".to_string(),
            framed(r#"{"jsonrpc":"2.0","method":"a"}"#),
            framed("{"),
            framed("[1, 2]"),
            framed(r#"{"id":1.5,"method":7}"#),
            "Content-Length: many\r\n\r\n".to_string(),
            "no header\r\nContent-Type: x\r\n".to_string() + &framed(r#"{"id":1,"method":"b"}"#),
            framed("{}").replace('}', ""),
        ];
        assert_eq!(read_all(input.concat().as_bytes()), ["a", "-32700", "-32600", "-32600", "-32700", "b"]);
    }
}
