//! The store of compiled programs: an entry of any bytes is ignored, or is the requested program.

use crate::Outcome;
use arr_data::Arg;
use arr_driver::{Execution, MemoryWorld, Question, Session, Store};
use xxhash_rust::xxh3::xxh3_128;

const PROGRAM: &[u8] = b"def f(x: [n]f64, k: i64) -> [n]f64 = for i < n => x[i] * f64(k)\n";

/// A store in which one entry is found under every key that is requested first; it contains no machine code.
struct One {
    entry: Vec<u8>,
    asked: std::sync::atomic::AtomicUsize,
}

impl Store for One {
    fn get(&self, _key: &str) -> Option<Vec<u8>> {
        let first = self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        first.then(|| self.entry.clone())
    }
    fn put(&self, _key: &str, _entry: &[u8]) {}
    fn compiler(&self) -> &str {
        "a compiler"
    }
}

/// The bytes as an entry, and as the content of an entry with a correct checksum.
pub fn cache(bytes: &[u8]) -> Outcome {
    cached(bytes.to_vec())?;
    for format in 0..6 {
        let mut whole = vec![format];
        whole.extend(xxh3_128(bytes).to_le_bytes());
        whole.extend(bytes);
        cached(whole)?;
    }
    Ok(())
}

fn cached(entry: Vec<u8>) -> Outcome {
    let mut session = Session::new(MemoryWorld::new([("p.arr", PROGRAM)]))
        .with_store(One { entry, asked: std::sync::atomic::AtomicUsize::new(0) });
    let question = Question::Entry { path: "p.arr".to_string(), name: "f".to_string() };
    let execution = Execution::default();
    let program = session.program_cached(&question, &execution).map_err(|failure| format!("{failure:?}"))?;
    // Arguments are bound to the parameters in the entry.
    let arguments = ["[1.0, 2.0]", "3"].map(Arg::parse);
    let _ = session.arguments(&program, &arguments);
    Ok(())
}
