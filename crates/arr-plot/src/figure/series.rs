//! Lines, points and bars between axes, with a legend.

use super::{COLORS, Drawn, FONT, Frame, LETTER, Pen};
use crate::axes::Axes;
use crate::scale::Tick;
use crate::series::is_finite;
use crate::wrap::shortened;
use crate::{Chart, Mark, Series};
use plotters::element::PathElement;
use plotters::prelude::{Circle, Color, RGBColor, Rectangle};
use plotters::style::BLACK;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_backend::DrawingBackend;
use std::collections::{BTreeMap, BTreeSet};

const LEGEND_LETTERS: usize = 24;
const LEGEND_ROWS: usize = 20;

pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<'_, DB>, chart: &Chart, series: &[Series]) -> Drawn<DB> {
    let axes = Axes::of(chart, series);
    let y_ticks = axes.y_ticks(6);
    let names: Vec<String> = if series.len() > 1 { legend(series) } else { Vec::new() };
    let widest = names.iter().map(|name| name.chars().count() as i32).max();
    let frame = Frame::new(chart, axes.x, axes.y, false, &y_ticks, widest.map_or(0, |n| n * LETTER + 40));
    let x_ticks = fitting(axes.x_ticks(8), &frame, chart.labels.len());
    frame.axes(pen, chart, &x_ticks, &y_ticks, true)?;
    for (at, one) in series.iter().enumerate() {
        let color = series_color(at);
        match one.mark {
            Mark::Line => draw_line(pen, &frame, one, color)?,
            Mark::Bars => draw_bars(pen, &frame, &axes, (at, one), color)?,
            Mark::Points => {
                let places: BTreeSet<(i32, i32)> = finite_points(one).map(|(x, y)| frame.at(pen.scale, x, y)).collect();
                for place in places {
                    pen.root.draw(&Circle::new(place, 3 * pen.scale, color.mix(0.7).filled()))?;
                }
            }
        }
        draw_errors(pen, &frame, &axes, (at, one), color)?;
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
            Some(Mark::Bars) => {
                let corners = [pen.scaled((x + 3, y - 5)), pen.scaled((x + 15, y + 5))];
                pen.root.draw(&Rectangle::new(corners, color.filled()))?;
            }
            None => {}
        }
        pen.text(name, (x + 24, y), FONT, Pos::new(HPos::Left, VPos::Center))?;
    }
    Ok(())
}

fn finite_points(series: &Series) -> impl Iterator<Item = (f64, f64)> + '_ {
    series.points.iter().copied().filter(is_finite)
}

fn series_color(at: usize) -> RGBColor {
    let (r, g, b) = COLORS.get(at % COLORS.len()).copied().unwrap_or_default();
    RGBColor(r, g, b)
}

/// The names of series; of very many, the first.
fn legend(series: &[Series]) -> Vec<String> {
    let mut names: Vec<String> =
        series.iter().take(LEGEND_ROWS).map(|series| shortened(&series.name, LEGEND_LETTERS)).collect();
    if series.len() > LEGEND_ROWS {
        names.push(format!("and {} more", series.len() - LEGEND_ROWS));
    }
    names
}

/// Names beside the horizontal axis in the room that each has; of very many, some.
fn fitting(ticks: Vec<Tick>, frame: &Frame, names: usize) -> Vec<Tick> {
    const LEAST_LETTERS: usize = 4;
    if names == 0 {
        return ticks;
    }
    let room = (frame.right - frame.left).max(0) / LETTER;
    let every = (names * (LEAST_LETTERS + 1)).div_ceil(room.max(1) as usize).max(1);
    let letters = (room as usize * every / names).saturating_sub(1).max(LEAST_LETTERS);
    let shown = ticks.into_iter().step_by(every);
    shown.map(|tick| Tick { text: shortened(&tick.text, letters), ..tick }).collect()
}

/// Bars; of those that begin in one column of pixels, one from the lowest to the highest.
fn draw_bars<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    frame: &Frame,
    axes: &Axes<'_>,
    (at, series): (usize, &Series),
    color: RGBColor,
) -> Drawn<DB> {
    let Some(bars) = &axes.bars else { return Ok(()) };
    let mut columns: BTreeMap<i32, (i32, i32, i32)> = BTreeMap::new();
    for (x, y) in finite_points(series) {
        let (left, right) = bars.sides(at, x);
        let ((left, from), (right, to)) = (frame.at(pen.scale, left, axes.base()), frame.at(pen.scale, right, y));
        let column = columns.entry(left).or_insert((right.max(left + 1), from, from));
        *column = (column.0.max(right), column.1.min(to), column.2.max(to));
    }
    for (left, (right, top, bottom)) in columns.into_iter().filter(|(_, (_, top, bottom))| top < bottom) {
        pen.root.draw(&Rectangle::new([(left, top), (right, bottom)], color.filled()))?;
    }
    Ok(())
}

/// Error bars, in black on bars; of those in one column of pixels, one from the lowest to the highest end.
fn draw_errors<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    frame: &Frame,
    axes: &Axes<'_>,
    (at, series): (usize, &Series),
    color: RGBColor,
) -> Drawn<DB> {
    const CAP: i32 = 3;
    let mut columns: BTreeMap<i32, (i32, i32)> = BTreeMap::new();
    let ends = series.points.iter().zip(&series.errors);
    let ends = ends.filter(|(point, (low, high))| is_finite(point) && !low.is_nan() && !high.is_nan());
    for ((x, _), (low, high)) in ends {
        let x = match axes.bars.as_ref().filter(|_| series.mark == Mark::Bars).map(|bars| bars.sides(at, *x)) {
            Some((left, right)) => left + (right - left) / 2.0,
            None => *x,
        };
        let ((x, bottom), (_, top)) = (frame.at(pen.scale, x, *low), frame.at(pen.scale, x, *high));
        let column = columns.entry(x).or_insert((top, bottom));
        *column = (column.0.min(top), column.1.max(bottom));
    }
    let style = if series.mark == Mark::Bars { BLACK } else { color }.stroke_width(pen.scale as u32);
    let cap = CAP * pen.scale;
    for (x, (top, bottom)) in columns {
        for path in [[(x, top), (x, bottom)], [(x - cap, top), (x + cap, top)], [(x - cap, bottom), (x + cap, bottom)]]
        {
            pen.root.draw(&PathElement::new(path.to_vec(), style))?;
        }
    }
    Ok(())
}

/// A line, interrupted where a point is not finite. A point alone is a dot.
fn draw_line<DB: DrawingBackend>(pen: &Pen<'_, DB>, frame: &Frame, series: &Series, color: RGBColor) -> Drawn<DB> {
    let style = color.stroke_width((3 * pen.scale as u32 / 2).max(1));
    for part in series.points.split(|point| !is_finite(point)) {
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
