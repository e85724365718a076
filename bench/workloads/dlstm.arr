-- The recurrent network of ADBench: layers of long short-term memory with diagonal weights, over a sequence.

def cell(w: [4][b]f64, bias: [4][b]f64, x: [b]f64, hidden: [b]f64, c: [b]f64) -> ([b]f64, [b]f64) =
  let forget = sigmoid(x * w[0] + bias[0])
  let ingate = sigmoid(hidden * w[1] + bias[1])
  let outgate = sigmoid(x * w[2] + bias[2])
  let change = tanh(hidden * w[3] + bias[3])
  let next = c * forget + ingate * change
  in (outgate * tanh(next), next)

--| The negative logarithm of the likelihood of `sequence`, a row a step, for each number of it.
def value(
  weights: [layers][2][4][b]f64,
  extra: [3][b]f64,
  state: [layers][2][b]f64,
  sequence: [steps+1][b]f64
) -> f64 =
  let (_, total) = loop (s, total) = (state, 0.0) for t < steps do
    let (x, s) = loop (x, s) = (sequence[t] * extra[0], s) for i < layers do
      let (hidden, c) = cell(weights[i, 0], weights[i, 1], x, s[i, 0], s[i, 1])
      in (hidden, s with [i, 0] = hidden with [i, 1] = c)
    let y = x * extra[1] + extra[2]
    let score = y - log(sum(exp(y)) + 2.0)
    in (s, total + sum(sequence[t + 1] * score))
  in -total / f64(b * steps)

def gradient(
  weights: [layers][2][4][b]f64,
  extra: [3][b]f64,
  state: [layers][2][b]f64,
  sequence: [steps+1][b]f64
) =
  grad(\((weights, extra)) => value(weights, extra, state, sequence))((weights, extra))
