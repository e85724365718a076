//! The machine's files, among which `-` is the program on standard input.

use arr_driver::{Listed, OsWorld, World};
use std::io::{self, ErrorKind};
use std::sync::OnceLock;

/// The name of the program on standard input.
const PROGRAM: &str = "-";

/// The files that commands see. Standard input is read once, as it cannot be read again.
#[derive(Default)]
pub struct Files {
    program: OnceLock<Result<Vec<u8>, String>>,
}

impl World for Files {
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        if path != PROGRAM {
            return OsWorld.read_at_most(path, most);
        }
        let program = self.program.get_or_init(|| OsWorld.read_stdin(most).map_err(|error| error.to_string()));
        match program {
            Ok(bytes) if bytes.len() as u64 > most => Err(ErrorKind::FileTooLarge.into()),
            Ok(bytes) => Ok(bytes.clone()),
            Err(error) => Err(io::Error::other(error.clone())),
        }
    }

    fn read_file(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        OsWorld.read_file(path, most)
    }

    fn is_file(&self, path: &str) -> bool {
        OsWorld.is_file(path)
    }

    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        match self.program.get() {
            Some(_) => Err(io::Error::other("the program was read from it")),
            None => OsWorld.read_stdin(most),
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        OsWorld.write(path, bytes)
    }

    fn check_write(&self, path: &str) -> io::Result<()> {
        OsWorld.check_write(path)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        OsWorld.list(directory)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        OsWorld.make_directory(directory)
    }

    fn protect(&self, path: &str) -> io::Result<()> {
        OsWorld.protect(path)
    }
}
