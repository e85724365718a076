//! The session: the sources read so far, and the questions about them.

use crate::cache::{self, Keep, Question, Store};
use crate::data::{Reader, check_write, write_bytes, write_value};
use crate::execution::Execution;
use crate::load;
use crate::program::{Executable, Outcome, Program};
use crate::signature::signatures;
use crate::stdlib::STANDARD_MODULES;
use crate::{Failure, World};
use arr_base::{Code, Diagnostic, SourceId, SourceMap};
use arr_check::{Checked, GradientMode};
use arr_data::{Arg, ArgSource, CellRules, EdgeValue, Notes};
use arr_ir::{Edge, EdgeParam, Func, Value};
use arr_pipeline::Report;
use arr_syntax::ast::{Expr, Item, Module};
use std::sync::Arc;
use std::time::Instant;

/// The derivation applied to the entry before it is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Derive {
    Nothing,
    /// The derivative with respect to the named parameters; by default the first.
    Gradient {
        wrt: Vec<String>,
        mode: Mode,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Reverse,
    Forward,
}

impl From<Mode> for GradientMode {
    fn from(mode: Mode) -> GradientMode {
        match mode {
            Mode::Reverse => GradientMode::Reverse,
            Mode::Forward => GradientMode::Forward,
        }
    }
}

/// A compilation session.
pub struct Session {
    pub(crate) world: Box<dyn World>,
    pub(crate) sources: SourceMap,
    /// Compiled programs of earlier runs.
    store: Option<Box<dyn Store>>,
    /// How the cells of data files become values.
    cells: CellRules,
    /// What readers of data did beyond what was asked for.
    notes: Notes,
}

/// A checked program without errors. Fails with those of reading and of checking it.
pub(crate) fn accepted(mut diagnostics: Vec<Diagnostic>, checked: Checked) -> Result<Checked, Failure> {
    diagnostics.extend(checked.diagnostics.iter().cloned());
    if diagnostics.is_empty() { Ok(checked) } else { Err(diagnostics.into()) }
}

impl Session {
    pub fn new(world: impl World + 'static) -> Session {
        Session {
            world: Box::new(world),
            sources: SourceMap::new(),
            store: None,
            cells: CellRules::default(),
            notes: Notes::new(),
        }
    }

    /// Sets how the cells of data files become values.
    pub fn set_cell_rules(&mut self, cells: CellRules) {
        self.cells = cells;
    }

    /// Takes the notes on what was done with files beyond what was asked for, such as columns that were left out; each is
    /// a sentence that begins with the file.
    pub fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.notes)
    }

    /// The session, with a store for compiled programs.
    pub fn with_store(self, store: impl Store + 'static) -> Session {
        Session { store: Some(Box::new(store)), ..self }
    }

    /// The program for a question: one that an earlier run kept, if everything is unchanged; else a new one, which is
    /// kept when it runs. To be called before anything is read. A kept program has no body: it can only be run. Fails
    /// as [`Session::program_for`] does, for a new one only.
    pub fn program_cached(&mut self, question: &Question, execution: &Execution) -> Result<Program, Failure> {
        let key = self.store.as_deref().and_then(|store| cache::key(&*self.world, store, question, execution));
        let (Some(store), Some(key)) = (self.store.as_deref(), key) else { return self.program_for(question) };
        match cache::load(&*self.world, store, &mut self.sources, question, &key) {
            Some(program) => Ok(program),
            None => self.program_to_cache(question, key),
        }
    }

    /// The program for a question. Fails as [`Session::program`] or [`Session::expression`] does.
    pub fn program_for(&mut self, question: &Question) -> Result<Program, Failure> {
        match question {
            Question::Entry { path, name } => self.program(path, name, &Derive::Nothing),
            Question::Expression { path, text } => self.expression(path.as_deref(), text),
            Question::Derived { path, definitions, name } => {
                let checked = self.checked_with(path, definitions)?;
                self.definition(&checked, path, name, &Derive::Nothing)
            }
        }
    }

    /// A program ready to run with these sizes, or with all, as an earlier run left it or made now. Fails as
    /// [`Program::executable`] does, and for a cached program that has to be recompiled as [`Session::program_for`] does.
    pub fn executable(
        &mut self,
        program: &mut Program,
        sizes: Option<&[i64]>,
        execution: &Execution,
    ) -> Result<Executable, Failure> {
        self.load_code(program, sizes.unwrap_or_default(), execution)?;
        let made = match sizes {
            Some(sizes) => program.executable_for(sizes, execution),
            None => program.executable(execution),
        };
        self.store_made(program);
        made
    }

    fn store_made(&self, program: &mut Program) {
        if let Some(store) = &self.store {
            program.to_store.drain(..).for_each(|made| store.put(&made.key, &made.entry));
        }
    }

    fn program_to_cache(&mut self, question: &Question, key: String) -> Result<Program, Failure> {
        let mut program = self.program_for(question)?;
        program.keep = Some(Keep::new(&*self.world, &self.sources, question.clone(), key));
        Ok(program)
    }

    /// Finds the code of a program that is to be kept, for a call with these sizes, or gives the program its body.
    fn load_code(&mut self, program: &mut Program, sizes: &[i64], execution: &Execution) -> Result<(), Failure> {
        let (Some(store), Some(keep)) = (self.store.as_deref(), &program.keep) else { return Ok(()) };
        let start = Instant::now();
        let sizes = execution.fixed(sizes);
        if let Some(code) = keep.code(store, sizes, execution.threads) {
            let entry = if keep.cached { None } else { keep.interface(program.func()) };
            program.to_store.extend(entry);
            program.make_ready(code, sizes, Report::timed("cache", start.elapsed()));
        } else if keep.cached {
            let Keep { question, key, .. } = keep.clone();
            // Spans are positions in texts in the order of reading.
            self.sources = SourceMap::new();
            let mut whole = self.program_to_cache(&question, key)?;
            whole.verify = program.verify;
            whole.checkpoint = program.checkpoint;
            whole.without = program.without;
            *program = whole;
        }
        Ok(())
    }

    /// The files read so far; spans of diagnostics point into them.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Reads a program's text. A leading byte order mark is not part of it. Errors: E0701 where it cannot be read;
    /// E0702 where it is not UTF-8, or is too large for a program.
    pub fn load(&mut self, path: &str) -> Result<SourceId, Failure> {
        Ok(load::read(&*self.world, &mut self.sources, path)?)
    }

    /// The text of a file that was read.
    pub fn text(&self, file: SourceId) -> Arc<str> {
        self.sources.get(file).map_or_else(|| Arc::from(""), |f| f.text.clone())
    }

    /// Reads, parses and checks a file and its imports. All errors are reported at once. Fails as [`Session::load`]
    /// does, and with every diagnostic of the program.
    pub fn checked(&mut self, path: &str) -> Result<Checked, Failure> {
        let loaded = load::load_file(&*self.world, &mut self.sources, path)?;
        accepted(loaded.diagnostics, arr_check::check_program(loaded.program))
    }

    /// As [`Session::checked`], with further definitions at the end of the file, whose text is `extra`.
    pub fn checked_with(&mut self, path: &str, extra: &str) -> Result<Checked, Failure> {
        // The file keeps the place that it has without them.
        load::read(&*self.world, &mut self.sources, path)?;
        let file = self.sources.add("derived definitions", extra);
        let more = arr_syntax::parse_module(file, extra);
        let loaded = load::load_file_with(&*self.world, &mut self.sources, path, more.module.items)?;
        let mut diagnostics = loaded.diagnostics;
        diagnostics.extend(more.diagnostics);
        accepted(diagnostics, arr_check::check_program(loaded.program))
    }

    /// The lines of a definition's doc comment; none if there is no such definition. Fails as [`Session::load`] does.
    pub fn doc(&mut self, path: &str, name: &str) -> Result<Vec<String>, Failure> {
        let file = self.load(path)?;
        let items = arr_syntax::parse_module(file, &self.text(file)).module.items;
        let found = items.into_iter().find_map(|item| match item {
            Item::Def(def) if def.name.text == name => Some(def.doc),
            _ => None,
        });
        Ok(found.unwrap_or_default())
    }

    /// The warnings about a file without errors. Fails with all errors, as [`Session::checked`] does.
    pub fn check(&mut self, path: &str) -> Result<Vec<Diagnostic>, Failure> {
        self.checked(path).map(|checked| checked.warnings)
    }

    /// The file's syntax tree as source. Fails as [`Session::load`] does, and with E01xx if the text does not follow
    /// the grammar.
    pub fn syntax(&mut self, path: &str) -> Result<String, Failure> {
        let file = self.load(path)?;
        let parsed = arr_syntax::parse_module(file, &self.text(file));
        if !parsed.diagnostics.is_empty() {
            return Err(parsed.diagnostics.into());
        }
        Ok(arr_syntax::print_module(&parsed.module))
    }

    /// Formats a file in place. Returns whether that changed it; a file that is formatted already is not written. Fails
    /// as [`Session::syntax`] does, and with E0707 if the file cannot be written.
    pub fn format(&mut self, path: &str) -> Result<bool, Failure> {
        let file = self.load(path)?;
        let text = self.text(file);
        let formatted = arr_syntax::format_module(file, &text)?;
        if *text == *formatted {
            return Ok(false);
        }
        self.write_text(path, &formatted).map(|()| true)
    }

    /// A file's text, and the same formatted. Fails as [`Session::syntax`] does.
    pub fn formatted(&mut self, path: &str) -> Result<(Arc<str>, String), Failure> {
        let file = self.load(path)?;
        let text = self.text(file);
        let formatted = arr_syntax::format_module(file, &text)?;
        Ok((text, formatted))
    }

    /// The program on standard input, and the same formatted. Fails as [`Session::syntax`] does.
    pub fn format_stdin(&mut self) -> Result<(Arc<str>, String), Failure> {
        let file = load::read_stdin(&*self.world, &mut self.sources)?;
        let text = self.text(file);
        let formatted = arr_syntax::format_module(file, &text)?;
        Ok((text, formatted))
    }

    /// A program, with the texts of its spans.
    fn with_sources(&self, func: Func) -> Program {
        let mut program = Program::new(func);
        program.sources = self.sources.clone();
        program
    }

    /// A definition of a file, or its derivative. Fails as [`Session::checked`] and [`Session::definition`] do.
    pub fn program(&mut self, path: &str, entry: &str, derive: &Derive) -> Result<Program, Failure> {
        let checked = self.checked(path)?;
        self.definition(&checked, path, entry, derive)
    }

    /// A definition of a checked file, or its derivative. Errors: E0206 where there is none of the name; E0501 to E0503
    /// where it has no such derivative; else the errors of the definition and of those that it uses.
    pub fn definition(&self, checked: &Checked, path: &str, entry: &str, derive: &Derive) -> Result<Program, Failure> {
        if !checked.entry_names().iter().any(|name| name == entry) {
            return Err(no_entry(checked.module(), path, entry).into());
        }
        let func = match derive {
            Derive::Nothing => arr_check::elaborate(checked, entry)?,
            Derive::Gradient { wrt, mode } => arr_check::elaborate_gradient(checked, entry, wrt, (*mode).into())?,
        };
        Ok(self.with_sources(func))
    }

    /// The derivative of a definition as it is printed: [`Program::to_source`] of it has calls of definitions with declared
    /// derivatives, the names of types, and what these need of the program. Fails as [`Session::program`] does.
    pub fn printed(&mut self, path: &str, entry: &str, wrt: &[String], mode: Mode) -> Result<Program, Failure> {
        let checked = self.checked(path)?;
        let derive = Derive::Gradient { wrt: wrt.to_vec(), mode };
        let mut program = self.definition(&checked, path, entry, &derive)?;
        program.readable = arr_check::readable_gradient(&checked, entry, wrt, mode.into())?;
        Ok(program)
    }

    /// A test of a checked file, by its name with the quotation marks. Fails with the errors of the test, or with E0206
    /// if there is none of the name.
    pub fn test(&self, checked: &Checked, name: &str) -> Result<Program, Failure> {
        Ok(self.with_sources(arr_check::elaborate(checked, name)?))
    }

    /// Checks items outside any file; paths of imports are relative to the current directory. Errors in some do not
    /// keep the others from use.
    pub fn checked_items(&mut self, items: Vec<Item>) -> Checked {
        let loaded = load::load(&*self.world, &mut self.sources, "", Module { items });
        let mut checked = arr_check::check_program(loaded.program);
        checked.diagnostics.splice(0..0, loaded.diagnostics);
        checked
    }

    /// Adds a text outside any file.
    pub fn add_text(&mut self, name: &str, text: &str) -> SourceId {
        self.sources.add(name, text)
    }

    /// An expression in the scope of a checked file. Fails with the errors of the expression, or of a definition that
    /// it uses.
    pub fn expression_in(&self, checked: &Checked, expr: &Expr) -> Result<Program, Failure> {
        Ok(self.with_sources(arr_check::elaborate_expr(checked, expr)?))
    }

    fn parse_expression(&mut self, text: &str) -> Result<Expr, Failure> {
        let file = self.sources.add("expression", text);
        let (expr, diagnostics) = arr_syntax::parse_expr(file, text);
        if diagnostics.is_empty() { Ok(expr) } else { Err(diagnostics.into()) }
    }

    /// An expression's syntax tree as source. Fails with E01xx if the text does not follow the grammar.
    pub fn expression_syntax(&mut self, text: &str) -> Result<String, Failure> {
        self.parse_expression(text).map(|expr| arr_syntax::print_expr(&expr))
    }

    /// The scope of an expression that stands alone: the modules of the standard library that it mentions.
    fn surroundings(&mut self, text: &str) -> Checked {
        let mentioned = STANDARD_MODULES.iter().filter(|m| text.contains(&format!("{}.", m.name)));
        let imports: String = mentioned.map(|m| format!("import {}\n", m.name)).collect();
        if imports.is_empty() {
            return self.checked_items(Vec::new());
        }
        let file = self.sources.add("imports", imports.as_str());
        self.checked_items(arr_syntax::parse_module(file, &imports).module.items)
    }

    /// An expression in the scope of a file, if one is given. Fails as [`Session::checked`],
    /// [`Session::expression_syntax`] and [`Session::expression_in`] do.
    pub fn expression(&mut self, path: Option<&str>, text: &str) -> Result<Program, Failure> {
        let checked = match path {
            Some(path) => self.checked(path)?,
            None => self.surroundings(text),
        };
        let expr = self.parse_expression(text)?;
        Ok(self.with_sources(arr_check::elaborate_expr(&checked, &expr)?))
    }

    /// Reads the arguments of a program: values of its sizes and parameters. Errors: E0705 where arguments and
    /// parameters do not match; E0701 to E0704 and E0706 where a value cannot be read or does not fit its parameter;
    /// E0605 where it does not fit the memory.
    pub fn arguments(&mut self, program: &Program, args: &[Arg]) -> Result<(Vec<i64>, Vec<Value>), Failure> {
        self.arguments_within(program, args, &Execution::default())
    }

    /// The same within the memory limit of an execution. Fails as [`Session::arguments`] does.
    pub fn arguments_within(
        &mut self,
        program: &Program,
        args: &[Arg],
        execution: &Execution,
    ) -> Result<(Vec<i64>, Vec<Value>), Failure> {
        let func = program.func();
        let mut reader = Reader::new(&*self.world, &mut self.sources, &self.cells, execution);
        let values = reader.arguments(&func.name, &func.edge_params, args)?;
        let bound = arr_data::bind(func, &values).map_err(|errors| reader.name_files(errors));
        // A gradient reads the arguments of its function again.
        let notes = std::mem::take(&mut reader.notes);
        let new: Notes = notes.into_iter().filter(|note| !self.notes.contains(note)).collect();
        self.notes.extend(new);
        let bound = bound.map_err(Failure::Diagnostics)?;
        Ok((bound.sizes, bound.leaves))
    }

    /// Reads the value of one parameter from a file, which must not be a pipe or a device. Errors: E0701 where it
    /// cannot be read; E0702 where it is damaged or of no known format; E0703, E0704 and E0706 where its value does not
    /// have the type; E0605 where it does not fit the memory.
    pub fn read_value(&mut self, param: &EdgeParam, path: &str, execution: &Execution) -> Result<EdgeValue, Failure> {
        let mut reader = Reader::new(&*self.world, &mut self.sources, &self.cells, execution);
        reader.files_only = true;
        Ok(reader.argument(param, &ArgSource::File { path: path.to_string(), part: None })?)
    }

    /// The numbers of a file without a declared type, `fit.json` or a part of it, `fit.json:loss`. Of a text table, what the
    /// columns that are needed have instead of numbers is an error, and other columns are left out. Errors: E0701 where it
    /// cannot be read, E0702 where it is damaged, E0703 where it is of another format or holds no numbers, E0709 where it
    /// has no such part, E0605 where it does not fit the memory.
    pub fn numbers_of(&mut self, file: &str, needed: &[&str], execution: &Execution) -> Result<EdgeValue, Failure> {
        let mut reader = Reader::new(&*self.world, &mut self.sources, &self.cells, execution);
        let value = reader.numbers_of(file, needed)?;
        self.notes.append(&mut reader.notes);
        Ok(value)
    }

    /// Reads the arguments and runs the program. Fails as [`Session::arguments`] and [`Program::run`] do, and for a
    /// cached program that has to be recompiled as [`Session::program_for`] does.
    pub fn run(&mut self, program: &mut Program, args: &[Arg], execution: &Execution) -> Result<Outcome, Failure> {
        let (sizes, leaves) = self.arguments_within(program, args, execution)?;
        self.load_code(program, &sizes, execution)?;
        let outcome = program.run(&sizes, &leaves, execution);
        self.store_made(program);
        outcome
    }

    /// The program after a step of the compiler, as text: for the sizes of these arguments, as it would run with them,
    /// or without arguments for all sizes. Fails as [`Session::arguments`] and [`Program::emit_after`] do.
    pub fn emit_after(
        &mut self,
        program: &mut Program,
        step: &str,
        args: &[Arg],
        execution: &Execution,
    ) -> Result<String, Failure> {
        if args.is_empty() {
            return program.emit_after(step, None, execution);
        }
        let (sizes, _) = self.arguments_within(program, args, execution)?;
        program.emit_after(step, execution.fixed(&sizes), execution)
    }

    /// Checks that a value of a type can be written to a file of this name, as far as these tell. Fails with E0707 if
    /// it cannot.
    pub fn check_writable(&self, path: &str, ty: &Edge) -> Result<(), Failure> {
        arr_data::check_writable(path, ty).map_err(|e| e.to_output_diagnostic())?;
        self.check_path(path)
    }

    /// Checks that there can be a file of this name, before there is anything to write. Fails with E0707 if there cannot.
    pub fn check_path(&self, path: &str) -> Result<(), Failure> {
        check_write(&*self.world, path)
    }

    /// Writes a value in the format of the file's name. Fails with E0707 if that format cannot hold it, or the file
    /// cannot be written.
    pub fn write_value(&self, path: &str, value: &EdgeValue, ty: &Edge) -> Result<(), Failure> {
        write_value(&*self.world, path, value, ty)
    }

    /// The programs that a path names: itself, or the `.arr` files in and below a directory. Fails with E0701 if it is
    /// a file with another extension, or if a directory cannot be listed.
    pub fn programs(&self, path: &str) -> Result<Vec<String>, Failure> {
        crate::walk::programs(&*self.world, path)
    }

    /// Makes a directory and its parents, unless it exists. Fails with E0707 if that cannot be done.
    pub fn make_directory(&self, directory: &str) -> Result<(), Failure> {
        crate::data::make_directory(&*self.world, directory)
    }

    /// Writes a text file, and makes its directory first. Fails with E0707 if either cannot be done.
    pub fn write_new(&self, path: &str, text: &str) -> Result<(), Failure> {
        if let Some((directory, _)) = path.rsplit_once('/') {
            self.make_directory(directory)?;
        }
        self.write_text(path, text)
    }

    /// Writes a text file atomically. Fails with E0707 if it cannot be written.
    pub fn write_text(&self, path: &str, text: &str) -> Result<(), Failure> {
        self.write_bytes(path, text.as_bytes())
    }

    /// Writes a file atomically. Fails with E0707 if it cannot be written.
    pub fn write_bytes(&self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        write_bytes(&*self.world, path, bytes)
    }
}

/// The diagnostic that lists the possible entries.
pub(crate) fn no_entry(module: &Module, path: &str, entry: &str) -> Diagnostic {
    let defs = signatures(module);
    let diagnostic = Diagnostic::error(Code::NO_ENTRY, format!("`{path}` has no definition `{entry}`"));
    if defs.is_empty() {
        return diagnostic.note("it has no definitions");
    }
    let diagnostic = diagnostic.note(format!("its definitions are\n{}", defs.join("\n")));
    let names = module.items.iter().filter_map(|item| match item {
        Item::Def(def) => Some(def.name.text.as_str()),
        _ => None,
    });
    let distance = |name: &str| strsim::damerau_levenshtein(entry, name);
    match names.min_by_key(|name| distance(name)).filter(|name| distance(name) <= 1 + entry.len() / 6) {
        Some(name) => diagnostic.hint(format!("did you mean `{name}`?")),
        None => diagnostic.hint("name one with `--entry`"),
    }
}
