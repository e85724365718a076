//! Three derivatives of one function, compared: forward mode, reverse mode, and central differences.

use crate::tree::Tree;
use crate::{Outcome, arr};
use std::path::Path;

/// The allowed distance of the two modes in `<dy, J dx> = <J' dy, dx>`, relative to the sums' terms.
const MODES: f64 = 1e-10;
/// The allowed distance of a central difference from the derivative, relative to its magnitude or 1.
const DIFFERENCES: f64 = 1e-5;
const STEP: f64 = 1e-5;

/// Checks the derivatives of `function`, which takes one argument of floats, at `point`, in one direction.
pub fn agree(file: &Path, function: &str, point: &str, backend: &str) -> Outcome {
    let value = |expression: String| arr::value(file, &expression, backend).and_then(|text| Tree::parse(&text));
    let mut random = Random::new();
    let x = value(point.to_string())?;
    let dx = x.map(&mut |_| random.next());
    let y = value(format!("({function})({x})"))?;
    let dy = y.map(&mut |_| random.next());

    let forward = value(format!("jvp({function}, {x}, {dx})"))?;
    let Tree::Tuple(parts) = &forward else { return Err(format!("jvp gives {forward}")) };
    let [y_again, along] = parts.as_slice() else { return Err(format!("jvp gives {forward}")) };
    near("the value under jvp", &y_again.floats(), &y.floats(), MODES)?;

    let reverse = value(format!("let (y, back) = vjp({function}, {x}) in back({dy})"))?;
    let (left, scale_left) = inner(&dy, along)?;
    let (right, scale_right) = inner(&reverse, &dx)?;
    let apart = (left - right).abs();
    if apart.is_nan() || apart > MODES * scale_left.max(scale_right) {
        return Err(format!("{function} at {x}: forward mode gives {left}, reverse mode {right}"));
    }

    let moved = |h: f64| {
        let mut directions = dx.floats().into_iter();
        x.map(&mut |value| value + h * directions.next().unwrap_or(0.0))
    };
    let above = value(format!("({function})({})", moved(STEP)))?.floats();
    let below = value(format!("({function})({})", moved(-STEP)))?.floats();
    let differences: Vec<f64> = above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * STEP)).collect();
    near("forward mode beside finite differences", &along.floats(), &differences, DIFFERENCES)
}

/// The inner product of the floats of two values, and the sum of its terms' magnitudes.
fn inner(a: &Tree, b: &Tree) -> Result<(f64, f64), String> {
    let (a, b) = (a.floats(), b.floats());
    if a.len() != b.len() {
        return Err(format!("{} cotangents for {} numbers", a.len(), b.len()));
    }
    let terms = a.iter().zip(&b).map(|(x, y)| x * y);
    Ok(terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs())))
}

fn near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) -> Outcome {
    let close = |(f, e): (&f64, &f64)| (f - e).abs() <= tolerance * e.abs().max(1.0);
    if found.len() == expected.len() && found.iter().zip(expected).all(close) {
        return Ok(());
    }
    Err(format!("{what}: {found:?} is not near {expected:?}"))
}

/// A fixed sequence of numbers of magnitude between 1/2 and 3/2, of either sign.
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

impl Random {
    pub fn new() -> Random {
        Random(1)
    }

    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 40) as f64 / (1u64 << 24) as f64;
        if self.0 >> 39 & 1 == 0 { 0.5 + unit } else { -0.5 - unit }
    }
}
