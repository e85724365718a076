//! Where files come from and go to.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Mutex;

/// An entry of a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Listed {
    pub name: String,
    /// A link to a directory is none, so that a walk ends.
    pub directory: bool,
}

/// The files that a session sees. Paths are as the user wrote them.
pub trait World: Send + Sync {
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
    fn read_stdin(&self) -> io::Result<Vec<u8>>;
    /// Writes all or nothing: on a failure, what was there before is still there.
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
    /// What a directory holds, by name.
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>>;
    /// Makes a directory, and those above it, unless it is there.
    fn make_directory(&self, directory: &str) -> io::Result<()>;
    /// Keeps a file from being edited by mistake, where that is possible.
    fn protect(&self, path: &str) -> io::Result<()> {
        let _ = path;
        Ok(())
    }
}

/// The machine's own files.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsWorld;

impl World for OsWorld {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn read_stdin(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = Path::new(path);
        // A device or a pipe (`/dev/stdout`) cannot be replaced, only written to.
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
        }
        let name = path.file_name().ok_or_else(|| io::Error::from(ErrorKind::IsADirectory))?;
        // Through a link, the file that it points to is replaced.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let mut temporary = name.to_os_string();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(temporary);
        let written = write_new(&temporary, bytes)
            .and_then(|()| keep_permissions(&target, &temporary))
            .and_then(|()| std::fs::rename(&temporary, &target));
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            // A name that is not Unicode cannot be written on our command line either.
            if let Ok(name) = entry.file_name().into_string() {
                found.push(Listed { name, directory: entry.file_type()?.is_dir() });
            }
        }
        found.sort();
        Ok(found)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        std::fs::create_dir_all(directory)
    }

    fn protect(&self, path: &str) -> io::Result<()> {
        let mut permissions = std::fs::metadata(path)?.permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(path, permissions)
    }
}

/// What replaces a file may be read and written by whom the file might be.
fn keep_permissions(old: &Path, new: &Path) -> io::Result<()> {
    match std::fs::metadata(old) {
        Ok(metadata) => std::fs::set_permissions(new, metadata.permissions()),
        Err(_) => Ok(()),
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Files in memory, for tests.
#[derive(Debug, Default)]
pub struct MemoryWorld {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
    stdin: Vec<u8>,
}

impl MemoryWorld {
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let files = files.into_iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        MemoryWorld { files: Mutex::new(files), stdin: Vec::new() }
    }

    pub fn with_stdin(mut self, bytes: &[u8]) -> Self {
        self.stdin = bytes.to_vec();
        self
    }

    fn files(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl World for MemoryWorld {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files().get(path).cloned().ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn read_stdin(&self) -> io::Result<Vec<u8>> {
        Ok(self.stdin.clone())
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.files().insert(path.to_string(), bytes.to_vec());
        Ok(())
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let files = self.files();
        let inside = |path: &String| match directory {
            "." => Some(path.clone()),
            _ => path.strip_prefix(directory.trim_end_matches('/'))?.strip_prefix('/').map(str::to_string),
        };
        let mut found: Vec<Listed> = files
            .keys()
            .filter_map(inside)
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => Listed { name: name.to_string(), directory: true },
                None => Listed { name: rest, directory: false },
            })
            .collect();
        found.dedup();
        if found.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(found) }
    }

    fn make_directory(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}
