//! Files that are written in full before they replace another, and are always removed.
//!
//! Their names cannot be guessed, and they are newly created, so that nobody can put a file or a link in their place.
//! If a signal ends the process, only its handler can remove them: see [`remove_temporaries`].

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile};

/// The existing temporary files.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file, for a process that is about to be ended by a signal: while the result lives no other
/// can be made.
pub fn remove_temporaries() -> NoTemporaries {
    let files = live();
    for path in files.iter() {
        // Files that cannot be removed stay; there is nobody left to tell.
        let _ = std::fs::remove_file(path);
    }
    NoTemporaries { _files: files }
}

/// Keeps new temporary files from being made.
pub struct NoTemporaries {
    _files: MutexGuard<'static, BTreeSet<PathBuf>>,
}

/// A file beside the one that it will replace, gone when it is dropped.
pub struct Temporary {
    file: NamedTempFile,
    /// Whether it has replaced its target.
    placed: bool,
}

impl Temporary {
    /// A file in the directory of another, with the default permissions. Fails if none can be made there.
    pub fn beside(target: &Path) -> io::Result<Temporary> {
        Temporary::with_mode(target, 0o666)
    }

    /// A file in the directory of another, which nobody else may read. Fails if none can be made there.
    pub fn private_beside(target: &Path) -> io::Result<Temporary> {
        Temporary::with_mode(target, 0o600)
    }

    /// The umask of the process applies to the mode.
    fn with_mode(target: &Path, mode: u32) -> io::Result<Temporary> {
        let directory = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        // The name does not grow with that of the other, which may have the maximal length.
        builder.prefix("arr-").suffix(".tmp").rand_bytes(12);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        #[cfg(not(unix))]
        let _ = mode;
        let mut files = live();
        let file = builder.tempfile_in(directory)?;
        files.insert(file.path().to_path_buf());
        Ok(Temporary { file, placed: false })
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Appends to the file. Fails if it cannot be written, as on a full disk.
    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Syncs the file to the disk and replaces another by it. Fails if it cannot be synced or renamed; the other is
    /// then unchanged.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.replace_unsynced(target)
    }

    /// The same for data that need not survive a loss of power. Fails if it cannot be renamed; the other is then
    /// unchanged.
    pub fn replace_unsynced(mut self, target: &Path) -> io::Result<()> {
        std::fs::rename(self.path(), target)?;
        // There is nothing left to remove.
        self.file.disable_cleanup(true);
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut files = live();
        // As long as the file exists, the signal handler must know it.
        if !self.placed {
            let _ = std::fs::remove_file(self.path());
        }
        files.remove(self.path());
    }
}
