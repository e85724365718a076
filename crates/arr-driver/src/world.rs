//! The source and destination of files.

use crate::temporary::Temporary;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// An entry of a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Listed {
    pub name: String,
    /// False for a link to a directory, so that a walk ends.
    pub directory: bool,
    /// Whether it is a file, perhaps through a link: no directory, pipe or device.
    pub file: bool,
}

/// The files visible to a session. Paths are as the user wrote them.
pub trait World: Send + Sync {
    /// A file, or the contents of a pipe or a device: for paths that the user names.
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.read_at_most(path, u64::MAX)
    }

    /// The same if it has no more than this many bytes; else the error is [`ErrorKind::FileTooLarge`].
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>>;

    /// A file that a program or a directory names. It must not be a pipe or a device, as reading these may never end.
    fn read_file(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        self.read_at_most(path, most)
    }

    /// Whether there is a file of this name.
    fn is_file(&self, path: &str) -> bool {
        self.read_file(path, u64::MAX).is_ok()
    }

    /// Standard input, if it has no more than this many bytes.
    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>>;
    /// Writes atomically: after a failure, the old contents are still there.
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
    /// Fails as [`World::write`] would, as far as that is known before there is anything to write.
    fn check_write(&self, path: &str) -> io::Result<()> {
        let _ = path;
        Ok(())
    }
    /// The contents of a directory, by name.
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>>;
    /// Makes a directory and its parents, unless it exists.
    fn make_directory(&self, directory: &str) -> io::Result<()>;
    /// Protects a file from being edited by mistake, where that is possible.
    fn protect(&self, path: &str) -> io::Result<()> {
        let _ = path;
        Ok(())
    }
}

/// Several sessions may see the same files.
impl<W: World + ?Sized> World for std::sync::Arc<W> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        (**self).read(path)
    }

    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        (**self).read_at_most(path, most)
    }

    fn read_file(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        (**self).read_file(path, most)
    }

    fn is_file(&self, path: &str) -> bool {
        (**self).is_file(path)
    }

    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        (**self).read_stdin(most)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        (**self).write(path, bytes)
    }

    fn check_write(&self, path: &str) -> io::Result<()> {
        (**self).check_write(path)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        (**self).list(directory)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        (**self).make_directory(directory)
    }

    fn protect(&self, path: &str) -> io::Result<()> {
        (**self).protect(path)
    }
}

/// The machine's own files.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsWorld;

impl World for OsWorld {
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        let size = file.metadata().map_or(0, |m| m.len());
        read_from(file, size, most)
    }

    fn read_file(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        // Opening a pipe may never end either.
        match std::fs::metadata(path)? {
            found if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            found if !found.is_file() => Err(io::Error::other("it is a pipe or a device, not a file")),
            _ => self.read_at_most(path, most),
        }
    }

    fn is_file(&self, path: &str) -> bool {
        std::fs::metadata(path).is_ok_and(|found| found.is_file())
    }

    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        read_from(io::stdin().lock(), 0, most)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = Path::new(path);
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            // A device or a pipe (`/dev/stdout`) cannot be replaced, only written to.
            Ok(found) if !found.is_file() => return File::options().write(true).open(path)?.write_all(bytes),
            _ => {}
        }
        // Through a link, its target is replaced, or made.
        let target = followed(path)?;
        let mut temporary = Temporary::beside(&target)?;
        temporary.write_all(bytes)?;
        keep_permissions(&target, temporary.path())?;
        temporary.replace(&target)
    }

    fn check_write(&self, path: &str) -> io::Result<()> {
        let path = Path::new(path);
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            // Opening a pipe waits for its reader.
            Ok(found) if !found.is_file() => Ok(()),
            _ => Temporary::beside(&followed(path)?).map(drop),
        }
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            // A name that is not Unicode cannot be written on our command line either.
            if let Ok(name) = entry.file_name().into_string() {
                let kind = entry.file_type()?;
                let file =
                    kind.is_file() || kind.is_symlink() && std::fs::metadata(entry.path()).is_ok_and(|m| m.is_file());
                found.push(Listed { name, directory: kind.is_dir(), file });
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

/// The replacement of a file keeps its permissions.
fn keep_permissions(old: &Path, new: &Path) -> io::Result<()> {
    match std::fs::metadata(old) {
        Ok(metadata) => std::fs::set_permissions(new, metadata.permissions()),
        Err(_) => Ok(()),
    }
}

/// All bytes of a reader with `expected` bytes presumably, unless there are more than `most`.
fn read_from(reader: impl Read, expected: u64, most: u64) -> io::Result<Vec<u8>> {
    if expected > most {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(expected).map_err(|_| ErrorKind::OutOfMemory)?;
    // One more byte, so that the end is found without another block.
    bytes.try_reserve_exact(room.saturating_add(1)).map_err(|_| ErrorKind::OutOfMemory)?;
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// The maximal length of a chain of links: more indicates a cycle.
const MOST_LINKS: usize = 40;

/// The target of a path through links, the last of which may point to a missing file.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links go in a circle"))
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
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let files = self.files();
        let bytes = files.get(path).ok_or(ErrorKind::NotFound)?;
        read_from(bytes.as_slice(), bytes.len() as u64, most)
    }

    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        read_from(self.stdin.as_slice(), self.stdin.len() as u64, most)
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
                Some((name, _)) => Listed { name: name.to_string(), directory: true, file: false },
                None => Listed { name: rest, directory: false, file: true },
            })
            .collect();
        found.dedup();
        if found.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(found) }
    }

    fn make_directory(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}
