//! A chart drawn by plotters, as SVG or as pixels.
//!
//! Everything is placed by hand, in units of a pixel of the finished picture: the drawing is the same on every back end,
//! and ends for all numbers.

use crate::matrix::{Matrix, color};
use crate::raster::Raster;
use crate::scale::{Range, Tick};
use crate::{Body, Chart, Mark, Series};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::PathElement;
use plotters::prelude::{Circle, Color, DrawingArea, IntoDrawingArea, IntoFont, RGBColor, Rectangle, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, FontTransform, WHITE};
use plotters_backend::DrawingBackend;
use std::collections::BTreeSet;

const WIDTH: i32 = 720;
const HEIGHT: i32 = 440;
const FONT: i32 = 12;
const TITLE: i32 = 16;
/// The width of a character, roughly.
const LETTER: i32 = 7;
/// Fractions of a pixel in SVG, whose coordinates plotters rounds.
const SVG_SCALE: i32 = 4;
const PNG_SCALE: i32 = 2;
/// The most rows and columns of a matrix in SVG, where each cell is text.
const SVG_CELLS: usize = 128;
const LEGEND_LETTERS: usize = 24;
const LEGEND_ROWS: usize = 20;
const GREY: RGBColor = RGBColor(224, 224, 224);
const DARK: RGBColor = RGBColor(96, 96, 96);
/// The colours of series, which people who do not see some colours can tell apart (Okabe and Ito).
pub(crate) const COLORS: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (0, 0, 0),
    (240, 228, 66),
];

type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

pub(crate) fn svg(chart: &Chart) -> Result<String, String> {
    let mut text = String::new();
    let size = [WIDTH, HEIGHT].map(|n| (n * SVG_SCALE) as u32);
    let root = SVGBackend::with_string(&mut text, size.into()).into_drawing_area();
    let reduced = match &chart.body {
        Body::Matrix(matrix) => Chart { body: Body::Matrix(matrix.reduced(SVG_CELLS)), ..chart.clone() },
        Body::Series(_) => chart.clone(),
    };
    draw(&root, &reduced, SVG_SCALE).and_then(|()| root.present()).map_err(|error| error.to_string())?;
    drop(root);
    let scaled = format!("<svg width=\"{}\" height=\"{}\"", size[0], size[1]);
    // Cells that touch each other show no line between them.
    let crisp = if matches!(chart.body, Body::Matrix(_)) { " shape-rendering=\"crispEdges\"" } else { "" };
    let own = format!("<svg width=\"{WIDTH}\" height=\"{HEIGHT}\"{crisp}");
    Ok(text.replacen(&scaled, &own, 1))
}

pub(crate) fn png(chart: &Chart) -> Result<Vec<u8>, String> {
    let mut raster = Raster::new((WIDTH * PNG_SCALE) as u32, (HEIGHT * PNG_SCALE) as u32);
    {
        let root = (&mut raster).into_drawing_area();
        draw(&root, chart, PNG_SCALE).and_then(|()| root.present()).map_err(|error| error.to_string())?;
    }
    raster.encode()
}

fn draw<DB: DrawingBackend>(root: &DrawingArea<DB, Shift>, chart: &Chart, scale: i32) -> Drawn<DB> {
    root.fill(&WHITE)?;
    let pen = Pen { root, scale };
    pen.text(&chart.title, (WIDTH / 2, 20), TITLE, Pos::new(HPos::Center, VPos::Center))?;
    match &chart.body {
        Body::Series(series) => draw_series(&pen, chart, series),
        Body::Matrix(matrix) => draw_matrix(&pen, chart, matrix),
    }
}

/// Draws in units of a pixel.
struct Pen<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
    scale: i32,
}

impl<DB: DrawingBackend> Pen<'_, DB> {
    fn scaled(&self, (x, y): (i32, i32)) -> (i32, i32) {
        (x * self.scale, y * self.scale)
    }

    fn text(&self, text: &str, at: (i32, i32), size: i32, anchor: Pos) -> Drawn<DB> {
        let style = ("sans-serif", size * self.scale).into_font().color(&BLACK).pos(anchor);
        self.root.draw(&Text::new(text, self.scaled(at), style))
    }

    fn text_upwards(&self, text: &str, at: (i32, i32)) -> Drawn<DB> {
        let font = ("sans-serif", FONT * self.scale).into_font().transform(FontTransform::Rotate270);
        let style = font.color(&BLACK).pos(Pos::new(HPos::Center, VPos::Center));
        self.root.draw(&Text::new(text, self.scaled(at), style))
    }

    fn line(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Drawn<DB> {
        let style = color.stroke_width((self.scale as u32 / 2).max(1));
        self.root.draw(&PathElement::new(vec![self.scaled(from), self.scaled(to)], style))
    }
}

/// The rectangle of a plot in pixels, and what its axes say.
struct Frame {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    /// Where the name of the vertical axis stands.
    name: i32,
    x: Range,
    y: Range,
    /// Whether the vertical axis runs downwards.
    down: bool,
}

impl Frame {
    /// A frame beside ticks and names, with so much room at its right.
    fn new(chart: &Chart, x: Range, y: Range, down: bool, y_ticks: &[Tick], right: i32) -> Frame {
        let widest = y_ticks.iter().map(|tick| tick.text.chars().count()).max().unwrap_or(1) as i32;
        let name = if chart.y.is_empty() { 0 } else { 22 };
        let below = if chart.x.is_empty() { 0 } else { 20 };
        let left = 16 + name + widest * LETTER + 8;
        Frame { left, right: WIDTH - 24 - right, top: 44, bottom: HEIGHT - 32 - below, name: 18, x, y, down }
    }

    /// The place of a point, in pixels of the drawing with this scale.
    fn at(&self, scale: i32, x: f64, y: f64) -> (i32, i32) {
        let along = |from: i32, to: i32, place: f64| {
            let (from, to) = (f64::from(from * scale), f64::from(to * scale));
            (from + (to - from) * place).round() as i32
        };
        let y = self.y.place(y);
        let y = if self.down { y } else { 1.0 - y };
        (along(self.left, self.right, self.x.place(x)), along(self.top, self.bottom, y))
    }

    fn axes<DB: DrawingBackend>(
        &self,
        pen: &Pen<'_, DB>,
        chart: &Chart,
        x_ticks: &[Tick],
        y_ticks: &[Tick],
        mesh: bool,
    ) -> Drawn<DB> {
        for tick in x_ticks {
            let (x, _) = self.at(1, tick.at, self.y.low);
            if mesh {
                pen.line((x, self.top), (x, self.bottom), GREY)?;
            }
            pen.line((x, self.bottom), (x, self.bottom + 4), DARK)?;
            pen.text(&tick.text, (x, self.bottom + 14), FONT, Pos::new(HPos::Center, VPos::Center))?;
        }
        for tick in y_ticks {
            let (_, y) = self.at(1, self.x.low, tick.at);
            if mesh {
                pen.line((self.left, y), (self.right, y), GREY)?;
            }
            pen.line((self.left - 4, y), (self.left, y), DARK)?;
            pen.text(&tick.text, (self.left - 8, y), FONT, Pos::new(HPos::Right, VPos::Center))?;
        }
        let corners = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        pen.line(corners[0], corners[1], DARK)?;
        pen.line(corners[1], corners[2], DARK)?;
        let middle = ((self.left + self.right) / 2, (self.top + self.bottom) / 2);
        pen.text(&chart.x, (middle.0, self.bottom + 36), FONT, Pos::new(HPos::Center, VPos::Center))?;
        if chart.y.is_empty() { Ok(()) } else { pen.text_upwards(&chart.y, (self.name, middle.1)) }
    }
}

/// The ranges of the axes of several series, and whether the horizontal axis is that of an index.
pub(crate) fn ranges(series: &[Series]) -> (Range, Range) {
    let finite = || series.iter().flat_map(|s| &s.points).filter(|(x, y)| x.is_finite() && y.is_finite());
    let points = series.iter().any(|series| series.mark == Mark::Points);
    let x = Range::of(finite().map(|(x, _)| *x));
    let y = Range::of(finite().map(|(_, y)| *y)).widened(0.05);
    (if points { x.widened(0.05) } else { x }, y)
}

/// The least distance of numbers beside the horizontal axis.
pub(crate) fn least_step(series: &[Series]) -> f64 {
    let whole = series.iter().flat_map(|s| &s.points).all(|(x, _)| x.fract() == 0.0);
    if whole { 1.0 } else { 0.0 }
}

fn draw_series<DB: DrawingBackend>(pen: &Pen<'_, DB>, chart: &Chart, series: &[Series]) -> Drawn<DB> {
    let (x, y) = ranges(series);
    let (x_ticks, y_ticks) = (x.ticks(8, least_step(series)), y.ticks(6, 0.0));
    let names: Vec<String> = if series.len() > 1 { legend(series) } else { Vec::new() };
    let widest = names.iter().map(|name| name.chars().count() as i32).max();
    let frame = Frame::new(chart, x, y, false, &y_ticks, widest.map_or(0, |n| n * LETTER + 40));
    frame.axes(pen, chart, &x_ticks, &y_ticks, true)?;
    for (at, one) in series.iter().enumerate() {
        let color = series_color(at);
        match one.mark {
            Mark::Line => draw_line(pen, &frame, one, color)?,
            Mark::Points => {
                let places: BTreeSet<(i32, i32)> = finite_points(one).map(|(x, y)| frame.at(pen.scale, x, y)).collect();
                for place in places {
                    pen.root.draw(&Circle::new(place, 3 * pen.scale, color.mix(0.7).filled()))?;
                }
            }
        }
    }
    for (at, name) in names.iter().enumerate() {
        let (x, y) = (frame.right + 16, frame.top + 8 + 18 * at as i32);
        let color = series_color(at);
        match series.get(at).filter(|_| at < LEGEND_ROWS).map(|one| one.mark) {
            Some(Mark::Line) => {
                let path = vec![pen.scaled((x, y)), pen.scaled((x + 18, y))];
                pen.root.draw(&PathElement::new(path, color.stroke_width(2 * pen.scale as u32)))?;
            }
            Some(Mark::Points) => {
                pen.root.draw(&Circle::new(pen.scaled((x + 9, y)), 3 * pen.scale, color.filled()))?;
            }
            None => {}
        }
        pen.text(name, (x + 24, y), FONT, Pos::new(HPos::Left, VPos::Center))?;
    }
    Ok(())
}

fn finite_points(series: &Series) -> impl Iterator<Item = (f64, f64)> + '_ {
    series.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite())
}

fn series_color(at: usize) -> RGBColor {
    let (r, g, b) = COLORS.get(at % COLORS.len()).copied().unwrap_or_default();
    RGBColor(r, g, b)
}

/// The names of series; of very many, the first.
fn legend(series: &[Series]) -> Vec<String> {
    let short = |name: &String| match name.chars().count() > LEGEND_LETTERS {
        true => name.chars().take(LEGEND_LETTERS - 2).chain("..".chars()).collect(),
        false => name.clone(),
    };
    let mut names: Vec<String> = series.iter().take(LEGEND_ROWS).map(|series| short(&series.name)).collect();
    if series.len() > LEGEND_ROWS {
        names.push(format!("and {} more", series.len() - LEGEND_ROWS));
    }
    names
}

/// A line, interrupted where a point is not finite. A point alone is a dot.
fn draw_line<DB: DrawingBackend>(pen: &Pen<'_, DB>, frame: &Frame, series: &Series, color: RGBColor) -> Drawn<DB> {
    let style = color.stroke_width((3 * pen.scale as u32 / 2).max(1));
    for part in series.points.split(|(x, y)| !x.is_finite() || !y.is_finite()) {
        let places: Vec<(i32, i32)> = part.iter().map(|(x, y)| frame.at(pen.scale, *x, *y)).collect();
        match thinned(&places).as_slice() {
            [] => {}
            [only] => pen.root.draw(&Circle::new(*only, 2 * pen.scale, color.filled()))?,
            path => pen.root.draw(&PathElement::new(path.to_vec(), style))?,
        }
    }
    Ok(())
}

/// The same line with fewer points: of those in a row of one column of pixels, the first, the lowest, the highest and
/// the last.
fn thinned(places: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut kept: Vec<(i32, i32)> = Vec::new();
    for column in places.chunk_by(|a, b| a.0 == b.0) {
        let low = column.iter().min_by_key(|place| place.1);
        let high = column.iter().max_by_key(|place| place.1);
        for place in [column.first(), low, high, column.last()].into_iter().flatten() {
            if kept.last() != Some(place) {
                kept.push(*place);
            }
        }
    }
    kept
}

fn draw_matrix<DB: DrawingBackend>(pen: &Pen<'_, DB>, chart: &Chart, matrix: &Matrix) -> Drawn<DB> {
    let index = |extent: usize| Range { low: -0.5, high: extent as f64 - 0.5 };
    let (x, y) = (index(matrix.columns), index(matrix.rows));
    let (x_ticks, y_ticks) = (x.ticks(8, 1.0), y.ticks(8, 1.0));
    let numbers = matrix.range.ticks(6, 0.0);
    let widest = numbers.iter().map(|tick| tick.text.chars().count() as i32).max().unwrap_or(0);
    let mut frame = Frame::new(chart, x, y, true, &y_ticks, 56 + widest * LETTER);
    frame.fit(matrix);
    frame.axes(pen, chart, &x_ticks, &y_ticks, false)?;
    let edge = |from: i32, to: i32, at: usize, count: usize| {
        (from + (i64::from(to - from) * at as i64 / count.max(1) as i64) as i32).min(to)
    };
    let (left, right) = (frame.left * pen.scale, frame.right * pen.scale);
    let (top, bottom) = (frame.top * pen.scale, frame.bottom * pen.scale);
    for (at, cell) in matrix.cells.iter().enumerate() {
        let (row, column) = (at / matrix.across.max(1), at % matrix.across.max(1));
        let corner = |row, column| (edge(left, right, column, matrix.across), edge(top, bottom, row, matrix.down));
        let filled = if cell.is_finite() { shade(matrix.range.place(*cell)) } else { GREY };
        pen.root.draw(&Rectangle::new([corner(row, column), corner(row + 1, column + 1)], filled.filled()))?;
    }
    draw_scale(pen, &frame, matrix.range, &numbers)
}

impl Frame {
    /// Makes cells square, unless the matrix is much longer in one direction.
    fn fit(&mut self, matrix: &Matrix) {
        const LONG: f64 = 3.0;
        let (width, height) = (f64::from(self.right - self.left), f64::from(self.bottom - self.top));
        let (columns, rows) = (matrix.columns.max(1) as f64, matrix.rows.max(1) as f64);
        if columns / rows > LONG || rows / columns > LONG {
            return;
        }
        let cell = (width / columns).min(height / rows);
        let used = (cell * columns).round() as i32;
        self.name += (self.right - self.left - used) / 2;
        self.left += (self.right - self.left - used) / 2;
        self.right = self.left + used;
        self.bottom = self.top + (cell * rows).round() as i32;
    }
}

fn shade(place: f64) -> RGBColor {
    let (r, g, b) = color(place);
    RGBColor(r, g, b)
}

/// The colours and their numbers, at the right of a matrix.
fn draw_scale<DB: DrawingBackend>(pen: &Pen<'_, DB>, frame: &Frame, range: Range, ticks: &[Tick]) -> Drawn<DB> {
    const STEPS: i32 = 64;
    let (left, right) = (frame.right + 20, frame.right + 34);
    let bar = Frame { left, right, down: false, y: range, ..*frame };
    let edge = |step: i32| bar.bottom * pen.scale + (bar.top - bar.bottom) * pen.scale * step / STEPS;
    for step in 0..STEPS {
        let color = shade(f64::from(step) / f64::from(STEPS - 1));
        let corners = [(left * pen.scale, edge(step + 1)), (right * pen.scale, edge(step))];
        pen.root.draw(&Rectangle::new(corners, color.filled()))?;
    }
    for tick in ticks {
        let (_, y) = bar.at(1, 0.0, tick.at);
        pen.line((right, y), (right + 4, y), DARK)?;
        pen.text(&tick.text, (right + 8, y), FONT, Pos::new(HPos::Left, VPos::Center))?;
    }
    Ok(())
}
