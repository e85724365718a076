//! A chart drawn by plotters, as SVG or as pixels.
//!
//! Everything is placed by hand, in units of a pixel of the finished picture: the drawing is the same on every back end,
//! and ends for all numbers.

mod matrix;
mod series;

use crate::raster::Raster;
use crate::scale::{Range, Tick};
use crate::wrap::{shortened, wrapped};
use crate::{Body, Chart};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::PathElement;
use plotters::prelude::{Color, DrawingArea, IntoDrawingArea, IntoFont, RGBColor, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, FontTransform, WHITE};
use plotters_backend::DrawingBackend;

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
/// The most letters of a line of the title, the most lines, and the height of one.
const TITLE_LETTERS: usize = 76;
const TITLE_LINES: usize = 3;
const TITLE_LINE: i32 = 20;
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
    for (at, line) in title(chart).iter().enumerate() {
        pen.text(line, (WIDTH / 2, 20 + TITLE_LINE * at as i32), TITLE, Pos::new(HPos::Center, VPos::Center))?;
    }
    match &chart.body {
        Body::Series(series) => series::draw(&pen, chart, series),
        Body::Matrix(matrix) => matrix::draw(&pen, chart, matrix),
    }
}

/// The lines of the title.
fn title(chart: &Chart) -> Vec<String> {
    wrapped(&chart.title, TITLE_LETTERS, TITLE_LINES)
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
        let top = 24 + TITLE_LINE * title(chart).len().max(1) as i32;
        Frame { left, right: WIDTH - 24 - right, top, bottom: HEIGHT - 32 - below, name: 18, x, y, down }
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
        let room = |pixels: i32| (pixels / LETTER).max(0) as usize;
        let name = shortened(&chart.x, room(2 * middle.0.min(WIDTH - middle.0)));
        pen.text(&name, (middle.0, self.bottom + 36), FONT, Pos::new(HPos::Center, VPos::Center))?;
        if chart.y.is_empty() {
            return Ok(());
        }
        let name = shortened(&chart.y, room(2 * middle.1.min(HEIGHT - middle.1)));
        pen.text_upwards(&name, (self.name, middle.1))
    }
}
