//! Files as they were when they were first read.

use crate::World;
use crate::world::Listed;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

/// A world whose files do not change once they have been read, so that what is derived from a program later belongs to
/// the program as it was loaded. A text may stand in for a file.
pub struct Snapshot {
    files: Box<dyn World>,
    read: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Snapshot {
    pub fn new(files: impl World + 'static) -> Snapshot {
        Snapshot { files: Box::new(files), read: Mutex::new(BTreeMap::new()) }
    }

    /// The same, with a text at a path.
    pub fn with_text(self, path: &str, text: &str) -> Snapshot {
        self.remember(path, text.as_bytes());
        self
    }

    fn remember(&self, path: &str, bytes: &[u8]) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(path.to_string(), bytes.to_vec());
    }

    fn known(&self, path: &str) -> Option<Vec<u8>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// What was read first at a path: now, if nothing was.
    fn first(&self, path: &str, read: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        if let Some(bytes) = self.known(path) {
            return Ok(bytes);
        }
        let bytes = read()?;
        self.remember(path, &bytes);
        Ok(bytes)
    }
}

impl World for Snapshot {
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        self.first(path, || self.files.read_at_most(path, most))
    }

    fn read_file(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        self.first(path, || self.files.read_file(path, most))
    }

    fn is_file(&self, path: &str) -> bool {
        self.known(path).is_some() || self.files.is_file(path)
    }

    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        self.files.read_stdin(most)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.files.write(path, bytes)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        self.files.list(directory)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        self.files.make_directory(directory)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::MemoryWorld;

    #[test]
    fn files_stay_as_they_were_read_first() {
        let world = Snapshot::new(MemoryWorld::new([("a", &b"one"[..]), ("b", b"two")])).with_text("c", "three");
        assert_eq!(world.read("a").unwrap(), b"one");
        world.write("a", b"changed").unwrap();
        world.write("b", b"changed").unwrap();
        assert_eq!(world.read_file("a", 100).unwrap(), b"one");
        assert_eq!(world.read("b").unwrap(), b"changed");
        assert_eq!(world.read("c").unwrap(), b"three");
        assert!(world.is_file("c") && !world.is_file("d") && world.read("d").is_err());
    }
}
