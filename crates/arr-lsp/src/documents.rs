//! The texts that the editor has open, which take precedence over the files on disk.

use crate::lines::Text;
use arr_driver::{Listed, World, standard_module};
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// An open text.
#[derive(Clone, Debug)]
pub struct Document {
    /// In the editor's spelling.
    pub uri: Uri,
    pub version: i32,
    pub text: Text,
}

/// The open texts by path.
#[derive(Clone, Debug, Default)]
pub struct Documents(pub BTreeMap<String, Document>);

impl Documents {
    pub fn open(&mut self, path: String, uri: Uri, version: i32, text: String) {
        self.0.insert(path, Document { uri, version, text: Text::new(text.into()) });
    }

    /// Applies changes in order.
    pub fn change(&mut self, path: &str, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(document) = self.0.get_mut(path) else { return };
        document.version = version;
        for change in changes {
            let text = match change.range {
                Some(range) => document.text.replaced(range, &change.text),
                None => change.text.into(),
            };
            document.text = Text::new(text);
        }
    }

    /// The texts for a [`Desk`].
    pub fn texts(&self) -> BTreeMap<String, Arc<str>> {
        self.0.iter().map(|(path, document)| (path.clone(), document.text.text().clone())).collect()
    }
}

/// The files visible to the compiler: open texts, then the world below.
#[derive(Clone)]
pub struct Desk {
    pub open: BTreeMap<String, Arc<str>>,
    pub below: Arc<dyn World>,
}

impl World for Desk {
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        if let Some(text) = self.open.get(path) {
            return Ok(text.as_bytes().to_vec());
        }
        let module = path.strip_prefix("<std>/").and_then(|file| file.strip_suffix(".arr")).and_then(standard_module);
        match module {
            Some(module) => Ok(module.text.as_bytes().to_vec()),
            // An editor does not wait for a pipe.
            None => self.below.read_file(path, most),
        }
    }

    fn read_stdin(&self, _: u64) -> io::Result<Vec<u8>> {
        // That is the editor's task.
        Err(io::ErrorKind::Unsupported.into())
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.below.write(path, bytes)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        self.below.list(directory)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        self.below.make_directory(directory)
    }
}
