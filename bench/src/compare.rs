//! Whether two peers found the same result.

use std::path::Path;

/// The arrays of a result.
pub type Arrays = Vec<Vec<f64>>;

/// Reads what a peer saved.
pub fn read(path: &Path) -> Result<Arrays, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut words = bytes.chunks_exact(8).map(|chunk| chunk.try_into().unwrap_or([0; 8]));
    let mut arrays = Vec::new();
    while let Some(count) = words.next() {
        let count = u64::from_le_bytes(count) as usize;
        let array: Vec<f64> = words.by_ref().take(count).map(f64::from_le_bytes).collect();
        if array.len() < count {
            return Err(format!("{}: it ends within an array", path.display()));
        }
        arrays.push(array);
    }
    Ok(arrays)
}

/// The allowed distance of two results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// The largest difference of two elements of an array, over the largest magnitude in it.
    Largest(f64),
    /// The mean difference over the mean magnitude: for chaotic programs, in which rounding changes single elements altogether.
    Mean(f64),
}

impl Tolerance {
    pub fn allowed(self) -> f64 {
        match self {
            Tolerance::Largest(x) | Tolerance::Mean(x) => x,
        }
    }
}

/// The distance of `a` from `b`, as the tolerance measures it; the largest of all arrays. Fails if they do not have the
/// same shape.
pub fn difference(a: &Arrays, b: &Arrays, tolerance: Tolerance) -> Result<f64, String> {
    let lengths = |arrays: &Arrays| arrays.iter().map(Vec::len).collect::<Vec<_>>();
    if lengths(a) != lengths(b) {
        return Err(format!("arrays of {:?} elements beside {:?}", lengths(a), lengths(b)));
    }
    let mut worst = 0.0f64;
    for (x, y) in a.iter().zip(b) {
        let differences = x.iter().zip(y).map(|(u, v)| (u - v).abs());
        let (off, scale) = match tolerance {
            // A NaN difference stays.
            Tolerance::Largest(_) => (
                differences.fold(0.0f64, |m, d| if d.is_nan() || m.is_nan() { f64::NAN } else { m.max(d) }),
                y.iter().fold(0.0f64, |m, v| m.max(v.abs())),
            ),
            Tolerance::Mean(_) => (differences.sum(), y.iter().map(|v| v.abs()).sum()),
        };
        let relative = if off == 0.0 { 0.0 } else { off / scale };
        worst = if relative.is_nan() { f64::INFINITY } else { worst.max(relative) };
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_relative_to_the_array() {
        let a = vec![vec![1.0, 100.0], vec![2.0]];
        let b = vec![vec![1.5, 100.0], vec![2.0]];
        assert_eq!(difference(&a, &b, Tolerance::Largest(0.0)), Ok(0.005));
        assert!(difference(&a, &vec![vec![1.0]], Tolerance::Mean(0.0)).is_err());
        let odd = difference(&vec![vec![f64::NAN, 0.0]], &vec![vec![1.0, 0.0]], Tolerance::Largest(0.0));
        assert_eq!(odd, Ok(f64::INFINITY));
        let few = difference(&vec![vec![3.0, 1.0, 1.0, 1.0]], &vec![vec![1.0; 4]], Tolerance::Mean(0.0));
        assert_eq!(few, Ok(0.5));
    }
}
