//! The language server: a session with an editor over the Language Server Protocol.
//!
//! [`serve`] answers the messages of a connection until the editor ends it; [`stdio`] makes a connection of standard
//! input and output. The program of an open text is checked as a whole, with open texts replacing those on disk
//! (`analysis.rs`). Names are resolved on the syntax tree (`resolve.rs`), and so are known even where the program has
//! errors; types come from the checker. A panic ends the answer to one message, never the session.

mod actions;
mod analysis;
mod complete;
mod describe;
mod documents;
mod file;
mod format;
mod hover;
mod inlay;
mod lines;
mod navigate;
mod paths;
mod publish;
mod rename;
mod repair;
mod requests;
mod resolve;
mod semantic;
mod server;
mod signature_help;
mod symbols;
mod transport;
mod workspace;

pub use server::{Ended, Options, serve};
pub use transport::stdio;

use arr_base::Span;

/// A range of bytes in a file, given by its path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FileSpan {
    pub path: String,
    pub start: u32,
    pub end: u32,
}

impl FileSpan {
    pub fn new(path: &str, span: Span) -> FileSpan {
        FileSpan { path: path.to_string(), start: span.start, end: span.end }
    }
}
