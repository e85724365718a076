-- GradBench's `lstm`: the loss of a network of layers without matrices on a text, and its gradient.
--
-- $ arr test examples/gradbench/lstm.arr

--| The next hidden and cell state of a layer. Weights and biases are those of the gates that forget, let in and show, and of the
--| change, one after the other.
def layer(
  weight: [4*b]f64,
  bias: [4*b]f64,
  hidden: [b]f64,
  cell: [b]f64,
  x: [b]f64
) -> ([b]f64, [b]f64) =
  let forget = sigmoid(x * weight[:b] + bias[:b])
  let ingate = sigmoid(hidden * weight[b:2*b] + bias[b:2*b])
  let outgate = sigmoid(x * weight[2*b:3*b] + bias[2*b:3*b])
  let change = tanh(hidden * weight[3*b:4*b] + bias[3*b:4*b])
  let next = cell * forget + ingate * change
  in (outgate * tanh(next), next)

--| The mean over letters and bits of minus the logarithm of the probability of the next letter. Rows of `main_params` are the
--| weights and biases of a layer, of `state` its hidden and cell state; `extra_params` are the weights of the input, and
--| the weights and biases of the output.
def objective(
  main_params: [2*l][4*b]f64,
  extra_params: [3][b]f64,
  state: [2*l][b]f64,
  sequence: [c][b]f64
) -> f64 =
  let start = (for i < l => state[2 * i], for i < l => state[2 * i + 1], zeros(c - 1, b))
  let (hidden, cells, seen) = loop (hidden, cells, seen) = start for t < c - 1 do
    let below = (hidden, cells, sequence[t] * extra_params[0])
    let (hidden, cells, y) = loop (hidden, cells, x) = below for i < l do
      let (h, cell) = layer(main_params[2 * i], main_params[2 * i + 1], hidden[i], cells[i], x)
      in (hidden with [i] = h, cells with [i] = cell, h)
    in (hidden, cells, seen with [t] = y)
  let total = sum(for t < c - 1 =>
    let score = seen[t] * extra_params[1] + extra_params[2]
    in sum(sequence[t + 1] * (score - log(2.0 + sum(exp(score))))))
  in -total / f64((c - 1) * b)

--| The gradient by all parameters, row after row.
def jacobian(
  main_params: [2*l][4*b]f64,
  extra_params: [3][b]f64,
  state: [2*l][b]f64,
  sequence: [c][b]f64
) -> [8*b*l+3*b]f64 =
  let loss = \((main, extra)) => objective(main, extra, state, sequence)
  let (main, extra) = grad(loss)((main_params, extra_params))
  in concat(flatten(main), flatten(extra))

test "slope" gradient (
  main: [4][8]f64,
  extra: [3][2]f64,
  state: [4][2]f64,
  sequence: [4][2]f64
) = objective(main, extra, state, sequence)
