-- Weights added up in bins, and the sum of the squares of the bins.

def value(weights: [n]f64, bins: [n]i64, count: i64) -> f64 =
  let total = scatter_add(zeros(count), bins, weights)
  in sum(total * total)

def gradient(weights: [n]f64, bins: [n]i64, count: i64) -> [n]f64 =
  grad(value)(weights, bins, count)
