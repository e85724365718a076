//! Where bars stand: beside each other around the places of their points.

use crate::{Mark, Series};

/// The part of the distance of two places that the bars of one place take.
const FILLED: f64 = 0.8;

/// The bars of several series.
pub(crate) struct Bars {
    /// The least distance of two places.
    pub spacing: f64,
    /// The numbers of the series with bars, among all.
    series: Vec<usize>,
}

impl Bars {
    /// The bars of these series; `None` if they have none.
    pub(crate) fn of(series: &[Series]) -> Option<Bars> {
        let own: Vec<usize> = (0..series.len()).filter(|at| series.get(*at).is_some_and(is_bars)).collect();
        if own.is_empty() {
            return None;
        }
        let points = series.iter().filter(|one| is_bars(one)).flat_map(|one| &one.points);
        let mut places: Vec<f64> = points.map(|(x, _)| *x).filter(|x| x.is_finite()).collect();
        places.sort_by(f64::total_cmp);
        let gaps = places.iter().zip(places.iter().skip(1)).map(|(a, b)| b - a).filter(|gap| *gap > 0.0);
        let spacing = gaps.fold(f64::INFINITY, f64::min);
        Some(Bars { spacing: if spacing.is_finite() { spacing } else { 1.0 }, series: own })
    }

    /// The left and the right side of a series' bar at a place.
    pub(crate) fn sides(&self, series: usize, x: f64) -> (f64, f64) {
        let width = FILLED * self.spacing / self.series.len().max(1) as f64;
        let at = self.series.iter().position(|own| *own == series).unwrap_or(0);
        let left = x - FILLED * self.spacing / 2.0 + at as f64 * width;
        (left, left + width)
    }
}

fn is_bars(series: &Series) -> bool {
    series.mark == Mark::Bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_several_series_stand_beside_each_other() {
        let series =
            |mark| Series { name: String::new(), mark, points: vec![(0.0, 1.0), (5.0, 1.0)], errors: Vec::new() };
        assert!(Bars::of(&[series(Mark::Line)]).is_none());
        let bars = Bars::of(&[series(Mark::Bars), series(Mark::Points), series(Mark::Bars)]);
        let bars = bars.as_ref().map(|bars| (bars.spacing, bars.sides(0, 5.0), bars.sides(2, 5.0)));
        assert_eq!(bars, Some((5.0, (3.0, 5.0), (5.0, 7.0))));
    }
}
