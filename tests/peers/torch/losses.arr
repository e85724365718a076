-- Activations, softmax and losses.
import nn
import stats

def logsumexp(x: [n]f64) -> f64 = stats.logsumexp(x)
def logsumexp_of_rows(a: [n][m]f64) -> [n]f64 = for row in a => stats.logsumexp(row)
def softmax(x: [n]f64) -> [n]f64 = stats.softmax(x)
def log_softmax(x: [n]f64) -> [n]f64 = stats.log_softmax(x)
def softmin_down(a: [n][m]f64) -> [n][m]f64 =
  let e = exp(for i => -a[i] + minimum(a)) in for i => e[i] / sum(e)
def gelu(x: [n]f64) -> [n]f64 = map(nn.gelu, x)
def gelu_by_tanh(x: [n]f64) -> [n]f64 =
  for v in x => 0.5 * v * (1.0 + tanh(0.7978845608028654 * (v + 0.044715 * v ** 3)))
def silu(x: [n]f64) -> [n]f64 = map(nn.silu, x)
def mish(x: [n]f64) -> [n]f64 = x * tanh(softplus(x))
def softplus_sharp(x: [n]f64, beta: f64) -> [n]f64 = softplus(beta * x) / beta
def elu(x: [n]f64) -> [n]f64 = for v in x => nn.elu(v, 1.5)
def selu(x: [n]f64) -> [n]f64 = 1.0507009873554805 * (for v in x => nn.elu(v, 1.6732632423543772))
def celu(x: [n]f64) -> [n]f64 = max(x, 0.0) + min(0.0, 0.5 * expm1(2.0 * x))
def leaky_relu(x: [n]f64) -> [n]f64 = for v in x => nn.leaky_relu(v, 0.01)
def parametric_relu(x: [n]f64, a: f64) -> [n]f64 = for v in x => if v >= 0.0 then v else a * v
def relu_to_six(x: [n]f64) -> [n]f64 =
  for v in x => if v > 0.0 and v < 6.0 then v else if v >= 6.0 then 6.0 else 0.0
def hard_tanh(x: [n]f64) -> [n]f64 =
  for v in x => if v <= -1.0 then -1.0 else if v >= 1.0 then 1.0 else v
def hard_swish(x: [n]f64) -> [n]f64 =
  for v in x => if v <= -3.0 then 0.0 else if v >= 3.0 then v else v * (v + 3.0) / 6.0
def hard_shrink(x: [n]f64) -> [n]f64 = for v in x => if abs(v) > 0.5 then v else 0.0
def soft_shrink(x: [n]f64) -> [n]f64 =
  for v in x => if v > 0.5 then v - 0.5 else if v < -0.5 then v + 0.5 else 0.0
def soft_sign(x: [n]f64) -> [n]f64 = x / (1.0 + abs(x))
def log_sigmoid(x: [n]f64) -> [n]f64 = -softplus(-x)
def gated_linear(x: [2*n]f64) -> [n]f64 = x[:n] * sigmoid(x[n:])
def cross_entropy(a: [b][n]f64, labels: [b]i64) -> f64 = nn.cross_entropy(a, labels)
def weighted_cross_entropy(a: [b][n]f64, labels: [b]i64, w: [n]f64) -> f64 =
  let l = for i => w[labels[i]] * (stats.logsumexp(a[i]) - a[i, labels[i]])
  in sum(l) / sum(gather(w, labels))
def smoothed_cross_entropy(a: [b][n]f64, labels: [b]i64) -> f64 =
  mean(for i =>
    let l = stats.log_softmax(a[i])
    in -0.9 * l[labels[i]] - 0.1 * mean(l))
def binary_cross_entropy(x: [n]f64, t: [n]f64) -> f64 = nn.binary_cross_entropy_logits(x, t)
def binary_cross_entropy_of_shares(p: [n]f64, t: [n]f64) -> f64 =
  -mean(t * log(p) + (1.0 - t) * log(1.0 - p))
def huber(x: [n]f64, y: [n]f64) -> f64 = nn.huber(x, y, 0.7)
def smooth_l1(x: [n]f64, y: [n]f64) -> f64 =
  mean(for a in x - y => if abs(a) < 0.5 then a * a else abs(a) - 0.25)
def mean_square(x: [n]f64, y: [n]f64) -> f64 = nn.mse(x, y)
def mean_size(x: [n]f64, y: [n]f64) -> f64 = nn.mae(x, y)
def divergence(x: [n]f64, t: [n]f64) -> f64 = sum(t * (log(t) - x))
def poisson_loss(x: [n]f64, t: [n]f64) -> f64 = mean(exp(x) - t * x)
def gaussian_loss(m: [n]f64, t: [n]f64, v: [n]f64) -> f64 = 0.5 * mean(log(v) + (m - t) ** 2 / v)
def hinge_of_classes(a: [b][n]f64, labels: [b]i64) -> f64 =
  mean(for i =>
    sum(for j => if j == labels[i] then 0.0 else max(0.0, 1.0 - a[i, labels[i]] + a[i, j]))
      / f64(n))
def soft_margin(x: [n]f64, t: [n]f64) -> f64 = mean(log1p(exp(-t * x)))
def margin_ranking(x: [n]f64, y: [n]f64, t: [n]f64) -> f64 =
  mean(for i => max(0.0, 0.3 - t[i] * (x[i] - y[i])))
def triplet(a: [n][m]f64, p: [n][m]f64, q: [n][m]f64) -> f64 =
  let far = \(x, y) => sqrt(sum((x - y + 1e-6) ** 2))
  in mean(for i => max(0.0, far(a[i], p[i]) - far(a[i], q[i]) + 1.0))
def cosine_similarity(x: [n][m]f64, y: [n][m]f64) -> [n]f64 =
  for i => x[i] @ y[i] / (sqrt(x[i] @ x[i]) * sqrt(y[i] @ y[i]))
def focal(x: [n]f64, t: [n]f64) -> f64 =
  mean(for i =>
    let p = sigmoid(x[i])
    in if t[i] > 0.5 then -((1.0 - p) ** 2) * log(p) else -(p ** 2) * log(1.0 - p))
--| The loss of a sequence of labels by connectionist temporal classification, in logarithms.
def ctc(logits: [t][k]f64, labels: [s]i64) -> f64 =
  let l = for row in logits => stats.log_softmax(row)
  let symbol = for j < 2 * s + 1 => if j % 2 == 0 then 0 else labels[j / 2]
  let join =
    \(a, b) => let m = max(a, b) in if m < -1e20 then -1e30 else m + log(exp(a - m) + exp(b - m))
  let first = for j < 2 * s + 1 => if j < 2 then l[0, symbol[j]] else -1e30
  let last = loop a = first for i < t - 1 do
    for j < 2 * s + 1 =>
      let one = if j > 0 then join(a[j], a[j - 1]) else a[j]
      let two =
        if j > 1 and symbol[j] != 0 and symbol[j] != symbol[j - 2] then join(one, a[j - 2]) else one
      in two + l[i + 1, symbol[j]]
  in -join(last[2 * s], last[2 * s - 1])
