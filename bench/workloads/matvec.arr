-- A chain of products of a matrix and a vector.

def value(weights: [layers][n][n]f64, x: [n]f64) -> f64 =
  let y = loop y = x for w in weights do tanh(w @ y)
  in sum(y * y)

def gradient(weights: [layers][n][n]f64, x: [n]f64) -> ([layers][n][n]f64, [n]f64) =
  grad(\((weights, x)) => value(weights, x))((weights, x))
