//! The ratios as a picture: one row per case, one point per peer, on a logarithmic axis.

use crate::measure::Row;
use crate::options::Statistic;
use crate::peers::Peer;
use crate::report::{main_function, ratio};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

const LINE: i32 = 18;
const LEFT: i32 = 330;
const WIDTH: i32 = 1000;
const TOP: i32 = 60;

const COLORS: [(Peer, RGBColor); 3] =
    [(Peer::C, RGBColor(80, 80, 80)), (Peer::Jax, RGBColor(31, 119, 180)), (Peer::Torch, RGBColor(214, 90, 30))];

/// Draws the ratios of the gradients, and of the values where there is no gradient.
pub fn ratios(rows: &[Row], statistic: Statistic, path: &Path) -> Result<(), String> {
    draw(rows, statistic, path).map_err(|error| format!("{}: {error}", path.display()))
}

fn draw(rows: &[Row], statistic: Statistic, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let all: Vec<Vec<(usize, f64)>> = rows
        .iter()
        .map(|row| {
            let of = |i: usize, peer| ratio(row, peer, main_function(row), statistic).map(|r| (i, r));
            COLORS.iter().enumerate().filter_map(|(i, (peer, _))| of(i, *peer)).collect()
        })
        .collect();
    let logs = || all.iter().flatten().map(|(_, r)| r.log10());
    let (low, high) = (logs().fold(-1.0f64, f64::min).floor(), logs().fold(1.0f64, f64::max).ceil());
    let at = |r: f64| LEFT + ((r.log10() - low) / (high - low) * f64::from(WIDTH - LEFT - 20)) as i32;
    let bottom = TOP + LINE * rows.len() as i32;
    let root = SVGBackend::new(path, (WIDTH as u32, (bottom + 30) as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let small = ("sans-serif", 12).into_font().color(&BLACK);
    let right = small.clone().pos(Pos::new(HPos::Right, VPos::Center));
    let centre = small.clone().pos(Pos::new(HPos::Center, VPos::Center));
    let title = "A peer's time over Arr's, gradients: to the right of 1 Arr is faster";
    root.draw(&Text::new(title, (20, 12), ("sans-serif", 15).into_font()))?;
    for (i, (peer, color)) in COLORS.iter().enumerate() {
        let x = 20 + 90 * i as i32;
        root.draw(&Circle::new((x, 42), 5, color.filled()))?;
        root.draw(&Text::new(peer.name(), (x + 10, 36), small.clone()))?;
    }
    for power in low as i32..=high as i32 {
        let x = at(10f64.powi(power));
        let grey = RGBColor(215, 215, 215);
        let color = if power == 0 { &BLACK } else { &grey };
        root.draw(&PathElement::new(vec![(x, TOP), (x, bottom)], color))?;
        root.draw(&Text::new(format!("{}", 10f64.powi(power)), (x, bottom + 12), centre.clone()))?;
    }
    for (k, (row, ratios)) in rows.iter().zip(&all).enumerate() {
        let y = TOP + LINE * k as i32 + LINE / 2;
        let label = format!("{} {} ({} thr.)", row.workload, row.sizes, row.threads);
        root.draw(&Text::new(label, (LEFT - 10, y), right.clone()))?;
        for (i, r) in ratios {
            root.draw(&Circle::new((at(*r), y), 5, COLORS[*i].1.filled()))?;
        }
    }
    root.present()?;
    Ok(())
}
