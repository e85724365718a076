-- A convolutional network that tells level, upright and slanting bars apart, in noisy pictures of eight by eight points.
--
-- $ arr run examples/convnet.arr steps=30
-- $ arr test examples/convnet.arr

import nn
import random

--| A picture and what is on it: a bar that is level (0), upright (1) or slanting (2), somewhere, and noise.
def picture(k: random.Key, kind: i64) -> [1][8][8]f64 =
  let keys = random.split(k, 2)
  let noise = reshape(random.normal(keys[0], 64), (8, 8))
  let at = random.randint(keys[1], 1, 2, 6)[0]
  in [for i < 8, j < 8 => 0.3 * noise[i, j] + f64([i == at, j == at, i + j == at + 4][kind])]

--| `n` pictures, of each kind in turn.
def pictures(seed: i64, n: i64) -> ([n][1][8][8]f64, [n]i64) =
  let kinds = for i < n => i % 3
  in (for i => picture(random.fold_in(random.key(seed), i), kinds[i]), kinds)

--| `f` filters of three by three points, and the scores of `c` kinds from what they find in nine parts of the picture.
type Model[f, c] = { filters: [f][1][3][3]f64, shift: [f]f64, weight: [c][9*f]f64, bias: [c]f64 }

def scores(m: Model[f, c], x: [1][8][8]f64) -> [c]f64 =
  let found = nn.conv2d(x, m.filters, 1, 0)
  let lit = for k => max(found[k] + m.shift[k], 0.0)
  in nn.dense(m.weight, m.bias, flatten(nn.avg_pool2d(lit, 2, 2)))

def loss(m: Model[f, c], xs: [n][1][8][8]f64, kinds: [n]i64) -> f64 =
  nn.cross_entropy(for x in xs => scores(m, x), kinds)

def accuracy(m: Model[f, c], xs: [n][1][8][8]f64, kinds: [n]i64) -> f64 =
  mean(for i => f64(argmax(scores(m, xs[i])) == kinds[i]))

def begin(f: i64, c: i64) -> Model[f, c] = {
  filters = reshape(0.3 * random.normal(random.key(1), 9 * f), (f, 1, 3, 3)),
  shift = zeros(f),
  weight = reshape(0.3 * random.normal(random.key(2), c * 9 * f), (c, 9 * f)),
  bias = zeros(c)
}

def train(
  start: Model[f, c],
  xs: [n][1][8][8]f64,
  kinds: [n]i64,
  steps: i64,
  rate: f64
) -> Model[f, c] =
  loop m = start for i < steps do
    let g = grad(loss)(m, xs, kinds)
    in {
      filters = m.filters - rate * g.filters,
      shift = m.shift - rate * g.shift,
      weight = m.weight - rate * g.weight,
      bias = m.bias - rate * g.bias
    }

--| Loss and accuracy before and after training, on 30 pictures, and the accuracy on 30 others.
def main(steps: i64) -> { loss: (f64, f64), accuracy: (f64, f64), others: f64 } =
  let (xs, kinds) = pictures(1, 30)
  let (others, other_kinds) = pictures(2, 30)
  let before = begin(4, 3)
  let after = train(before, xs, kinds, steps, 0.5)
  in {
    loss = (loss(before, xs, kinds), loss(after, xs, kinds)),
    accuracy = (accuracy(before, xs, kinds), accuracy(after, xs, kinds)),
    others = accuracy(after, others, other_kinds)
  }

test "slopes of the network" gradient (shift: [f]f64, bias: [3]f64, noise: [8][8]f64) =
  nn.cross_entropy([scores({ begin(f, 3) with shift, bias }, [noise])], [1])
