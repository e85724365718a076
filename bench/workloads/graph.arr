-- A network on a graph: in every round the nodes send messages along edges and are changed by the sum of what they receive.
-- Gilmer et al., Neural message passing for quantum chemistry (2017). Single precision.

import nn

--| What goes along each edge, from its ends.
def messages(
  w: [2*d][d]f32,
  bias: [d]f32,
  nodes: [n][d]f32,
  from: [e]i64,
  to: [e]i64
) -> [e][d]f32 =
  for k => map(nn.silu, concat(nodes[from[k]], nodes[to[k]]) @ w + bias)

--| The nodes after a round.
def updated(w: [2*d][d]f32, bias: [d]f32, nodes: [n][d]f32, received: [n][d]f32) -> [n][d]f32 =
  for i => tanh(concat(nodes[i], received[i]) @ w + bias)

--| The mean squared difference between `target` and what is read from each node after `r` rounds.
def value(
  send: [r][2*d][d]f32,
  send_bias: [r][d]f32,
  update: [r][2*d][d]f32,
  update_bias: [r][d]f32,
  out: [d]f32,
  start: [n][d]f32,
  target: [n]f32,
  from: [e]i64,
  to: [e]i64
) -> f32 =
  let last = loop nodes = start for i < r do
    let sent = messages(send[i], send_bias[i], nodes, from, to)
    let received = scatter_add(zeros(n, d), to, sent)
    in updated(update[i], update_bias[i], nodes, received)
  in nn.mse(last @ out, target)

def gradient(
  send: [r][2*d][d]f32,
  send_bias: [r][d]f32,
  update: [r][2*d][d]f32,
  update_bias: [r][d]f32,
  out: [d]f32,
  start: [n][d]f32,
  target: [n]f32,
  from: [e]i64,
  to: [e]i64
) =
  grad(\((send, send_bias, update, update_bias, out)) =>
    value(send, send_bias, update, update_bias, out, start, target, from, to))(
    (send, send_bias, update, update_bias, out)
  )
