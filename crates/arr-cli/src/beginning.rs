//! `arr new`: a program to begin with.

use crate::commands::{Result, print};
use crate::options::New;
use arr_base::{Code, Diagnostic};
use arr_driver::Session;
use std::path::Path;

/// The program that a new directory holds.
const PROGRAM: &str = "\
--| The mean squared distance of the line `a * x + b` from points.
--| > loss({ a = 2.0, b = 1.0 }, [0.0, 1.0], [1.0, 3.0])
--| 0.0
def loss(line: Line, x: [n]f64, y: [n]f64) -> f64 =
  let off = line.a * x + line.b - y
  in mean(off * off)

type Line = { a: f64, b: f64 }

--| The line after `steps` steps of gradient descent.
def fit(x: [n]f64, y: [n]f64, steps: i64) -> Line =
  loop line = { a = 0.0, b = 0.0 } for step < steps do
    let g = grad(\\l => loss(l, x, y))(line)
    in { a = line.a - 0.1 * g.a, b = line.b - 0.1 * g.b }

def main(x: [n]f64, y: [n]f64) -> Line = fit(x, y, 1000)

test \"a line through points that lie on one\" within 1e-6 =
  let line = main([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])
  in (line.a == 2.0, line.b == 1.0)
test \"the derivative of the loss\" gradient (a: f64, b: f64) =
  loss({ a = a, b = b }, [0.0, 1.0], [1.0, 3.0])
";

/// Makes the directory. Errors: E0707 where there is something of its name already, or nothing can be written.
pub fn run(session: &mut Session, options: &New) -> Result<()> {
    let directory = options.directory.trim_end_matches('/');
    if Path::new(directory).symlink_metadata().is_ok() {
        let title = format!("`{directory}` is there already");
        return Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint("give the name of a new directory").into());
    }
    let stem = Path::new(directory).file_name().map_or("main".into(), |name| name.to_string_lossy());
    let file = format!("{directory}/{stem}.arr");
    session.write_new(&file, PROGRAM)?;
    print(&format!(
        "{file}\n\nto go on:\n  arr test {file}\n  arr run {file} '[0.0, 1.0, 2.0]' '[1.0, 3.0, 5.0]'\n  arr grad {file} --entry loss\n"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use arr_driver::MemoryWorld;

    #[test]
    fn the_program_is_right_and_laid_out() {
        let world = MemoryWorld::new([("main.arr", PROGRAM.as_bytes())]);
        let mut session = Session::new(world);
        assert_eq!(session.check("main.arr").unwrap(), Vec::new());
        let (before, after) = session.formatted("main.arr").unwrap();
        assert_eq!(*before, *after);
    }
}
