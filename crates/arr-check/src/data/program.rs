//! A program as it is given to the checker: its files parsed, and what their imports lead to.

use arr_syntax::ast::Module;
use std::sync::Arc;

/// A program to check: its files parsed, and what they import found.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The first one is the file that was asked about.
    pub modules: Vec<ProgramModule>,
    /// The modules of the standard library, for messages.
    pub available: Arc<[StandardNames]>,
}

/// What a module of the standard library is called, and what it defines for others.
#[derive(Clone, Debug)]
pub struct StandardNames {
    pub module: String,
    pub definitions: Vec<String>,
}

/// One file of a program.
#[derive(Clone, Debug)]
pub struct ProgramModule {
    pub syntax: Arc<Module>,
    /// What messages call it, different for each module.
    pub name: String,
    /// What its imports lead to, in the order in which they are written.
    pub imports: Vec<Imported>,
    /// Whether only those of its definitions are checked that the rest of the program uses.
    pub standard: bool,
}

/// What an import leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imported {
    /// A module of the program, by its place.
    Module(usize),
    /// Nothing, which has been reported.
    Nothing,
}

impl From<Arc<Module>> for Program {
    /// A file alone, whose imports lead nowhere.
    fn from(syntax: Arc<Module>) -> Self {
        let module = ProgramModule { syntax, name: String::new(), imports: Vec::new(), standard: false };
        Program { modules: vec![module], available: Arc::default() }
    }
}
