//! `arr plot`, and `arr run --plot`.

use crate::commands::{self, Result};
use crate::output;
use arr_base::{Code, Diagnostic};
use arr_data::EdgeValue;
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
    choice: Choice,
}

#[derive(Debug)]
enum Target<'a> {
    Terminal,
    Svg(&'a str),
    Png(&'a str),
    Unknown(&'a str),
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
    pub fn check(&self) -> Result<()> {
        let Target::Unknown(name) = self.to else { return Ok(()) };
        let title = format!("the result cannot be drawn to `{name}`");
        let hint = "a drawing goes to a file `.svg` or `.png`, or to the terminal, `-`";
        Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into())
    }

    /// Draws a value. Fails as [`Chart::of`] does, and with E0707 where the drawing cannot be written.
    pub fn draw(&self, session: &mut Session, value: &EdgeValue) -> Result<()> {
        let words = Words::of(self.entry, &session.doc(self.file, self.entry)?);
        let chart = Chart::of(value, &self.choice, &words)?;
        match self.to {
            Target::Svg(name) => session.write_text(name, &chart.svg()?),
            Target::Png(name) => session.write_bytes(name, &chart.png()?),
            Target::Terminal => {
                let terminal = terminal_size::terminal_size_of(std::io::stdout());
                let columns = terminal.map_or(COLUMNS, |(width, _)| usize::from(width.0));
                commands::print(&chart.text(columns, output::stdout_colors()))
            }
            Target::Unknown(_) => self.check(),
        }
    }
}
