-- A language model: a long short-term memory that reads a batch of texts and guesses each next letter. Single precision.

import nn

def dense(x: [b][n]f32, w: [n][m]f32) -> [b][m]f32 = x @ w

--| One step of a batch: of the columns of `z` the first `h` let in, the next forget, change and show.
def step(z: [b][4*h]f32, c: [b][h]f32) -> ([b][h]f32, [b][h]f32) =
  let next = for i < b, j < h =>
    sigmoid(z[i, h + j]) * c[i, j] + sigmoid(z[i, j]) * tanh(z[i, 2 * h + j])
  in (for i < b, j < h => sigmoid(z[i, 3 * h + j]) * tanh(next[i, j]), next)

--| `text[t, i]` is letter `t` of text `i`; `embed` has a row a letter.
def value(
  embed: [c][4*h]f32,
  recur: [h][4*h]f32,
  bias: [4*h]f32,
  out: [h][c]f32,
  text: [steps+1][b]i64
) -> f32 =
  let start: ([b][h]f32, [b][h]f32) = (zeros(b, h), zeros(b, h))
  let (_, total) = loop ((hidden, cell), total) = (start, 0.0f32) for t < steps do
    let mixed = dense(hidden, recur)
    let z = for i < b, j < 4 * h => embed[text[t, i], j] + mixed[i, j] + bias[j]
    let (hidden, cell) = step(z, cell)
    in ((hidden, cell), total + nn.cross_entropy(dense(hidden, out), text[t + 1]))
  in total / f32(steps)

def gradient(
  embed: [c][4*h]f32,
  recur: [h][4*h]f32,
  bias: [4*h]f32,
  out: [h][c]f32,
  text: [steps+1][b]i64
) =
  grad(\((embed, recur, bias, out)) => value(embed, recur, bias, out, text))(
    (embed, recur, bias, out)
  )
