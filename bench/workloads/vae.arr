-- A variational autoencoder: the evidence lower bound of pictures, with given draws. Kingma and Welling, Auto-encoding
-- variational Bayes (2014). Single precision.

def dense(x: [b][n]f32, w: [n][m]f32, bias: [m]f32) -> [b][m]f32 =
  let y = x @ w
  in for row in y => row + bias

--| The loss for each of the pictures `xs`, whose pixels are between 0 and 1: `h` hidden units on each side, and `z`
--| hidden numbers, of which `noise` are draws of the standard normal distribution.
def value(
  w1: [d][h]f32,
  b1: [h]f32,
  w_mean: [h][z]f32,
  b_mean: [z]f32,
  w_spread: [h][z]f32,
  b_spread: [z]f32,
  w2: [z][h]f32,
  b2: [h]f32,
  w3: [h][d]f32,
  b3: [d]f32,
  xs: [b][d]f32,
  noise: [b][z]f32
) -> f32 =
  let coded = tanh(dense(xs, w1, b1))
  let centre = dense(coded, w_mean, b_mean)
  let log_variance = dense(coded, w_spread, b_spread)
  let drawn = centre + exp(0.5 * log_variance) * noise
  let logits = dense(tanh(dense(drawn, w2, b2)), w3, b3)
  let differs = for i => sum(softplus(logits[i]) - logits[i] * xs[i])
  let apart = for i =>
    0.5 * sum(exp(log_variance[i]) + centre[i] ** 2 - 1.0 - log_variance[i])
  in mean(differs + apart)

def gradient(
  w1: [d][h]f32,
  b1: [h]f32,
  w_mean: [h][z]f32,
  b_mean: [z]f32,
  w_spread: [h][z]f32,
  b_spread: [z]f32,
  w2: [z][h]f32,
  b2: [h]f32,
  w3: [h][d]f32,
  b3: [d]f32,
  xs: [b][d]f32,
  noise: [b][z]f32
) =
  grad(\((w1, b1, w_mean, b_mean, w_spread, b_spread, w2, b2, w3, b3)) =>
    value(w1, b1, w_mean, b_mean, w_spread, b_spread, w2, b2, w3, b3, xs, noise))(
    (w1, b1, w_mean, b_mean, w_spread, b_spread, w2, b2, w3, b3)
  )
