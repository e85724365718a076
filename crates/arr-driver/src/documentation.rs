//! Questions of documentation: programs with the types of their names, and files that comments name.

use crate::session::accepted;
use crate::{Failure, Session, load};
use arr_check::{Checked, Types};
use arr_syntax::ast::{Item, Module};
use std::io;

impl Session {
    /// As [`Session::checked`], with the types of names and expressions.
    pub fn checked_with_types(&mut self, path: &str) -> Result<(Checked, Types), Failure> {
        let loaded = load::load_file(&*self.world, &mut self.sources, path)?;
        let (checked, types) = arr_check::check_program_with_types(loaded.program);
        Ok((accepted(loaded.diagnostics, checked)?, types))
    }

    /// As [`Session::checked_items`], with the types of names and expressions.
    pub fn checked_items_with_types(&mut self, items: Vec<Item>) -> (Checked, Types) {
        let loaded = load::load(&*self.world, &mut self.sources, "", Module { items });
        let (mut checked, types) = arr_check::check_program_with_types(loaded.program);
        checked.diagnostics.splice(0..0, loaded.diagnostics);
        (checked, types)
    }

    /// The contents of a file that a program names, if it has no more than this many bytes; else the error is
    /// [`io::ErrorKind::FileTooLarge`].
    pub fn named_file(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        self.world.read_file(path, most)
    }
}
