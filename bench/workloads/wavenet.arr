-- Stacked causal convolutions with gates, each reading twice as far back as the one before, that guess the next sample of
-- a sound. van den Oord et al., WaveNet: a generative model for raw audio (2016), section 2. Single precision.

import nn

--| `x` as it was `by` samples before, zero where there was none.
def delayed(x: [c][n]f32, by: i64) -> [c][n]f32 =
  for j < c, t < n => if t < by then 0.0 else x[j, t - by]

--| A convolution of two taps, `by` samples apart.
def pair(w: [2][o][c]f32, x: [c][n]f32, by: i64) -> [o][n]f32 = w[0] @ delayed(x, by) + w[1] @ x

--| Scores of `q` levels for each sample of one sound, from the samples before.
def scores(
  embed: [q][c]f32,
  filter: [l][2][c][c]f32,
  gate: [l][2][c][c]f32,
  mix: [l][c][c]f32,
  skip: [l][s][c]f32,
  out: [q][s]f32,
  sound: [n]i64
) -> [n][q]f32 =
  let first = transpose(nn.embedding(embed, sound))
  let none: [s][n]f32 = zeros(s, n)
  let (_, skips) = loop (x, skips) = (first, none) for i < l do
    let by = 2 ** i
    let z = tanh(pair(filter[i], x, by)) * sigmoid(pair(gate[i], x, by))
    in (x + mix[i] @ z, skips + skip[i] @ z)
  in transpose(out @ max(skips, 0.0))

--| The mean cross entropy of the next samples of `b` sounds.
def value(
  embed: [q][c]f32,
  filter: [l][2][c][c]f32,
  gate: [l][2][c][c]f32,
  mix: [l][c][c]f32,
  skip: [l][s][c]f32,
  out: [q][s]f32,
  sounds: [b][n+1]i64
) -> f32 =
  mean(for sound in sounds =>
    nn.cross_entropy(scores(embed, filter, gate, mix, skip, out, sound[:n]), sound[1:]))

def gradient(
  embed: [q][c]f32,
  filter: [l][2][c][c]f32,
  gate: [l][2][c][c]f32,
  mix: [l][c][c]f32,
  skip: [l][s][c]f32,
  out: [q][s]f32,
  sounds: [b][n+1]i64
) =
  grad(\((embed, filter, gate, mix, skip, out)) =>
    value(embed, filter, gate, mix, skip, out, sounds))((embed, filter, gate, mix, skip, out))
