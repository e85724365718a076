//! Compiled programs on disk, so that a second run of a program begins at once.
//!
//! One file an entry, under the user's cache folder or `ARR_CACHE_DIR` (which turns this off if it is empty). Whatever
//! goes wrong, the program is compiled as if nothing had been kept.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Entries that are kept, and their bytes together; the oldest go first.
const MOST_ENTRIES: usize = 500;
const MOST_BYTES: u64 = 200 << 20;

/// A folder of entries.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    compiler: String,
}

impl Disk {
    /// The store to use; `None` if there is none. A debug build of the compiler, which changes all the time, keeps
    /// nothing unless it is told where.
    pub fn find() -> Option<Disk> {
        let folder = match std::env::var_os("ARR_CACHE_DIR") {
            Some(folder) if folder.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None if cfg!(debug_assertions) => return None,
            None => dirs::cache_dir()?.join("arr").join("code"),
        };
        Some(Disk { folder, compiler: compiler()? })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.code"))
    }

    fn write(&self, key: &str, entry: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let temporary = self.folder.join(format!("{key}.{}.tmp", std::process::id()));
        let written = std::fs::write(&temporary, entry).and_then(|()| std::fs::rename(&temporary, self.path(key)));
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        written?;
        remove_oldest(&self.folder)
    }
}

impl arr_driver::Store for Disk {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let entry = std::fs::read(&path).ok()?;
        // What is used stays.
        if let Ok(file) = std::fs::File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(entry)
    }

    fn put(&self, key: &str, entry: &[u8]) {
        // Nothing is lost when this fails.
        let _ = self.write(key, entry);
    }

    fn compiler(&self) -> &str {
        &self.compiler
    }
}

/// The version, and the file that runs: a compiler that was built anew is another one.
fn compiler() -> Option<String> {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let changed = file.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), changed.as_nanos()))
}

fn remove_oldest(folder: &Path) -> std::io::Result<()> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let file = entry.metadata()?;
        if file.is_file() {
            entries.push((file.modified()?, file.len(), entry.path()));
        }
    }
    entries.sort();
    let mut bytes: u64 = entries.iter().map(|(_, len, _)| len).sum();
    let mut count = entries.len();
    for (_, len, path) in entries {
        if count <= MOST_ENTRIES && bytes <= MOST_BYTES {
            break;
        }
        std::fs::remove_file(path)?;
        (count, bytes) = (count - 1, bytes - len);
    }
    Ok(())
}
