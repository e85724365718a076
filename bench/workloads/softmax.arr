-- Softmax regression: `n` points of `d` numbers, each of one of `c` classes.

import stats

def value(weight: [c][d]f64, bias: [c]f64, xs: [n][d]f64, ys: [n]i64) -> f64 =
  mean(for i =>
    let z = weight @ xs[i] + bias
    in stats.logsumexp(z) - z[ys[i]])

def gradient(weight: [c][d]f64, bias: [c]f64, xs: [n][d]f64, ys: [n]i64) -> ([c][d]f64, [c]f64) =
  grad(\((weight, bias)) => value(weight, bias, xs, ys))((weight, bias))
