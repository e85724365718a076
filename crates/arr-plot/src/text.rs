//! A chart drawn with characters: lines and points of dots, eight to a character, and a matrix in shades.

use crate::axes::Axes;
use crate::figure::COLORS;
use crate::matrix::{Matrix, color};
use crate::scale::{Range, Tick};
use crate::series::is_finite;
use crate::wrap::wrapped;
use crate::{Body, Chart, Mark, Series};
use std::fmt::Write;

/// The rows of the drawing of lines.
const ROWS: usize = 18;
/// The most rows of a matrix.
const MATRIX_ROWS: usize = 32;
/// The most columns of the drawing, however wide the terminal is.
const MOST_COLUMNS: usize = 120;
const LEAST_COLUMNS: usize = 40;
/// The most lines of the title.
const TITLE_LINES: usize = 3;
/// Marks of several series where there are no colours.
const MARKS: [char; 8] = ['*', '+', 'o', 'x', '#', '@', '%', '='];
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// The first character of the block of patterns of eight dots.
const BRAILLE: u32 = 0x2800;

/// The lines of the drawing, within so many columns.
pub(crate) fn draw(chart: &Chart, columns: usize, colors: bool) -> String {
    let columns = columns.clamp(LEAST_COLUMNS, MOST_COLUMNS);
    let mut out = wrapped(&chart.title, columns, TITLE_LINES).join("\n") + "\n";
    match &chart.body {
        Body::Series(series) => {
            if !chart.y.is_empty() {
                let _ = writeln!(out, "{}", chart.y);
            }
            draw_series(&mut out, chart, series, columns, colors);
        }
        Body::Matrix(matrix) => draw_matrix(&mut out, matrix, columns, colors),
    }
    out
}

/// Characters, and the series that each belongs to.
struct Grid {
    columns: usize,
    cells: Vec<(u32, usize)>,
    /// Whether characters are marks of the series, and not dots.
    marks: bool,
}

impl Grid {
    /// Sets the dot at a place between 0 and 1 from the left and from the top.
    fn set(&mut self, x: f64, y: f64, series: usize) {
        let dot = |place: f64, count: usize| ((place * count as f64) as usize).min(count.saturating_sub(1));
        let (x, y) = (dot(x, 2 * self.columns), dot(y, 4 * ROWS));
        let Some(cell) = self.cells.get_mut(y / 4 * self.columns + x / 2) else { return };
        // The numbers of dots: 1 2 3 7 down the left, 4 5 6 8 down the right.
        let bits = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let bit = bits.get(y % 4).and_then(|row| row.get(x % 2)).copied().unwrap_or(0);
        *cell = (cell.0 | bit, series);
    }

    /// Sets the dots of a rectangle, by its upper left and its lower right corner.
    fn fill(&mut self, from: (f64, f64), to: (f64, f64), series: usize) {
        let steps = |from: f64, to: f64, dots: usize| {
            let count = ((to - from) * dots as f64).floor().max(0.0) as usize;
            (0..=count).map(move |step| (from + step as f64 / dots as f64).min(to))
        };
        for x in steps(from.0, to.0, 2 * self.columns) {
            for y in steps(from.1, to.1, 4 * ROWS) {
                self.set(x, y, series);
            }
        }
    }

    fn row(&self, row: usize, colors: bool) -> String {
        let mut line = String::new();
        for (dots, series) in self.cells.iter().skip(row * self.columns).take(self.columns) {
            let mark = MARKS.get(series % MARKS.len()).copied().unwrap_or('*');
            let shown = if self.marks { mark } else { char::from_u32(BRAILLE + dots).unwrap_or(mark) };
            match (dots, colors) {
                (0, _) => line.push(' '),
                (_, false) => line.push(shown),
                (_, true) => line.push_str(&painted(&shown.to_string(), *series)),
            }
        }
        line.trim_end().to_string()
    }
}

/// A text in the colour of a series.
fn painted(text: &str, series: usize) -> String {
    let (r, g, b) = match COLORS.get(series % COLORS.len()).copied().unwrap_or_default() {
        // Black is not seen on a dark terminal.
        (0, 0, 0) => (160, 160, 160),
        color => color,
    };
    format!("\x1b[38;2;{r};{g};{b}m{text}\x1b[0m")
}

fn draw_series(out: &mut String, chart: &Chart, series: &[Series], columns: usize, colors: bool) {
    let axes = Axes::of(chart, series);
    let (x, y) = (axes.x, axes.y);
    let ticks = axes.y_ticks(5);
    let margin = ticks.iter().map(|tick| tick.text.chars().count()).max().unwrap_or(1);
    let width = columns - margin.min(columns / 2) - 2;
    let mut grid = Grid { columns: width, cells: vec![(0, 0); width * ROWS], marks: series.len() > 1 && !colors };
    for (at, one) in series.iter().enumerate() {
        plot(&mut grid, one, at, &axes);
    }
    for row in 0..ROWS {
        let here = |tick: &&Tick| ((1.0 - y.place(tick.at)) * (ROWS - 1) as f64).round() as usize == row;
        let number = ticks.iter().find(here).map_or("", |tick| tick.text.as_str());
        let line = format!("{number:>margin$} │{}", grid.row(row, colors));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(out, "{:margin$} └{}", "", "─".repeat(width));
    let numbers = below(&axes.x_ticks(width / 12), x, width);
    let _ = writeln!(out, "{:margin$}  {numbers}", "");
    if !chart.x.is_empty() {
        let _ = writeln!(out, "{:margin$}  {:^width$}", "", chart.x).map(|()| trim_line(out));
    }
    if series.len() > 1 {
        let mark = |at: usize| if colors { '●' } else { MARKS.get(at % MARKS.len()).copied().unwrap_or('*') };
        let names: Vec<String> = series
            .iter()
            .enumerate()
            .map(|(at, one)| {
                let mark = mark(at).to_string();
                format!("{} {}", if colors { painted(&mark, at) } else { mark }, one.name)
            })
            .collect();
        let _ = writeln!(out, "{:margin$}  {}", "", names.join("   "));
    }
}

/// Removes spaces before the line end of the text.
fn trim_line(out: &mut String) {
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
}

/// The numbers below the horizontal axis, each centred on its place where there is room.
fn below(ticks: &[Tick], x: Range, width: usize) -> String {
    let mut line = String::new();
    for tick in ticks {
        let middle = (x.place(tick.at) * (width - 1) as f64).round() as usize;
        let start = middle.saturating_sub(tick.text.chars().count() / 2);
        let used = line.chars().count();
        if used == 0 || used < start {
            line.extend(std::iter::repeat_n(' ', start - used));
            line.push_str(&tick.text);
        }
    }
    line
}

fn plot(grid: &mut Grid, series: &Series, at: usize, axes: &Axes<'_>) {
    let (x, y) = (axes.x, axes.y);
    for (left, right, low, high) in uprights(series, at, axes) {
        grid.fill((x.place(left), 1.0 - y.place(high)), (x.place(right), 1.0 - y.place(low)), at);
    }
    let place = |(px, py): (f64, f64)| (x.place(px), 1.0 - y.place(py));
    for (point, next) in series.points.iter().zip(series.points.iter().skip(1).map(Some).chain([None])) {
        if !is_finite(point) {
            continue;
        }
        let from = place(*point);
        grid.set(from.0, from.1, at);
        let Some(next) = next.filter(|next| is_finite(next) && series.mark == Mark::Line) else { continue };
        let to = place(*next);
        // Twice as many steps as there are dots along the longer side: none is left out by rounding.
        let (across, down) =
            ((to.0 - from.0).abs() * 2.0 * grid.columns as f64, (to.1 - from.1).abs() * 4.0 * ROWS as f64);
        let steps = 2.0 * across.max(down).ceil();
        for step in 1..steps as usize {
            let t = step as f64 / steps;
            grid.set(from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t, at);
        }
    }
}

/// The left, right, lower and upper sides of bars, and of error bars.
fn uprights(series: &Series, at: usize, axes: &Axes<'_>) -> Vec<(f64, f64, f64, f64)> {
    let bars = axes.bars.as_ref().filter(|_| series.mark == Mark::Bars);

    let bar = |(x, y): &(f64, f64)| {
        let (left, right) = bars?.sides(at, *x);
        Some((left, right, axes.base().min(*y), axes.base().max(*y)))
    };
    let error = |((x, _), (low, high)): (&(f64, f64), &(f64, f64))| {
        let (left, right) = bars.map_or((*x, *x), |bars| bars.sides(at, *x));
        let middle = left + (right - left) / 2.0;
        (middle, middle, *low, *high)
    };
    let errors = series.points.iter().zip(&series.errors);
    let errors = errors.filter(|(point, (low, high))| is_finite(point) && !low.is_nan() && !high.is_nan()).map(error);
    series.points.iter().filter(|point| is_finite(point)).filter_map(bar).chain(errors).collect()
}

/// Two characters for a cell, so that it is about as wide as it is high.
fn draw_matrix(out: &mut String, matrix: &Matrix, columns: usize, colors: bool) {
    let shown = matrix.reduced(MATRIX_ROWS.min(columns / 2));
    for row in shown.cells.chunks(shown.across.max(1)) {
        let mut line = String::new();
        for cell in row {
            let place = shown.range.place(*cell);
            let shade = SHADES.get((place * SHADES.len() as f64) as usize).or(SHADES.last()).copied().unwrap_or(' ');
            match (cell.is_finite(), colors) {
                (false, _) => line.push_str("··"),
                (true, false) => line.extend([shade, shade]),
                (true, true) => {
                    let (r, g, b) = color(place);
                    let _ = write!(line, "\x1b[38;2;{r};{g};{b}m██\x1b[0m");
                }
            }
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let number = |at: f64| crate::scale::text(at, (shown.range.high - shown.range.low) / 100.0);
    let _ = writeln!(
        out,
        "{} x {}, from {} to {}",
        matrix.rows,
        matrix.columns,
        number(shown.range.low),
        number(shown.range.high)
    );
}
