//! The session: its contents, and the effect of an input on it.

use crate::keep::{LetBinding, elements, item_name, mentions, source, words};
use crate::read::{Input, read};
use arr_base::{Code, Diagnostic, SourceId, SourceMap};
use arr_check::Checked;
use arr_data::EdgeValue;
use arr_driver::{Derive, Execution, Failure, Program, Session, Stop};
use arr_syntax::ast::{Def, Expr, Item, Name, PatternKind};
use std::sync::atomic::AtomicBool;

/// The definition that an expression becomes; no program can name it.
const ENTRY: &str = "\"input\"";
/// Larger values are not written into a definition that uses them.
const MOST_ELEMENTS: usize = 10_000;

/// The result of an input.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    Nothing,
    /// A value to print.
    Value(EdgeValue),
    /// Text to print.
    Text(String),
    /// Kept, though definitions that use it no longer fit.
    Kept(Vec<Diagnostic>),
    /// A fault of a command, in words.
    Refused(String),
    Quit,
}

/// An interactive session.
pub struct Repl {
    pub(crate) session: Session,
    pub(crate) items: Vec<Item>,
    pub(crate) kept: Vec<LetBinding>,
    pub(crate) execution: Execution,
    inputs: usize,
}

/// The name in `help(name)`.
fn help_of(text: &str) -> Option<&str> {
    let name = text.strip_prefix("help(")?.strip_suffix(')')?.trim();
    name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)).then_some(name)
}

/// The name and the value of `name = ..`, which other sessions take for an assignment.
fn assigned(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let name = name.trim();
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_name = starts && name.chars().all(|c| c.is_alphanumeric() || "_'".contains(c));
    (is_name && !rest.starts_with(['=', '>'])).then_some((name, rest.trim_start()))
}

/// The name of the last value.
pub(crate) const LAST: &str = "_";

impl Repl {
    pub fn new(session: Session, execution: Execution) -> Repl {
        Repl { session, items: Vec::new(), kept: Vec::new(), execution, inputs: 0 }
    }

    /// The session, in which what runs is stopped once `stop` is set: error E0609. Shaders are not.
    pub fn stopped_by(mut self, stop: &'static AtomicBool) -> Repl {
        self.execution.interruptible = true;
        self.execution.stop = Some(Stop(stop));
        self
    }

    /// The texts that were read, for showing diagnostics.
    pub fn sources(&self) -> &SourceMap {
        self.session.sources()
    }

    /// Takes one input, of one line or several. Fails with the errors of the input or of a file that it loads, and with
    /// E06xx if it stops when it runs; E0901 for a test. A command with a wrong word is no failure but
    /// [`Reply::Refused`].
    pub fn enter(&mut self, text: &str) -> Result<Reply, Failure> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Ok(Reply::Nothing);
        }
        if let Some(command) = trimmed.strip_prefix(':') {
            return self.command(command);
        }
        if let Some(name) = trimmed.strip_prefix('?') {
            return self.command(&format!("doc {name}"));
        }
        // What other sessions call so, where nothing here has the name.
        if matches!(trimmed, "help" | "exit" | "quit") && !self.has(trimmed) {
            return self.command(trimmed);
        }
        if let Some(name) = help_of(trimmed).filter(|_| !self.has("help")) {
            return Ok(self.doc(name));
        }
        if let Some((name, _)) = assigned(trimmed) {
            return Ok(Reply::Refused(format!("a value is kept by `let {name} = ..`")));
        }
        if let Some((name, value)) = trimmed.strip_prefix("let ").and_then(assigned)
            && value.starts_with('\\')
        {
            return Ok(Reply::Refused(format!("a function is kept by a definition: `def {name}(x: f64) -> f64 = ..`")));
        }
        let (file, input) = self.parse(text)?;
        match input {
            Input::Nothing => Ok(Reply::Nothing),
            Input::Items(items) => self.keep_items(file, items),
            Input::Let(expr, names) => self.bind(text, &expr, names),
            Input::Expr(expr) => {
                let (program, values) = self.compile(text, &expr)?;
                let value = self.run(program, &values)?;
                self.kept.retain(|kept| kept.name != LAST);
                self.kept.push(LetBinding { name: LAST.to_string(), value: value.clone() });
                Ok(Reply::Value(value))
            }
        }
    }

    /// Whether the session has a definition or a value of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let defined = self.items.iter().filter_map(item_name).any(|(_, own)| own == name);
        defined || self.kept.iter().any(|kept| kept.name == name)
    }

    fn parse(&mut self, text: &str) -> Result<(SourceId, Input), Failure> {
        self.inputs += 1;
        let file = self.session.add_text(&format!("input {}", self.inputs), text);
        let (input, diagnostics) = read(file, text);
        if diagnostics.is_empty() { Ok((file, input)) } else { Err(diagnostics.into()) }
    }

    /// Reads the expression argument of a command.
    pub(crate) fn expression(&mut self, text: &str) -> Result<Expr, Failure> {
        self.inputs += 1;
        let file = self.session.add_text(&format!("input {}", self.inputs), text);
        let (expr, diagnostics) = arr_syntax::parse_expr(file, text);
        if diagnostics.is_empty() { Ok(expr) } else { Err(diagnostics.into()) }
    }

    // ---- items

    /// Adds items, in place of those of the same names.
    pub(crate) fn keep_items(&mut self, file: SourceId, new: Vec<Item>) -> Result<Reply, Failure> {
        if let Some(Item::Test(test)) = new.iter().find(|item| matches!(item, Item::Test(_))) {
            let title = "a test is not run here";
            let diagnostic = Diagnostic::error(Code::UNSUPPORTED, title).at(test.def.span, "a test");
            return Err(diagnostic.hint("`arr test` runs the tests of a file; enter its body to see its value").into());
        }
        let names: Vec<_> = new.iter().filter_map(item_name).collect();
        let before = self.checked()?.diagnostics;
        let mut items = self.items.clone();
        // A new definition may have another meaning, so a derivative that was declared for the old one is dropped too.
        let replaced = |(kind, name): &(&str, String)| {
            names.iter().any(|(k, n)| n == name && (k == kind || (*k == "def" && *kind == "derivative")))
        };
        items.retain(|item| !item_name(item).is_some_and(|name| replaced(&name)));
        items.extend(new);
        let items = std::mem::replace(&mut self.items, items);
        let kept = self.kept.clone();
        self.kept.retain(|kept| !names.iter().any(|(kind, name)| *kind == "def" && *name == kept.name));
        let (own, others): (Vec<Diagnostic>, Vec<Diagnostic>) = match self.checked() {
            Ok(checked) => {
                checked.diagnostics.into_iter().partition(|d| d.primary_span().is_none_or(|s| s.file == file))
            }
            Err(Failure::Diagnostics(list)) => (list, Vec::new()),
            Err(bug) => return Err(bug),
        };
        if !own.is_empty() {
            self.items = items;
            self.kept = kept;
            return Err(own.into());
        }
        let broken: Vec<Diagnostic> = others.into_iter().filter(|d| !before.contains(d)).collect();
        Ok(if broken.is_empty() { Reply::Nothing } else { Reply::Kept(broken) })
    }

    /// All items, checked; values that definitions mention are included as constants.
    pub(crate) fn checked(&mut self) -> Result<Checked, Failure> {
        let items = self.with_constants()?;
        Ok(self.session.checked_items(items))
    }

    fn with_constants(&mut self) -> Result<Vec<Item>, Failure> {
        let mut items = self.items.clone();
        let mut constants = String::new();
        // The last value has no name that a definition could use.
        for kept in self.kept.iter().filter(|kept| kept.name != LAST) {
            let user = self.items.iter().find_map(|item| match item {
                Item::Def(def) if mentions(def, &kept.name) => Some(def),
                _ => None,
            });
            let Some(user) = user else { continue };
            if elements(&kept.value) > MOST_ELEMENTS {
                let title = format!("the value `{}` is too large to be part of a definition", kept.name);
                let diagnostic = Diagnostic::error(Code::UNSUPPORTED, title).at(user.name.span, "this uses it");
                return Err(diagnostic.hint(format!("make `{}` a parameter of the definition", kept.name)).into());
            }
            let (ty, value) = (arr_data::found_text(&kept.value), source(&kept.value));
            // A definition of that name is shadowed now.
            items.retain(|item| item_name(item).is_none_or(|(kind, name)| kind != "def" || name != kept.name));
            constants.push_str(&format!("def {}: {ty} = {value}\n", kept.name));
        }
        if !constants.is_empty() {
            let file = self.session.add_text("values", &constants);
            let parsed = arr_syntax::parse_module(file, &constants);
            if !parsed.diagnostics.is_empty() {
                return Err(Failure::Bug(format!("a value is not read back:\n{constants}")));
            }
            items.extend(parsed.module.items);
        }
        Ok(items)
    }

    // ---- expressions

    /// An expression as a program whose parameters are the values that it mentions, and those values.
    pub(crate) fn compile(&mut self, text: &str, expr: &Expr) -> Result<(Program, Vec<EdgeValue>), Failure> {
        let used: Vec<LetBinding> =
            self.kept.iter().filter(|k| words(text).any(|word| word == k.name)).cloned().collect();
        let params: Vec<String> =
            used.iter().map(|k| format!("{}: {}", k.name, arr_data::found_text(&k.value))).collect();
        let head =
            if params.is_empty() { "def x = 0".to_string() } else { format!("def x({}) = 0", params.join(", ")) };
        let file = self.session.add_text("values", &head);
        let Some(Item::Def(mut def)) = arr_syntax::parse_module(file, &head).module.items.into_iter().next() else {
            return Err(Failure::Bug(format!("no definition was read from\n{head}")));
        };
        // The last value is a parameter that its name means.
        for param in def.params.iter_mut().flatten() {
            if param.pattern.kind == PatternKind::Wildcard {
                param.pattern.kind = PatternKind::Name(LAST.to_string());
            }
        }
        let name = Name { text: ENTRY.to_string(), span: expr.span };
        let mut items = self.with_constants()?;
        items.push(Item::Def(Def { name, body: expr.clone(), span: expr.span, ..def }));
        let checked = self.session.checked_items(items);
        let program = self.session.definition(&checked, "the session", ENTRY, &Derive::Nothing)?;
        Ok((program, used.into_iter().map(|kept| kept.value).collect()))
    }

    pub(crate) fn run(&self, mut program: Program, values: &[EdgeValue]) -> Result<EdgeValue, Failure> {
        let bound = arr_data::bind(program.func(), values).map_err(Failure::Diagnostics)?;
        Ok(program.run(&bound.sizes, &bound.leaves, &self.execution)?.value)
    }

    /// Binds the names of a `let` to values, once and for all.
    fn bind(&mut self, text: &str, expr: &Expr, names: Vec<String>) -> Result<Reply, Failure> {
        let (program, values) = self.compile(text, expr)?;
        let value = self.run(program, &values)?;
        let parts = match (names.len(), value) {
            (1, value) => vec![value],
            (_, EdgeValue::Tuple(parts)) => parts,
            (_, _) => return Err(Failure::Bug("a `let` gives no tuple of its names".to_string())),
        };
        self.kept.retain(|kept| !names.contains(&kept.name));
        self.kept.extend(names.into_iter().zip(parts).map(|(name, value)| LetBinding { name, value }));
        Ok(Reply::Nothing)
    }
}
