//! `arr repl` at a terminal: prompts, inputs of several lines, Ctrl-C, completion, history, Ctrl-D; and Ctrl-C while
//! `arr run` runs.

use arr_tests::trial::Trial;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    if cfg!(unix) {
        trials.push(Trial::test("session", || Ok(unix::session().map_err(|error| error.to_string())?)));
        trials.push(Trial::test("run", || Ok(unix::interrupted_run().map_err(|error| error.to_string())?)));
    }
    trials
}

#[cfg(unix)]
mod unix {
    use arr_tests::{arr, files};
    use rexpect::process::{Signal, WaitStatus};
    use rexpect::session::{PtySession, spawn_command};
    use signal_hook::consts::SIGINT;
    use std::error::Error;
    use std::process::Command;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn start(home: &std::path::Path) -> Result<PtySession, Box<dyn Error>> {
        let mut command = Command::new(arr::binary()?);
        command.arg("repl").current_dir(home).env("HOME", home).env("XDG_DATA_HOME", home.join("data"));
        command.env("NO_COLOR", "1").env("TERM", "xterm");
        let mut session = spawn_command(command, Some(60_000))?;
        session.exp_string("> ")?;
        Ok(session)
    }

    /// A process whose parent ignores Ctrl-C ignores it, too, as `arr` does; one whose parent handles it does not. Tests
    /// that run in the background may have been told to ignore it.
    fn let_children_see_ctrl_c() -> std::io::Result<()> {
        let ends = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, ends).map(drop)
    }

    /// A program that Ctrl-C stops says where it was, and ends by the signal.
    pub fn interrupted_run() -> Result<(), Box<dyn Error>> {
        let_children_see_ctrl_c()?;
        let directory = files::scratch()?;
        let program = "def main() -> i64 =\n  loop i = trace(\"i\", 0) while i >= 0 do (i + 1) % 1000\n";
        files::write(&directory.path().join("endless.arr"), program)?;
        for backend in ["cpu", "interp"] {
            let mut command = Command::new(arr::binary()?);
            command.args(["run", "endless.arr", "--backend", backend]).current_dir(directory.path());
            command.env("NO_COLOR", "1").env("TERM", "xterm");
            let mut run = spawn_command(command, Some(60_000))?;
            run.exp_string("i: 0")?;
            std::thread::sleep(std::time::Duration::from_millis(500));
            run.send_control('c')?;
            run.exp_string("E0609")?;
            run.exp_string("endless.arr:2:")?;
            run.exp_eof()?;
            let status = run.process().wait()?;
            if !matches!(status, WaitStatus::Signaled(_, Signal::SIGINT, _)) {
                return Err(format!("with {backend} it ended with {status:?}").into());
            }
        }
        Ok(())
    }

    pub fn session() -> Result<(), Box<dyn Error>> {
        let_children_see_ctrl_c()?;
        let directory = files::scratch()?;
        let mut first = start(directory.path())?;
        first.send_line("let height = 20.0")?;
        first.exp_string("> ")?;
        // Tab completes the name.
        first.send("heig\t + 1.5\r")?;
        first.flush()?;
        first.exp_string("21.5")?;
        // A bracket is open, so the input continues.
        first.send("[1,\r")?;
        first.send("2] + 40\r")?;
        first.flush()?;
        first.exp_string("[41, 42]")?;
        // Ctrl-C discards the line, not the session.
        first.send("(((((")?;
        first.flush()?;
        first.exp_string("(((((")?;
        first.send_control('c')?;
        first.exp_string("> ")?;
        first.send_line("nothing")?;
        first.exp_string("E0201")?;
        first.exp_string("> ")?;
        // During an evaluation it stops that, and what was kept is there.
        first.send_line("loop i = 0 while i >= 0 do (i + 1) % 1000")?;
        first.exp_string("% 1000")?;
        std::thread::sleep(std::time::Duration::from_secs(2));
        first.send_control('c')?;
        first.exp_string("E0609")?;
        first.exp_string("> ")?;
        first.send_line("height * 2.0")?;
        first.exp_string("40.0")?;
        first.exp_string("> ")?;
        // Tab completes what an imported module defines.
        first.send_line("import linalg")?;
        first.exp_string("> ")?;
        first.send("linalg.fro\t([[3.0, 4.0]])\r")?;
        first.flush()?;
        first.exp_string("5.0")?;
        // Long arrays are shown in short.
        first.send_line("iota(1000)")?;
        first.exp_string("[0, 1, 2, .., 997, 998, 999]")?;
        first.exp_string("> ")?;
        first.send_line("6 * 1000 + 543")?;
        first.exp_string("6543")?;
        first.exp_string("> ")?;
        first.send_control('d')?;
        first.exp_eof()?;
        // The inputs are available in the next session: the previous line, then once more.
        let mut second = start(directory.path())?;
        second.send("\u{1b}[A + 1\r")?;
        second.flush()?;
        second.exp_string("6544")?;
        second.exp_string("> ")?;
        second.send_line(":quit")?;
        second.exp_eof()?;
        Ok(())
    }
}
