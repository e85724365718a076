//! `arr repl`: the session at a terminal, or fed from a file or pipe.

use crate::commands::{self, Result};
use crate::options::Repl as Options;
use crate::{bug, output};
use arr_driver::{Failure, OsWorld, Session};
use arr_repl::{Repl, Reply, Vocabulary, incomplete};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;

#[cfg(unix)]
use crate::signals::stoppable;

/// Without signals nothing stops an evaluation.
#[cfg(not(unix))]
fn stoppable<T>(evaluate: impl FnOnce() -> T) -> T {
    evaluate()
}

const PROMPT: &str = "> ";
/// The number of history lines that are kept.
const HISTORY: usize = 10_000;

/// Runs a session to its end. No input makes it fail; only options and the file can.
pub fn run(options: &Options) -> ExitCode {
    match start(options) {
        Ok(mut terminal) => {
            terminal.converse();
            ExitCode::SUCCESS
        }
        Err(failure) => {
            show(&failure, &arr_base::SourceMap::new(), options.execution.json);
            ExitCode::FAILURE
        }
    }
}

fn start(options: &Options) -> Result<Terminal> {
    let execution = commands::listened_to(&options.execution, options.tracing)?;
    let repl = Repl::new(Session::new(OsWorld), execution);
    #[cfg(unix)]
    let repl = repl.stopped_by(&crate::signals::STOP);
    let mut terminal = Terminal { repl, json: options.execution.json, full: options.full, open: true };
    if let Some(file) = &options.file {
        let loaded = terminal.repl.load(file);
        terminal.answer(loaded);
    }
    Ok(terminal)
}

fn show(failure: &Failure, sources: &arr_base::SourceMap, as_json: bool) {
    match failure {
        Failure::Diagnostics(list) => commands::report(list, sources, as_json),
        Failure::Bug(what) => bug::report(what),
    }
}

/// The longest line read without a terminal.
const LONGEST_LINE: u64 = 1 << 24;

struct Terminal {
    repl: Repl,
    json: bool,
    /// Whether long arrays are printed whole.
    full: bool,
    /// Whether the session continues.
    open: bool,
}

impl Terminal {
    fn converse(&mut self) {
        let edited = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        match editor().filter(|_| edited) {
            Some(editor) => self.edited(editor),
            None => self.piped(),
        }
    }

    /// Takes an input and shows its result. A fault of the compiler ends the input, not the session.
    fn take(&mut self, text: &str) {
        let repl = &mut self.repl;
        if let Ok(reply) = stoppable(|| arr_driver::with_stack(|| repl.enter(text))) {
            self.answer(reply);
        }
    }

    fn answer(&mut self, reply: std::result::Result<Reply, Failure>) {
        let shown = match reply {
            Ok(Reply::Nothing) => Ok(()),
            Ok(Reply::Value(value)) => commands::print(&commands::value_text(&value, self.json, self.full)),
            Ok(Reply::Text(text)) => commands::print(&text),
            Ok(Reply::Kept(broken)) => {
                output::to_stderr("this is kept, and what uses it no longer fits:\n");
                commands::report(&broken, self.repl.sources(), self.json);
                Ok(())
            }
            Ok(Reply::Refused(what)) => {
                output::to_stderr(&format!("{what}\n"));
                Ok(())
            }
            Ok(Reply::Quit) => {
                self.open = false;
                Ok(())
            }
            Err(failure) => {
                show(&failure, self.repl.sources(), self.json);
                Ok(())
            }
        };
        // Where nothing can be printed there is nothing more to do.
        self.open &= shown.is_ok();
    }

    /// Lines from a file or a pipe, without prompts.
    fn piped(&mut self) {
        let mut text = String::new();
        let mut input = std::io::stdin().lock();
        while self.open {
            let mut line = Vec::new();
            let end = !matches!(input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(n) if n > 0);
            if line.len() as u64 == LONGEST_LINE {
                output::to_stderr("an input of so many characters without a new line is not read\n");
                return;
            }
            let line = String::from_utf8_lossy(&line);
            if !end && !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line.trim_end_matches(['\n', '\r']));
            if end || !incomplete(&text) {
                self.take(&std::mem::take(&mut text));
            }
            if end {
                return;
            }
        }
    }

    fn edited(&mut self, mut editor: Editor<Assistant, DefaultHistory>) {
        let history = history_file();
        if let Some(file) = &history {
            // A missing history does no harm to the session.
            let _ = editor.load_history(file);
        }
        while self.open {
            if let Some(assistant) = editor.helper_mut() {
                assistant.vocabulary = self.repl.vocabulary();
            }
            match editor.readline(PROMPT) {
                Ok(text) => {
                    if !text.trim().is_empty() {
                        let _ = editor.add_history_entry(text.as_str());
                    }
                    self.take(&text);
                }
                // Ctrl-C discards the line.
                Err(ReadlineError::Interrupted) => {}
                Err(_) => break,
            }
        }
        if let Some(file) = &history {
            let _ = file.parent().map(std::fs::create_dir_all);
            let _ = editor.save_history(file);
        }
    }
}

fn editor() -> Option<Editor<Assistant, DefaultHistory>> {
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(HISTORY).ok()?.build();
    let mut editor = Editor::with_config(config).ok()?;
    editor.set_helper(Some(Assistant::default()));
    Some(editor)
}

/// The path of the history, in the user's directory for data.
fn history_file() -> Option<PathBuf> {
    Some(dirs::data_dir()?.join("arr").join("history"))
}

/// Completion, and the decision whether an input continues.
#[derive(Default)]
struct Assistant {
    vocabulary: Vocabulary,
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.vocabulary.complete(line, cursor))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(if incomplete(context.input()) { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Highlighter for Assistant {}

impl Hinter for Assistant {
    type Hint = String;
}

impl Helper for Assistant {}
