-- A recurrent network in which every step goes through several layers with gates. Zilly et al., Recurrent highway
-- networks (2017), with coupled gates. Single precision.

--| One layer of a step for a batch: where the gate is open the state is replaced.
def layer(s: [b][h]f32, change: [b][h]f32, gate: [b][h]f32) -> [b][h]f32 =
  let open = sigmoid(gate)
  in tanh(change) * open + s * (1.0 - open)

--| The mean squared error of what is read from the last state. `xs[t]` are the inputs of step `t`, which the first layer
--| sees; index 0 of the weights is for the change, and 1 for the gate.
def value(
  input: [2][d][h]f32,
  recur: [l][2][h][h]f32,
  bias: [l][2][h]f32,
  out: [h]f32,
  xs: [steps][b][d]f32,
  target: [b]f32
) -> f32 =
  let start: [b][h]f32 = zeros(b, h)
  let last = loop s = start for x in xs do
    let seen = for k => x @ input[k]
    in loop s = s for i < l do
      let z = for k < 2 =>
        let y = s @ recur[i, k]
        in for a < b, j < h => y[a, j] + bias[i, k, j] + (if i == 0 then seen[k, a, j] else 0.0)
      in layer(s, z[0], z[1])
  in mean((last @ out - target) ** 2)

def gradient(
  input: [2][d][h]f32,
  recur: [l][2][h][h]f32,
  bias: [l][2][h]f32,
  out: [h]f32,
  xs: [steps][b][d]f32,
  target: [b]f32
) -> ([2][d][h]f32, [l][2][h][h]f32, [l][2][h]f32, [h]f32) =
  grad(\((input, recur, bias, out)) => value(input, recur, bias, out, xs, target))(
    (input, recur, bias, out)
  )
