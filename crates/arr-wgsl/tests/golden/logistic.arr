--| The gradient of a logistic regression.
def loss(w: [d]f32, xs: [n][d]f32, ys: [n]f32) -> f32 =
  sum(for i < n => softplus(0.0 - ys[i] * sum(xs[i] * w)))

def main(w: [d]f32, xs: [n][d]f32, ys: [n]f32) -> [d]f32 = grad(\v => loss(v, xs, ys))(w)
