-- Layers in a loop, their weights stacked: the derivative of a layer's weights is one product.
-- cost: w=[3][N][N] bias=[3][N] x=[N][N] sizes 4 8 16 factor 4
def f(w: [l][c][c]f64, bias: [l][c]f64, x: [b][c]f64) -> f64 =
  sum(flatten(loop y = x for i < l do for row in y @ w[i] => for k => tanh(row[k] + bias[i, k])))
def gradient(w: [l][c][c]f64, bias: [l][c]f64, x: [b][c]f64) =
  (f(w, bias, x), grad(\((w, bias, x)) => f(w, bias, x))((w, bias, x)))
