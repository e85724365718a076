-- Regression with a Gaussian process: the logarithm of the marginal likelihood, with a squared exponential kernel that has a
-- length for each dimension. Rasmussen and Williams, Gaussian processes for machine learning (2006), algorithm 2.1.

import linalg

--| `lengths` are logarithms of the lengths; `scales` those of the variances of the signal and the noise.
def value(lengths: [d]f64, scales: [2]f64, x: [n][d]f64, y: [n]f64) -> f64 =
  let (signal, noise) = (exp(scales[0]), exp(scales[1]))
  let z = for p in x => p / exp(lengths)
  let k = for i, j =>
    let apart = sum((z[i] - z[j]) ** 2)
    in signal * exp(-0.5 * apart) + (if i == j then noise else 0.0)
  let l = linalg.cholesky(k)
  let a = linalg.solve_lower(l, y)
  in -0.5 * sum(a * a) - sum(log(linalg.diagonal(l))) - 0.5 * f64(n) * log(6.283185307179586)

def gradient(lengths: [d]f64, scales: [2]f64, x: [n][d]f64, y: [n]f64) -> ([d]f64, [2]f64) =
  grad(\((lengths, scales)) => value(lengths, scales, x, y))((lengths, scales))
