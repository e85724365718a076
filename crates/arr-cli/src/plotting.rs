//! `arr plot`, and `arr run --plot`.

use crate::commands::{self, Result};
use crate::options::{LogAxes, Look, Plot};
use crate::output;
use arr_base::{Code, Diagnostic};
use arr_data::{ArgSource, EdgeValue, Format};
use arr_driver::Session;
use arr_plot::{Chart, Choice, Words};

/// The columns of a drawing where no terminal says how many it has.
const COLUMNS: usize = 80;

/// A drawing of a result that is wanted.
#[derive(Debug)]
pub struct Drawing<'a> {
    /// The program, and the definition whose doc comment names the axes.
    file: &'a str,
    entry: &'a str,
    to: Target<'a>,
    pub choice: Choice,
}

#[derive(Debug)]
enum Target<'a> {
    Terminal,
    Svg(&'a str),
    Png(&'a str),
    Unknown(&'a str),
}

/// Whether a file holds data, and not a program.
pub fn is_data(file: &str) -> bool {
    matches!(ArgSource::file(file), ArgSource::File { path, .. } if Format::of(&path).is_ok())
}

/// Draws the numbers of a data file. Fails as [`Session::numbers_of`] and [`Chart::of`] do, with E0705 where there are
/// arguments, and with E0707 where the drawing cannot be written.
pub fn draw_file(session: &mut Session, options: &Plot) -> Result<()> {
    if !options.args.is_empty() || options.get.is_some() {
        let title = format!("`{}` is no program, and takes neither arguments nor `--get`", options.file);
        return Err(Diagnostic::error(Code::ARGUMENT_MISSING, title).into());
    }
    let choice = choice(options.x.as_deref(), &options.y, &options.look);
    let drawing = Drawing::of(&options.file, "", options.output.as_deref().unwrap_or("-"), choice);
    drawing.check(session)?;
    let needed: Vec<&str> = options.x.iter().chain(&options.y).map(String::as_str).collect();
    let value = session.numbers_of(&options.file, &needed, &commands::driver_execution(&options.execution)?)?;
    let name = options.file.rsplit(['/', '\\']).next().unwrap_or(&options.file);
    drawing.draw_with(session, &value, &Words::of(name, &[]))
}

/// What the options say about a drawing.
pub fn choice(x: Option<&str>, y: &[String], look: &Look) -> Choice {
    Choice {
        x: x.map(str::to_string),
        y: y.to_vec(),
        bars: look.bars,
        log_x: matches!(look.log, Some(LogAxes::X | LogAxes::Xy)),
        log_y: matches!(look.log, Some(LogAxes::Y | LogAxes::Xy)),
    }
}

impl<'a> Drawing<'a> {
    pub fn of(file: &'a str, entry: &'a str, to: &'a str, choice: Choice) -> Drawing<'a> {
        let lower = to.to_ascii_lowercase();
        let target = match to {
            "-" => Target::Terminal,
            _ if lower.ends_with(".svg") => Target::Svg(to),
            _ if lower.ends_with(".png") => Target::Png(to),
            _ => Target::Unknown(to),
        };
        Drawing { file, entry, to: target, choice }
    }

    /// Checks, before there is a result, that it can be drawn to where it is to go. Errors: E0707 if it cannot.
    pub fn check(&self, session: &Session) -> Result<()> {
        let name = match self.to {
            Target::Terminal => return Ok(()),
            Target::Svg(name) | Target::Png(name) => return session.check_path(name),
            Target::Unknown(name) => name,
        };
        let title = format!("the result cannot be drawn to `{name}`");
        let hint = "a drawing goes to a file `.svg` or `.png`, or to the terminal, `-`";
        Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into())
    }

    /// Draws a value. Fails as [`Chart::of`] does, and with E0707 where the drawing cannot be written.
    pub fn draw(&self, session: &mut Session, value: &EdgeValue) -> Result<()> {
        let words = Words::of(self.entry, &session.doc(self.file, self.entry)?);
        self.draw_with(session, value, &words)
    }

    fn draw_with(&self, session: &Session, value: &EdgeValue, words: &Words) -> Result<()> {
        let chart = Chart::of(value, &self.choice, words)?;
        match self.to {
            Target::Svg(name) => session.write_text(name, &chart.svg()?),
            Target::Png(name) => session.write_bytes(name, &chart.png()?),
            Target::Terminal => {
                let terminal = terminal_size::terminal_size_of(std::io::stdout());
                let columns = terminal.map_or(COLUMNS, |(width, _)| usize::from(width.0));
                commands::print(&chart.text(columns, output::stdout_colors()))
            }
            Target::Unknown(_) => self.check(session),
        }
    }
}
