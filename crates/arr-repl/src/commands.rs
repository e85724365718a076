//! The commands of a session: lines that begin with `:`.

use crate::state::{Repl, Reply};
use arr_driver::{Derive, Failure, Mode, Program, Stage};
use arr_syntax::ast::{Item, TypeDef};
use std::time::Instant;

pub const HELP: &str = "\
expressions are evaluated, and `_` is the last value; `let x = e`, `def`, `type` and `import` are kept
  :type e          the type of an expression, of a definition or of a built-in function
  :doc name        what a function does; also `?name`
  :grad f          the derivative of a definition, as source
  :emit STAGE e    the program after a stage: ast core bulk ad fused loops clif wgsl; of `f` or `grad(f)` for all arguments
  :time e          the value, and how long compiling and running it took
  :load FILE       keep the definitions of a file
  :reset           forget everything
  :help            this text
  :quit            leave; so does Ctrl-D
an input goes on in the next line while a bracket is open or something is missing; an empty line ends it
";

/// The commands, for completion.
pub(crate) const COMMANDS: &[&str] = &["type", "doc", "grad", "emit", "time", "load", "reset", "help", "quit"];

const STAGES: &[(&str, Stage)] = &[
    ("ast", Stage::Ast),
    ("core", Stage::Core),
    ("bulk", Stage::Bulk),
    ("ad", Stage::Ad),
    ("fused", Stage::Fused),
    ("loops", Stage::Loops),
    ("clif", Stage::Clif),
    ("wgsl", Stage::Wgsl),
];

/// The derivative with respect to the first parameter.
const REVERSE: Derive = Derive::Gradient { wrt: Vec::new(), mode: Mode::Reverse };

/// The names of the stages, for completion.
pub(crate) fn stages() -> impl Iterator<Item = &'static str> {
    STAGES.iter().map(|(name, _)| *name)
}

impl Repl {
    pub(crate) fn command(&mut self, text: &str) -> Result<Reply, Failure> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let needs = |what: &str| Ok(Reply::Refused(format!("`:{word}` needs {what}")));
        match word {
            "type" | "t" if rest.is_empty() => needs("an expression"),
            "type" | "t" => self.type_of(rest),
            "doc" | "d" if rest.is_empty() => needs("a name"),
            "doc" | "d" => Ok(self.doc(rest)),
            "grad" if rest.is_empty() => needs("a definition"),
            "grad" => self.gradient(rest),
            "emit" => match rest.split_once(char::is_whitespace) {
                Some((stage, e)) => self.emit(stage, e),
                None => needs("a stage and an expression"),
            },
            "time" if rest.is_empty() => needs("an expression"),
            "time" => self.time(rest),
            "load" | "l" if rest.is_empty() => needs("a file"),
            "load" | "l" => self.load(rest),
            "reset" => {
                self.items.clear();
                self.kept.clear();
                Ok(Reply::Nothing)
            }
            "help" | "h" | "?" => Ok(Reply::Text(HELP.to_string())),
            "quit" | "q" | "exit" => Ok(Reply::Quit),
            _ => Ok(Reply::Refused(format!("there is no command `:{word}`; `:help` lists them"))),
        }
    }

    fn type_of(&mut self, text: &str) -> Result<Reply, Failure> {
        let shadowed = self.kept.iter().any(|kept| kept.name == text);
        for item in self.items.iter().filter(|_| !shadowed) {
            match item {
                Item::Def(def) if def.name.text == text && def.params.is_some() => {
                    return Ok(Reply::Text(arr_driver::signature(def) + "\n"));
                }
                Item::Type(def) if def.name.text == text => {
                    let bare = TypeDef { doc: Vec::new(), ..def.clone() };
                    return Ok(Reply::Text(arr_syntax::print_item(&Item::Type(bare))));
                }
                _ => {}
            }
        }
        if let Some(signature) = arr_check::builtin_signature(text).filter(|_| !self.has(text)) {
            return Ok(Reply::Text(signature + "\n"));
        }
        if let Some(Item::Def(def)) = self.member(text) {
            return Ok(Reply::Text(arr_driver::signature(&def) + "\n"));
        }
        let expr = self.expression(text)?;
        let (program, _) = self.compile(text, &expr)?;
        let ty = arr_data::edge_text(program.func(), program.result_type());
        Ok(Reply::Text(ty + "\n"))
    }

    fn emit(&mut self, stage: &str, text: &str) -> Result<Reply, Failure> {
        let Some((_, stage)) = STAGES.iter().find(|(name, _)| *name == stage) else {
            let names: Vec<&str> = stages().collect();
            return Ok(Reply::Refused(format!("there is no stage `{stage}`; the stages are {}", names.join(" "))));
        };
        let expr = self.expression(text)?;
        if *stage == Stage::Ast {
            return Ok(Reply::Text(arr_syntax::print_expr(&expr) + "\n"));
        }
        let mut program = match self.function(text)? {
            Some(program) => program,
            None => self.compile(text, &expr)?.0,
        };
        let text = program.emit(*stage, &self.execution)?;
        Ok(Reply::Text(text.trim_end().to_string() + "\n"))
    }

    /// The program of a definition with parameters that is kept, or of its derivative: `f`, `grad(f)`.
    fn function(&mut self, text: &str) -> Result<Option<Program>, Failure> {
        let inner = text.strip_prefix("grad(").and_then(|rest| rest.strip_suffix(')'));
        let (name, derive) = match inner {
            Some(name) => (name.trim(), REVERSE),
            None => (text.trim(), Derive::Nothing),
        };
        let shadowed = self.kept.iter().any(|kept| kept.name == name);
        let is_kept = |item: &Item| matches!(item, Item::Def(def) if def.name.text == name && def.params.is_some());
        if shadowed || !self.items.iter().any(is_kept) {
            return Ok(None);
        }
        let checked = self.checked()?;
        self.session.definition(&checked, "the session", name, &derive).map(Some)
    }

    fn gradient(&mut self, name: &str) -> Result<Reply, Failure> {
        match self.function(&format!("grad({name})"))? {
            Some(mut program) => Ok(Reply::Text(program.to_source()?.trim_end().to_string() + "\n")),
            None => Ok(Reply::Refused(format!("`{name}` is no definition of this session"))),
        }
    }

    fn time(&mut self, text: &str) -> Result<Reply, Failure> {
        let expr = self.expression(text)?;
        let start = Instant::now();
        let (mut program, values) = self.compile(text, &expr)?;
        let bound = arr_data::bind(program.func(), &values).map_err(Failure::Diagnostics)?;
        let executable = program.executable(&self.execution)?;
        let compiled = start.elapsed();
        let start = Instant::now();
        let (results, _) = executable.run(&bound.sizes, &bound.leaves)?;
        let ran = start.elapsed();
        let value = arr_data::EdgeValue::from_leaves(program.result_type(), &results)
            .ok_or_else(|| Failure::Bug("the results do not have the type of the expression".to_string()))?;
        let milliseconds = |time: std::time::Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
        let times = format!("compiled in {}, ran in {}", milliseconds(compiled), milliseconds(ran));
        Ok(Reply::Text(format!("{}\n{times}\n", arr_data::to_literal(&value))))
    }

    /// Keeps the definitions of a file. Fails if the file cannot be read (E0701, E0702) or has faults of its own;
    /// nothing of it is then kept. Further errors: E0901 where a kept value that a definition uses is too large to be
    /// part of it.
    pub fn load(&mut self, path: &str) -> Result<Reply, Failure> {
        let file = self.session.load(path)?;
        let parsed = arr_syntax::parse_module(file, &self.session.text(file));
        if !parsed.diagnostics.is_empty() {
            return Err(parsed.diagnostics.into());
        }
        let items = parsed.module.items.into_iter().filter(|item| !matches!(item, Item::Test(_))).collect();
        self.keep_items(file, items)
    }
}
