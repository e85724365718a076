//! Fits a mixture of three Gaussians to Fisher's irises, as examples/mixture.arr does: the gradient of the log-density comes
//! from the program, compiled ahead of time by `build.rs`, and the climb is written in Rust.
//!
//! ```sh
//! cargo run -- ../data/iris.csv
//! ```

/// What `arr build` has written for the program.
mod mixture {
    include!(concat!(env!("OUT_DIR"), "/mixture.rs"));
}

use mixture::{Array, ArrayMut, Context};

const K: usize = 3;
const D: usize = 4;
const STEPS: usize = 201;
const RATE: f64 = 0.0005;

/// The parameters, or a gradient: weights, centres, and the triangular factor of the inverse covariance, each row by row.
struct Mixture {
    logw: [f64; K],
    mean: [f64; K * D],
    logdiag: [f64; K * D],
    below: [f64; K * D * D],
}

impl Mixture {
    fn new() -> Mixture {
        Mixture { logw: [0.0; K], mean: [0.0; K * D], logdiag: [0.0; K * D], below: [0.0; K * D * D] }
    }

    /// The same, for the library to read.
    fn view(&self) -> Option<mixture::Mixture<'_>> {
        Some(mixture::Mixture {
            logw: Array::new(&self.logw, [K])?,
            mean: Array::new(&self.mean, [K, D])?,
            logdiag: Array::new(&self.logdiag, [K, D])?,
            below: Array::new(&self.below, [K, D, D])?,
        })
    }

    /// The same, for the library to write.
    fn memory(&mut self) -> Option<mixture::MixtureMut<'_>> {
        Some(mixture::MixtureMut {
            logw: ArrayMut::new(&mut self.logw, [K])?,
            mean: ArrayMut::new(&mut self.mean, [K, D])?,
            logdiag: ArrayMut::new(&mut self.logdiag, [K, D])?,
            below: ArrayMut::new(&mut self.below, [K, D, D])?,
        })
    }

    /// A step along a gradient.
    fn climb(&mut self, gradient: &Mixture) {
        let step = |x: &mut [f64], dx: &[f64]| x.iter_mut().zip(dx).for_each(|(x, dx)| *x += RATE * dx);
        step(&mut self.logw, &gradient.logw);
        step(&mut self.mean, &gradient.mean);
        step(&mut self.logdiag, &gradient.logdiag);
        step(&mut self.below, &gradient.below);
    }
}

fn read_points(path: &str) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let rows = text.lines().map(|line| line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>());
    // The heading is no row.
    Ok(rows.flatten().filter(|row| row.len() == D).flatten().collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "../data/iris.csv".to_string());
    let points = read_points(&path)?;
    let n = points.len() / D;
    let xs = Array::new(&points, [n, D]).ok_or("every point has four numbers")?;
    let (mut p, mut gradient) = (Mixture::new(), Mixture::new());
    for j in 0..K {
        let centre = n * (2 * j + 1) / 6 * D;
        p.mean[j * D..(j + 1) * D].copy_from_slice(&points[centre..centre + D]);
    }
    let mut context = Context::new();
    for step in 0..STEPS {
        let view = p.view().ok_or("the sizes of the parameters fit")?;
        let mut memory = gradient.memory().ok_or("the sizes of the gradient fit")?;
        let density = mixture::density_value_and_grad_into(&mut context, &view, &xs, &mut memory)?;
        if step % 20 == 0 {
            println!("step {step:3}: {density:.10}");
        }
        p.climb(&gradient);
    }
    let sum: f64 = p.logw.iter().map(|w| w.exp()).sum();
    for j in 0..K {
        let mean: Vec<String> = p.mean[j * D..(j + 1) * D].iter().map(|x| format!("{x:.6}")).collect();
        println!("weight {:.10}, centre {}", p.logw[j].exp() / sum, mean.join(" "));
    }
    Ok(())
}
