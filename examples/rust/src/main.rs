//! Fits a mixture of three Gaussians to Fisher's irises, as examples/mixture.arr does: the gradient of the log-density comes
//! from the program, compiled ahead of time by `build.rs`, and the climb is written in Rust.
//!
//! ```sh
//! cargo run -- ../data/iris.csv
//! ```

mod library;

use library::Library;

const K: usize = 3;
const D: usize = 4;
const STEPS: usize = 201;
const RATE: f64 = 0.0005;

/// The parameters: weights, centres, and the triangular factor of the inverse covariance, each row by row.
pub struct Mixture {
    pub logw: Vec<f64>,
    pub mean: Vec<f64>,
    pub logdiag: Vec<f64>,
    pub below: Vec<f64>,
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
    let centre = |j: usize| n * (2 * j + 1) / 6 * D;
    let mut p = Mixture {
        logw: vec![0.0; K],
        mean: (0..K).flat_map(|j| points[centre(j)..centre(j) + D].to_vec()).collect(),
        logdiag: vec![0.0; K * D],
        below: vec![0.0; K * D * D],
    };
    let mut library = Library::new();
    for step in 0..STEPS {
        let (density, gradient) = library.density_value_and_grad(&p, K, D, &points)?;
        if step % 20 == 0 {
            println!("step {step:3}: {density:.10}");
        }
        let fields = [&mut p.logw, &mut p.mean, &mut p.logdiag, &mut p.below];
        let steps = [&gradient.logw, &gradient.mean, &gradient.logdiag, &gradient.below];
        for (x, dx) in fields.into_iter().zip(steps) {
            x.iter_mut().zip(dx).for_each(|(x, dx)| *x += RATE * dx);
        }
    }
    let sum: f64 = p.logw.iter().map(|w| w.exp()).sum();
    for j in 0..K {
        let mean: Vec<String> = p.mean[j * D..(j + 1) * D].iter().map(|x| format!("{x:.6}")).collect();
        println!("weight {:.10}, centre {}", p.logw[j].exp() / sum, mean.join(" "));
    }
    Ok(())
}
