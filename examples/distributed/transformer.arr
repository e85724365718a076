-- A small language model: tokens become vectors, pass one block of a transformer, and each position predicts the token
-- that comes next. Vaswani et al., Attention is all you need (2017); normalisation first as in Xiong et al., On layer
-- normalization in the transformer architecture (2020). `transformer.py` trains it on several devices.
--
-- $ arr test examples/distributed/transformer.arr

import nn
import stats

--| `v` tokens, sequences of at most `n`, vectors of `d` numbers, `h` heads of `e` numbers, `f` hidden units.
type Model[v, n, d, h, e, f] = {
  tokens: [v][d]f64,
  places: [n][d]f64,
  gain: [2][d]f64,
  bias: [2][d]f64,
  heads: nn.Heads[h, d, e, f64],
  up: [d][f]f64,
  up_bias: [f]f64,
  down: [f][d]f64
}

def normed(x: [n][d]f64, gain: [d]f64, bias: [d]f64) -> [n][d]f64 =
  for row in x => nn.layer_norm(row, gain, bias, 1e-5)

--| The vectors that the block makes of a sequence.
def block(p: Model[v, n, d, h, e, f], x: [n][d]f64) -> [n][d]f64 =
  let x = x + nn.multi_head_attention(p.heads, normed(x, p.gain[0], p.bias[0]), nn.causal_mask(n))
  let hidden = normed(x, p.gain[1], p.bias[1]) @ p.up
  in x + (for row in hidden => map(nn.gelu, row + p.up_bias)) @ p.down

--| The mean over all positions of `-log(probability of the next token)`.
def loss(p: Model[v, n, d, h, e, f], text: [b][n+1]i64) -> f64 =
  let each = for s in text =>
    let y = block(p, for i < n => p.tokens[s[i]] + p.places[i])
    let scores = y @ transpose(p.tokens)
    in mean(for i < n => stats.logsumexp(scores[i]) - scores[i, s[i + 1]])
  in mean(each)

test "the gradient" gradient (
  tokens: [3][2]f64,
  up: [2][3]f64,
  query: [2][1][2]f64,
  out: [2][2][1]f64
) =
  let heads = { query, key = query, value = query, out }
  let norm = [[1.0, 0.5], [0.8, 1.2]]
  let p = {
    tokens,
    places = [[0.1, 0.2], [-0.3, 0.1]],
    gain = norm,
    bias = norm,
    heads,
    up,
    up_bias = [0.1, 0.0, -0.1],
    down = transpose(up)
  }
  in loss(p, [[0, 2, 1], [1, 1, 0]])
