-- A network of one hidden layer that learns a curve: its loss and gradient run in a browser, see the page beside.
--
-- $ arr run examples/webgpu/fit.arr

type Network[h] = { inner: [h]f64, bias: [h]f64, outer: [h]f64 }

def predict(net: Network[h], x: f64) -> f64 =
  sum(for i => net.outer[i] * tanh(net.inner[i] * x + net.bias[i]))

--| The mean square error on the points `xs`, `ys`.
def loss(net: Network[h], xs: [n]f64, ys: [n]f64) -> f64 =
  let errors = for i => predict(net, xs[i]) - ys[i]
  in sum(errors * errors) / f64(n)

def main() -> f64 =
  let xs = for i < 5 => f64(i) / 4.0
  in loss({ inner = [1.0, -2.0], bias = [0.0, 0.5], outer = [0.5, 1.0] }, xs, sin(xs))
