//! A matrix as a picture: its elements in colours.

use crate::scale::Range;

/// The most rows and columns of cells; more are averaged in blocks.
const MOST_CELLS: usize = 512;

/// A matrix, perhaps of the means of blocks of a larger one.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// The extents of the value.
    pub rows: usize,
    pub columns: usize,
    /// The number of cells down and across.
    pub down: usize,
    pub across: usize,
    /// The cells, row by row; NaN where there is no finite number.
    pub cells: Vec<f64>,
    pub(crate) range: Range,
}

impl Matrix {
    pub(crate) fn new(rows: usize, columns: usize, numbers: &[f64]) -> Result<Matrix, &'static str> {
        if !numbers.iter().any(|x| x.is_finite()) {
            return Err("it has no finite numbers");
        }
        Ok(Matrix::averaged(rows, columns, numbers, MOST_CELLS))
    }

    /// The same with at most so many rows and columns of cells.
    pub(crate) fn reduced(&self, most: usize) -> Matrix {
        let Matrix { rows, columns, .. } = *self;
        Matrix { rows, columns, ..Matrix::averaged(self.down, self.across, &self.cells, most) }
    }

    fn averaged(rows: usize, columns: usize, numbers: &[f64], most: usize) -> Matrix {
        let (down, across) = (rows.min(most), columns.min(most));
        let mut cells = Vec::new();
        for cell in 0..down * across {
            let part = |at: usize, cells: usize, extent: usize| (at * extent / cells)..((at + 1) * extent / cells);
            let block = part(cell / across, down, rows)
                .flat_map(|row| part(cell % across, across, columns).map(move |column| row * columns + column))
                .filter_map(|at| numbers.get(at).copied())
                .filter(|x| x.is_finite());
            let (mean, count) =
                block.fold((0.0, 0.0), |(mean, count), x| (mean + (x - mean) / (count + 1.0), count + 1.0));
            cells.push(if count > 0.0 { mean } else { f64::NAN });
        }
        let range = Range::of(cells.iter().copied());
        Matrix { rows, columns, down, across, cells, range }
    }
}

/// The colour for a place between 0 and 1: from dark blue over green to yellow, by the points of the map "viridis".
pub(crate) fn color(place: f64) -> (u8, u8, u8) {
    const MAP: [(f64, f64, f64); 9] = [
        (68.0, 1.0, 84.0),
        (71.0, 44.0, 122.0),
        (59.0, 81.0, 139.0),
        (44.0, 113.0, 142.0),
        (33.0, 144.0, 141.0),
        (39.0, 173.0, 129.0),
        (92.0, 200.0, 99.0),
        (170.0, 220.0, 50.0),
        (253.0, 231.0, 37.0),
    ];
    let at = place.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let (low, rest) = (at.floor(), at - at.floor());
    let point = |k: f64| MAP.get(k as usize).copied().unwrap_or((253.0, 231.0, 37.0));
    let (a, b) = (point(low), point(low + 1.0));
    let mix = |a: f64, b: f64| (a + (b - a) * rest).round() as u8;
    (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}
