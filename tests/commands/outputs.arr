-- What is found before a program runs, as this one fails when it does.

def main(n: i64) -> { t: [n]f64, w: [n][n]f64 } =
  { t = for i < n => [1.0][i + n], w = for i < n, j < n => 1.0 }

def lorenz(p: { sigma: f64, rho: f64, beta: f64 }) -> f64 = p.beta

def mean_of(u: [n]f64) -> f64 = sum(u) / f64(n)
