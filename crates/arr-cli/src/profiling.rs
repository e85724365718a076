//! `arr run --profile`: where the time of a run goes, as tables, as a picture, or for speedscope.

use crate::commands::Result;
use crate::output;
use crate::timing::duration;
use arr_base::{Code, Diagnostic};
use arr_driver::{Profile, SectionTime, Session, SourceLine};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The greatest numbers of rows.
const LINES: usize = 40;
const KERNELS: usize = 20;
/// The greatest number of other lines that are named.
const OTHERS: usize = 6;
/// The greatest number of letters of a line that are shown.
const LETTERS: usize = 64;

/// Checks that the profile can be written to a file of this name. Fails with E0707 if its ending says nothing, or there
/// can be no such file.
pub fn check(session: &Session, file: &str) -> Result<()> {
    if is_svg(file) || file.to_ascii_lowercase().ends_with(".json") {
        return session.check_path(file);
    }
    let title = format!("`{file}` is no file for a profile");
    let hint = "`.svg` is a picture, `.json` a profile for https://www.speedscope.app";
    Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into())
}

/// Writes a profile: into a file if there is one, else as tables to standard error. Fails with E0707 if the file cannot
/// be written.
pub fn write(session: &Session, entry: &str, profile: &Profile, file: Option<&str>) -> Result<()> {
    match file {
        None => {
            output::to_stderr(&text(entry, profile));
            Ok(())
        }
        Some(file) if is_svg(file) => session.write_text(file, &svg(entry, profile)),
        Some(file) => session.write_text(file, &(speedscope(entry, profile).to_string() + "\n")),
    }
}

fn is_svg(file: &str) -> bool {
    file.to_ascii_lowercase().ends_with(".svg")
}

/// The time of a line, of the value and of derivatives.
#[derive(Clone, Copy, Default)]
struct Times {
    value: Duration,
    derivative: Duration,
}

impl Times {
    fn all(self) -> Duration {
        self.value + self.derivative
    }
}

/// The times by line, the longest first. What is computed together counts for its own line.
fn by_line(profile: &Profile) -> Vec<(Option<&SourceLine>, Times)> {
    let mut lines: BTreeMap<Option<&SourceLine>, Times> = BTreeMap::new();
    for section in &profile.sections {
        let times = lines.entry(section.lines.first()).or_default();
        match section.derivative {
            true => times.derivative += section.time,
            false => times.value += section.time,
        }
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|(_, times)| std::cmp::Reverse(times.all()));
    lines
}

fn place(line: Option<&SourceLine>) -> String {
    line.map_or("-".to_string(), SourceLine::place)
}

fn share(part: Duration, profile: &Profile) -> String {
    format!("{:.0} %", 100.0 * part.as_secs_f64() / profile.time.as_secs_f64().max(1e-12))
}

/// Whether it takes a thousandth of the time.
fn counts(time: Duration, profile: &Profile) -> bool {
    time.as_secs_f64() >= 1e-3 * profile.time.as_secs_f64()
}

fn shown(time: Duration) -> String {
    if time.is_zero() { String::new() } else { duration(time) }
}

fn text(entry: &str, profile: &Profile) -> String {
    let runs = if profile.runs == 1 { "one run".to_string() } else { format!("mean of {} runs", profile.runs) };
    let mut out = format!("`{entry}` takes {} ({runs})\n\n", duration(profile.time));
    let mut rows = vec![["line", "value", "derivative", "share", ""].map(str::to_string)];
    for (line, times) in by_line(profile).into_iter().take(LINES).filter(|(_, times)| counts(times.all(), profile)) {
        let text = line.map_or("", |line| &line.text);
        rows.push([
            place(line),
            shown(times.value),
            shown(times.derivative),
            share(times.all(), profile),
            text.chars().take(LETTERS).collect(),
        ]);
    }
    let rest = "numbers, memory, arguments and results".to_string();
    rows.push(["-".to_string(), shown(profile.elsewhere), String::new(), share(profile.elsewhere, profile), rest]);
    out.push_str(&table(&rows));
    let kernels: Vec<&SectionTime> =
        profile.sections.iter().filter(|s| counts(s.time, profile)).take(KERNELS).collect();
    if kernels.is_empty() {
        return out;
    }
    let mut rows = vec![["line", "time", "share", "makes", ""].map(str::to_string)];
    for section in kernels {
        let others: Vec<String> = section.lines.iter().skip(1).map(|line| place(Some(line))).collect();
        let with = match others.as_slice() {
            [] => String::new(),
            [one] => format!("with line {one}"),
            several if several.len() > OTHERS => {
                let (first, rest) = several.split_at(OTHERS);
                format!("with lines {} and {} more", first.join(", "), rest.len())
            }
            several => format!("with lines {}", several.join(", ")),
        };
        rows.push([
            place(section.lines.first()),
            duration(section.time),
            share(section.time, profile),
            section.name.clone(),
            with,
        ]);
    }
    out.push('\n');
    out.push_str(&table(&rows));
    out
}

/// Columns: numbers to the right, the last two to the left.
fn table(rows: &[[String; 5]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = match at {
                0..3 => write!(line, "{cell:>width$}  "),
                _ => write!(line, "{cell:width$}  "),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The profile in the format of <https://www.speedscope.app/file-format-schema.json>, in seconds.
fn speedscope(entry: &str, profile: &Profile) -> Value {
    let mut frames = vec![json!({ "name": entry })];
    let mut frame = |name: String, line: Option<&SourceLine>| {
        let new = match line {
            Some(line) => json!({ "name": name, "file": line.file, "line": line.number }),
            None => json!({ "name": name }),
        };
        frames.iter().position(|old| *old == new).unwrap_or_else(|| {
            frames.push(new);
            frames.len() - 1
        })
    };
    let (mut samples, mut weights) = (Vec::new(), Vec::new());
    for section in &profile.sections {
        let part = frame(if section.derivative { "derivative" } else { "value" }.to_string(), None);
        let own = section.lines.first();
        let line = frame(own.map_or("-".to_string(), |line| line.text.clone()), own);
        let kernel = frame(section.name.clone(), own);
        samples.push(json!([0, part, line, kernel]));
        weights.push(section.time.as_secs_f64());
    }
    samples.push(json!([0]));
    weights.push(profile.elsewhere.as_secs_f64());
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "arr",
        "name": entry,
        "shared": { "frames": frames },
        "profiles": [{
            "type": "sampled",
            "name": entry,
            "unit": "seconds",
            "startValue": 0.0,
            "endValue": weights.iter().sum::<f64>(),
            "samples": samples,
            "weights": weights,
        }],
    })
}

/// A picture that needs nothing else: the lines in the order of the program, each with its text and a bar.
fn svg(entry: &str, profile: &Profile) -> String {
    const ROW: usize = 20;
    const TEXT: usize = 560;
    const BAR: f64 = 320.0;
    // A letter is 7.3 wide.
    const PICTURE_LETTERS: usize = (TEXT - 20) * 10 / 73;
    let mut lines = by_line(profile);
    lines.truncate(LINES);
    lines.retain(|(_, times)| counts(times.all(), profile));
    lines.sort_by_key(|(line, _)| (line.is_none(), line.is_some_and(|line| !line.own), *line));
    lines.push((None, Times { value: profile.elsewhere, derivative: Duration::ZERO }));
    let longest = lines.iter().map(|(_, times)| times.all().as_secs_f64()).fold(1e-12, f64::max);
    let (width, height) = (TEXT + BAR as usize + 150, ROW * (lines.len() + 3));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut say = |x: f64, y: usize, color: &str, text: &str| {
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y}\" fill=\"{color}\" xml:space=\"preserve\">{}</text>",
            escaped(text)
        );
    };
    say(10.0, ROW, "black", &format!("{entry}: {}", duration(profile.time)));
    say(TEXT as f64, ROW, VALUE, "value");
    say(TEXT as f64 + 60.0, ROW, DERIVATIVE, "derivative");
    let mut bars = String::new();
    for (at, (line, times)) in lines.iter().enumerate() {
        let y = ROW * (at + 2) + ROW / 2;
        let text = match line {
            Some(line) => format!("{:>5}  {}", place(Some(line)), line.text),
            None => "    -  numbers, memory, arguments and results".to_string(),
        };
        let text: String = text.chars().take(PICTURE_LETTERS).collect();
        say(10.0, y, "black", &text);
        let mut x = TEXT as f64;
        for (time, color) in [(times.value, VALUE), (times.derivative, DERIVATIVE)] {
            let long = BAR * time.as_secs_f64() / longest;
            let top = y - ROW / 2 - 2;
            let _ = writeln!(
                bars,
                "<rect x=\"{x:.1}\" y=\"{top}\" width=\"{long:.1}\" height=\"{}\" fill=\"{color}\"/>",
                ROW - 6
            );
            x += long;
        }
        say(x + 6.0, y, "black", &format!("{} {}", duration(times.all()), share(times.all(), profile)));
    }
    out + &bars + "</svg>\n"
}

const VALUE: &str = "#2b6cb0";
const DERIVATIVE: &str = "#c05621";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(file: &str, number: usize, text: &str) -> SourceLine {
        SourceLine { file: file.to_string(), own: !file.starts_with('<'), number, text: text.to_string() }
    }

    /// Three kernels of two lines and of a file of the standard library, and a line of no place.
    fn profile() -> Profile {
        let (first, second) = (line("m.arr", 3, "let y = a < b & c"), line("m.arr", 12, "in sum(y)"));
        let section = |name: &str, lines: &[&SourceLine], derivative, millis| SectionTime {
            name: name.to_string(),
            lines: lines.iter().map(|&line| line.clone()).collect(),
            derivative,
            time: Duration::from_millis(millis),
        };
        let library = line("<std>/linalg.arr", 7, "def dot");
        Profile {
            runs: 4,
            time: Duration::from_millis(100),
            sections: vec![
                section("y", &[&first, &second], false, 50),
                section("d_y", &[&first], true, 25),
                section("s", &[&library], false, 15),
                section("t", &[], false, 6),
            ],
            elsewhere: Duration::from_millis(4),
        }
    }

    #[test]
    fn tables() {
        let expected = "\
`f` takes 100 ms (mean of 4 runs)

              line    value  derivative  share
                 3  50.0 ms     25.0 ms  75 %   let y = a < b & c
<std>/linalg.arr:7  15.0 ms              15 %   def dot
                 -  6.00 ms              6 %
                 -  4.00 ms              4 %    numbers, memory, arguments and results

              line     time  share  makes
                 3  50.0 ms   50 %  y      with line 12
                 3  25.0 ms   25 %  d_y
<std>/linalg.arr:7  15.0 ms   15 %  s
                 -  6.00 ms    6 %  t
";
        assert_eq!(text("f", &profile()), expected);
    }

    #[test]
    fn the_weights_of_a_speedscope_profile_are_the_time() {
        let value = speedscope("f", &profile());
        let list = |key: &str| value["profiles"][0][key].as_array().cloned().unwrap_or_default();
        let weights: f64 = list("weights").iter().filter_map(Value::as_f64).sum();
        assert!((weights - 0.1).abs() < 1e-12);
        assert_eq!(list("samples").len(), list("weights").len());
        let frames = value["shared"]["frames"].as_array().map_or(0, Vec::len) as u64;
        let known = |sample: &Value| sample.as_array().is_some_and(|s| s.iter().all(|f| f.as_u64() < Some(frames)));
        assert!(list("samples").iter().all(known));
    }

    #[test]
    fn pictures_hold_the_lines_in_order_and_escape_their_text() {
        let picture = svg("f", &profile());
        let places: Vec<Option<usize>> =
            ["    3  let y = a &lt; b &amp; c", "linalg.arr:7", "numbers"].map(|text| picture.find(text)).to_vec();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{picture}");
        assert_eq!(picture.matches("<rect").count(), 1 + 2 * 4);
    }

    #[test]
    fn other_files_are_refused() {
        let session = Session::new(arr_driver::MemoryWorld::new([]));
        let check = |file| check(&session, file);
        assert!(check("p.svg").is_ok() && check("P.JSON").is_ok() && check("p.txt").is_err());
    }
}
