//! Answers lines from one stream on another.

use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 1 << 32;

/// One side of a protocol: a line in, a line out.
pub trait Answer {
    /// The reply to a request, without the line's end.
    fn answer(&mut self, line: &str) -> String;
    /// The reply to a line that cannot be passed to [`Answer::answer`], or whose answer failed.
    fn refuse(&mut self, line: &str, why: &str) -> String;
}

/// Answers every line until the input ends. Fails if one of the streams does.
pub fn serve(server: &mut dyn Answer, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    while next(input, &mut bytes)? {
        let reply = match std::str::from_utf8(&bytes) {
            // Who sends a line waits for one.
            Ok(line) if line.trim().is_empty() => server.refuse("", "the line is empty"),
            Ok(line) if bytes.len() as u64 >= LONGEST => server.refuse(line, "the line is too long"),
            Ok(line) => guarded(server, line.trim()),
            Err(e) => server.refuse("", &format!("byte {} of the line is not UTF-8", e.valid_up_to())),
        };
        output.write_all(reply.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

/// Reads a line; of one that is too long, only its beginning. `false` at the end of the input.
fn next(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if input.take(LONGEST).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    let mut rest = Vec::new();
    let cut = line.len() as u64 == LONGEST && line.last() != Some(&b'\n');
    while cut && rest.last() != Some(&b'\n') {
        rest.clear();
        if input.take(1 << 20).read_until(b'\n', &mut rest)? == 0 {
            break;
        }
    }
    Ok(true)
}

/// A fault of the compiler ends the answer to one request, never the session.
fn guarded(server: &mut dyn Answer, line: &str) -> String {
    match catch_unwind(AssertUnwindSafe(|| server.answer(line))) {
        Ok(reply) => reply,
        Err(_) => server.refuse(line, "a fault of the compiler ended the answer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Shout;
    impl Answer for Shout {
        #[allow(clippy::panic)]
        fn answer(&mut self, line: &str) -> String {
            if line == "fall" {
                panic!("as the test asks");
            }
            line.to_uppercase()
        }
        fn refuse(&mut self, line: &str, why: &str) -> String {
            format!("no: {line}: {why}")
        }
    }

    #[test]
    fn lines_are_answered_and_faults_survived() -> io::Result<()> {
        let mut out = Vec::new();
        serve(&mut Shout, &mut &b"one\n\n  \nfall\n\xff\xfe\ntwo"[..], &mut out)?;
        let text = String::from_utf8_lossy(&out).into_owned();
        let expected = "ONE\nno: : the line is empty\nno: : the line is empty\nno: fall: a fault of the compiler ended the answer\n\
                        no: : byte 0 of the line is not UTF-8\nTWO\n";
        assert_eq!(text, expected);
        Ok(())
    }
}
