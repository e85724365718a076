//! A matrix as a picture: its cells in colours, and their scale.

use super::{DARK, Drawn, FONT, Frame, GREY, LETTER, Pen};
use crate::Chart;
use crate::matrix::{Matrix, color};
use crate::scale::{Range, Tick};
use plotters::prelude::{Color, RGBColor, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_backend::DrawingBackend;

pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<'_, DB>, chart: &Chart, matrix: &Matrix) -> Drawn<DB> {
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
