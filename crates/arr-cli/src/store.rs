//! Compiled programs on disk, so that a second run of a program begins at once.
//!
//! One file per entry, under the user's cache folder or `ARR_CACHE_DIR` (which turns this off if it is empty). If
//! anything fails, the program is compiled as if nothing had been kept.
//!
//! An entry is machine code that will run as the user, so a folder or an entry that somebody else owns, or may write,
//! is not used. Only entries are removed from the folder, which are recognised by their names and their first bytes.

use arr_driver::{ENTRY_MAGIC, OsWorld, Temporary, World};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The maximal number of entries, and their total size in bytes; the oldest go first.
const MOST_ENTRIES: usize = 500;
const MOST_BYTES: u64 = 200 << 20;
/// The length of a key, which consists of lower-case hexadecimal digits.
const KEY_LEN: usize = 32;
const ENDING: &str = ".code";

/// A folder of entries.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    compiler: String,
}

impl Disk {
    /// The store to use; `None` if there is none. A compiler that checks itself, as debug builds do, keeps
    /// nothing unless a folder is given: what was kept would run without being checked.
    pub fn find() -> Option<Disk> {
        let folder = match std::env::var_os("ARR_CACHE_DIR") {
            Some(folder) if folder.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None if arr_base::checks_itself() => return None,
            None => dirs::cache_dir()?.join("arr").join("code"),
        };
        Some(Disk { folder, compiler: compiler(&std::env::current_exe().ok()?)? })
    }

    /// The same for a compiler that is in a library of another program.
    pub fn find_for(library: &Path) -> Option<Disk> {
        Some(Disk { compiler: compiler(library)?, ..Disk::find()? })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}{ENDING}"))
    }

    fn read(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let own = |found: Metadata| own(&found);
        if !std::fs::metadata(&self.folder).is_ok_and(own) || !std::fs::symlink_metadata(&path).is_ok_and(own) {
            return None;
        }
        OsWorld.read_file(path.to_str()?, MOST_BYTES).ok()
    }

    fn write(&self, key: &str, entry: &[u8]) -> io::Result<()> {
        make_folder(&self.folder)?;
        if !own(&std::fs::metadata(&self.folder)?) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let path = self.path(key);
        let mut temporary = Temporary::private_beside(&path)?;
        temporary.write_all(entry)?;
        temporary.replace_unsynced(&path)?;
        remove_oldest(&self.folder)
    }
}

impl arr_driver::Store for Disk {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let entry = self.read(key)?;
        // Used entries are kept.
        if let Ok(file) = File::options().append(true).open(self.path(key)) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(entry)
    }

    fn put(&self, key: &str, entry: &[u8]) {
        // A failure here loses nothing.
        let _ = self.write(key, entry);
    }

    fn compiler(&self) -> &str {
        &self.compiler
    }
}

/// The version, and the size and modification time of the file with the compiler: a rebuilt one is another one.
fn compiler(file: &Path) -> Option<String> {
    let file = std::fs::metadata(file).ok()?;
    let changed = file.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), changed.as_nanos()))
}

/// Makes the folder for this user only, whatever the umask of the process.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Whether a file or folder is this user's, and nobody else may write it.
#[cfg(unix)]
fn own(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const WRITTEN_BY_OTHERS: u32 = 0o022;
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & WRITTEN_BY_OTHERS == 0
}

#[cfg(not(unix))]
fn own(_: &Metadata) -> bool {
    true
}

fn remove_oldest(folder: &Path) -> io::Result<()> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_str().is_some_and(is_name) {
            continue;
        }
        let file = entry.metadata()?;
        if file.is_file() && own(&file) {
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
        if begins_as_entry(&path) {
            std::fs::remove_file(path)?;
            (count, bytes) = (count - 1, bytes - len);
        }
    }
    Ok(())
}

/// Whether a file has the name of an entry.
fn is_name(name: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    name.strip_suffix(ENDING).is_some_and(|key| key.len() == KEY_LEN && key.chars().all(digit))
}

fn begins_as_entry(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(ENTRY_MAGIC.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == ENTRY_MAGIC
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use arr_driver::Store;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    fn disk(place: &tempfile::TempDir) -> Disk {
        Disk { folder: place.path().join("a").join("code"), compiler: String::new() }
    }

    fn entry(fill: u8) -> Vec<u8> {
        [ENTRY_MAGIC, &[fill]].concat()
    }

    #[test]
    fn only_entries_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let disk = disk(&place);
        disk.put(KEY, &entry(1));
        let folder = &disk.folder;
        let others = ["thesis.tex", "notes.code", "0123456789ABCDEF0123456789abcdef.code", "arr-x.tmp"];
        others.iter().for_each(|name| File::create(folder.join(name)).unwrap().set_len(MOST_BYTES).unwrap());
        // A file of somebody else with the same naming scheme.
        let alike = folder.join(format!("{}{ENDING}", "0".repeat(KEY_LEN)));
        std::fs::write(&alike, b"my own").unwrap();
        for n in 0..MOST_ENTRIES + 20 {
            disk.put(&format!("{n:032x}").replace("00000000", "ffffffff"), &entry(2));
        }
        assert!(others.iter().all(|name| folder.join(name).exists()) && alike.exists());
        let kept = std::fs::read_dir(folder)
            .unwrap()
            .filter(|e| e.as_ref().unwrap().file_name().to_str().is_some_and(is_name));
        assert!(kept.count() <= MOST_ENTRIES + 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let disk = disk(&place);
        disk.put(KEY, &entry(1));
        assert_eq!(disk.get(KEY), Some(entry(1)));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!((mode(&disk.folder), mode(&disk.path(KEY))), (0o700, 0o600));
        set(&disk.path(KEY), 0o622);
        assert_eq!(disk.get(KEY), None);
        set(&disk.path(KEY), 0o600);
        set(&disk.folder, 0o770);
        assert_eq!(disk.get(KEY), None);
        // Nor is anything written there.
        disk.put(KEY, &entry(2));
        set(&disk.folder, 0o755);
        assert_eq!(disk.get(KEY), Some(entry(1)));
        // A link to an entry, and a pipe, are no entries.
        std::fs::rename(disk.path(KEY), disk.folder.join("moved")).unwrap();
        std::os::unix::fs::symlink("moved", disk.path(KEY)).unwrap();
        assert_eq!(disk.get(KEY), None);
        std::fs::remove_file(disk.path(KEY)).unwrap();
        assert!(
            std::process::Command::new("mkfifo").args(["-m", "600"]).arg(disk.path(KEY)).status().unwrap().success()
        );
        assert_eq!(disk.get(KEY), None);
    }
}
