//! The axes of several series: their ranges, and what stands beside them.

use crate::bars::Bars;
use crate::scale::{Range, Tick};
use crate::series::is_finite;
use crate::{Chart, Mark, Series};

/// The axes of a chart's series.
pub(crate) struct Axes<'c> {
    chart: &'c Chart,
    pub x: Range,
    pub y: Range,
    pub bars: Option<Bars>,
    /// The least distance of numbers beside the horizontal axis.
    least: f64,
}

/// The space between points and the ends of an axis, as a part of it.
const SPACE: f64 = 0.05;

impl<'c> Axes<'c> {
    pub(crate) fn of(chart: &'c Chart, series: &[Series]) -> Axes<'c> {
        let all = || series.iter().flat_map(|one| &one.points);
        let finite = || all().filter(|point| is_finite(point));
        let bars = Bars::of(series);
        let sides = bars.iter().flat_map(|bars| {
            let xs = finite().flat_map(|(x, _)| [x - bars.spacing / 2.0, x + bars.spacing / 2.0]);
            xs.collect::<Vec<f64>>()
        });
        let labels = match chart.labels.len() {
            0 => None,
            count => Some([-0.5, count as f64 - 0.5]),
        };
        let x = Range::of(finite().map(|(x, _)| *x).chain(sides).chain(labels.into_iter().flatten()));
        let points = series.iter().any(|one| one.mark == Mark::Points || !one.errors.is_empty());
        let x = if points && bars.is_none() { x.widened(SPACE) } else { x };
        let ends = series.iter().flat_map(|one| one.errors.iter().flat_map(|(low, high)| [*low, *high]));
        // Bars begin at zero, which a logarithmic axis does not have.
        let zero = bars.iter().filter(|_| !chart.log_y).map(|_| 0.0);
        let y = Range::of(finite().map(|(_, y)| *y).chain(ends).chain(zero));
        let least = if all().all(|(x, _)| x.fract() == 0.0) { 1.0 } else { 0.0 };
        let y = match bars.is_some() && !chart.log_y {
            true => y.widened_from_zero(SPACE),
            false => y.widened(SPACE),
        };
        Axes { chart, x, y, bars, least }
    }

    /// About as many numbers beside the horizontal axis, or the names that stand there.
    pub(crate) fn x_ticks(&self, wanted: usize) -> Vec<Tick> {
        if self.chart.labels.is_empty() {
            return self.x.ticks_on(self.chart.log_x, wanted, self.least);
        }
        let names = self.chart.labels.iter().enumerate();
        names.map(|(at, name)| Tick { at: at as f64, text: name.clone() }).collect()
    }

    /// About as many numbers beside the vertical axis.
    pub(crate) fn y_ticks(&self, wanted: usize) -> Vec<Tick> {
        self.y.ticks_on(self.chart.log_y, wanted, 0.0)
    }

    /// Where a bar begins on the vertical axis.
    pub(crate) fn base(&self) -> f64 {
        if self.chart.log_y { self.y.low } else { 0.0 }
    }
}
