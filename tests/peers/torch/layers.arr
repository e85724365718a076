-- Normalisation, reductions, distances, indices, pooling, sampling, cells and attention.
import nn
import linalg
import stats

def layer_norm(x: [n][m]f64, g: [m]f64, b: [m]f64) -> [n][m]f64 =
  for row in x => nn.layer_norm(row, g, b, 1e-5)
def batch_norm(x: [n][m]f64, g: [m]f64, b: [m]f64) -> [n][m]f64 = nn.batch_norm(x, g, b, 1e-5).y
def rms_norm(x: [n]f64, g: [n]f64) -> [n]f64 = nn.rms_norm(x, g, 1e-6)
def group_norm(x: [g][c][m]f64) -> [g][c][m]f64 =
  for group in x =>
    let all = flatten(group)
    let d = group - mean(all)
    in d / sqrt(stats.variance(all) + 1e-5)
def products(x: [n]f64) -> f64 = product(x)
def running_products(x: [n]f64) -> [n]f64 = cumprod(x)
def deviations(a: [n][m]f64) -> [m]f64 = for col in transpose(a) => stats.sample_std(col)
def variances(a: [n][m]f64) -> [n]f64 = for row in a => stats.sample_variance(row)
def norm_of_order(x: [n]f64, p: f64) -> f64 = sum(abs(x) ** p) ** (1.0 / p)
--| Rows longer than a bound are scaled to it.
def renormed(a: [n][m]f64, most: f64) -> [n][m]f64 =
  for row in a => let s = linalg.norm(row) in if s > most then row * (most / s) else row
def normalized(a: [n][m]f64) -> [n][m]f64 = for row in a => row / max(linalg.norm(row), 1e-12)
def distances(a: [n][d]f64, b: [m][d]f64) -> [n][m]f64 =
  for x in a, y in b => sqrt(sum((x - y) ** 2))
def distances_of_order_one(a: [n][d]f64, b: [m][d]f64) -> [n][m]f64 =
  for x in a, y in b => sum(abs(x - y))
def pairwise(a: [n][d]f64) -> f64 = sum(for i < n => sum(for j < i => linalg.norm(a[i] - a[j])))
def correlations(a: [n][m]f64) -> [n][n]f64 = stats.correlation(transpose(a))
def rows_added_at(a: [n][m]f64, is: [k]i64, v: [k][m]f64) -> [n][m]f64 = scatter_add(a, is, 2.0 * v)
def rows_chosen(a: [n][m]f64, is: [k]i64) -> [k][m]f64 = gather(a, is) ** 2
def means_at(x: [n]f64, is: [k]i64, v: [k]f64) -> [n]f64 =
  let count = scatter_add(ones(n), is, replicate(k, 1.0))
  in scatter_add(x, is, v) / count
def masked(a: [n][m]f64, mask: [n][m]bool, v: f64) -> [n][m]f64 =
  for i, j => if mask[i, j] then v else a[i, j] * a[i, j]
def lerp(x: [n]f64, y: [n]f64, w: [n]f64) -> [n]f64 = x + w * (y - x)
def cross_product(a: [n][3]f64, b: [n][3]f64) -> [n][3]f64 =
  for i =>
    for j < 3 => a[i, (j + 1) % 3] * b[i, (j + 2) % 3] - a[i, (j + 2) % 3] * b[i, (j + 1) % 3]
def added_product(c: [n][p]f64, a: [n][m]f64, b: [m][p]f64) -> [n][p]f64 = 0.5 * c + 2.0 * (a @ b)
def batch_products(c: [n][p]f64, a: [b][n][m]f64, d: [b][m][p]f64) -> [n][p]f64 =
  c + sum(for i => a[i] @ d[i])
def max_pooled(x: [c][2*h][2*w]f64) -> [c][h][w]f64 = nn.max_pool2d(x, 2, 2) :> [c][h][w]f64
def average_pooled(x: [c][h+2][w+2]f64) -> [c][h][w]f64 = nn.avg_pool2d(x, 3, 1) :> [c][h][w]f64
--| Each of `k` windows reaches from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
def adaptive_pool(x: [n]f64, k: i64) -> [k]f64 =
  for i < k =>
    let (a, b) = (i * n / k, ((i + 1) * n + k - 1) / k)
    in sum(for j < b - a => x[a + j]) / f64(b - a)
def power_pool(x: [2*n]f64) -> [n]f64 = for i < n => sum(x[2*i:2*i+2] ** 3) ** (1.0 / 3.0)
def unfolded(x: [h][w]f64) = for i < h - 1, j < w - 2 => for k < 6 => x[i + k / 3, j + k % 3] ** 2
def response_norm(x: [c][n]f64) -> [c][n]f64 =
  for i < c, j < n =>
    let near = sum(for k < 3 => let q = i + k - 1 in if q < 0 or q >= c then 0.0 else x[q, j] ** 2)
    in x[i, j] / (1.0 + 1e-1 * near / 3.0) ** 0.75
def pixels_shuffled(x: [4][h][w]f64) -> [2*h][2*w]f64 =
  for i < 2 * h, j < 2 * w => x[(i % 2) * 2 + j % 2, i / 2, j / 2] ** 2
--| An image at places between its pixels, zero outside of it.
def grid_sample(x: [h][w]f64, places: [n][2]f64) -> [n]f64 =
  let at = \(i, j) => if i < 0 or i >= h or j < 0 or j >= w then 0.0 else x[i, j]
  in for p in places =>
    let (u, v) = (0.5 * (p[0] + 1.0) * f64(w - 1), 0.5 * (p[1] + 1.0) * f64(h - 1))
    let (j, i) = (i64(floor(u)), i64(floor(v)))
    let (s, t) = (u - floor(u), v - floor(v))
    in (1.0 - t) * ((1.0 - s) * at(i, j) + s * at(i, j + 1))
      + t * ((1.0 - s) * at(i + 1, j) + s * at(i + 1, j + 1))
def upsampled(x: [n]f64, k: i64) -> [k*n]f64 =
  for i < k * n =>
    let u = max((f64(i) + 0.5) / f64(k) - 0.5, 0.0)
    let j = i64(floor(u))
    let s = u - floor(u)
    in (1.0 - s) * x[j] + s * x[min(j + 1, n - 1)]
def embedded(table: [v][d]f64, tokens: [n]i64) -> [n][d]f64 = tanh(nn.embedding(table, tokens))
def bag_of_embeddings(table: [v][d]f64, tokens: [n]i64, bags: [n]i64, k: i64) -> [k][d]f64 =
  let sums = scatter_add(zeros(k, d), bags, gather(table, tokens))
  let counts = scatter_add(zeros(k), bags, replicate(n, 1.0))
  in for i => sums[i] / counts[i]
def lstm(
  input: [4][h][d]f64,
  state: [4][h][h]f64,
  bias: [4][h]f64,
  xs: [n][d]f64
) -> ([h]f64, [h]f64) =
  loop s = (zeros(h), zeros(h)) for x in xs do nn.lstm_cell({ input, state, bias }, s, x)
def gru(
  input: [3][h][d]f64,
  state: [3][h][h]f64,
  bias: [3][h]f64,
  h0: [h]f64,
  x: [d]f64
) -> [h]f64 =
  nn.gru_cell({ input, state, bias }, h0, x)
def attended(q: [n][d]f64, k: [m][d]f64, v: [m][e]f64) -> [n][e]f64 =
  nn.attention(q, k, v, nn.full_mask(n, m))
def attended_causally(q: [n][d]f64, k: [n][d]f64, v: [n][e]f64) -> [n][e]f64 =
  nn.attention(q, k, v, nn.causal_mask(n))
def transformer(
  x: [n][d]f64,
  wq: [d][d]f64,
  wk: [d][d]f64,
  wv: [d][d]f64,
  w1: [d][e]f64,
  w2: [e][d]f64
) -> [n][d]f64 =
  let y = x + nn.attention(x @ wq, x @ wk, x @ wv, nn.causal_mask(n))
  let one = ones(d)
  let normed = for row in y => nn.layer_norm(row, one, zeros(d), 1e-5)
  in y + (for row in normed @ w1 => map(nn.gelu, row)) @ w2
def perceptron(x: [n][d]f64, w1: [d][e]f64, b1: [e]f64, w2: [e][c]f64, labels: [n]i64) -> f64 =
  let hidden = for row in x @ w1 => max(row + b1, 0.0)
  in nn.cross_entropy(hidden @ w2, labels)
def trapezoids(y: [n]f64, x: [n]f64) -> f64 =
  sum(for i < n - 1 => 0.5 * (y[i] + y[i + 1]) * (x[i + 1] - x[i]))
def logcumsumexp(x: [n]f64) -> [n]f64 = for i < n => stats.logsumexp(x[:i+1])
def vander(x: [n]f64, k: i64) -> [n][k]f64 = for i => for j < k => x[i] ** (k - 1 - j)
def median_of_rows(a: [n][m]f64) -> [n]f64 = for row in a => sort(row)[(m - 1) / 2]
def quantiles(x: [n]f64) -> (f64, f64) = (stats.quantile(x, 0.3), stats.quantile(x, 0.9))
def adam_steps(x: [n]f64, rate: f64) -> [n]f64 =
  let (x, _, _) = loop (x, m, v) = (x, zeros(n), zeros(n)) for t < 4 do
    let g = grad(\x => sum(x ** 4 - x * x))(x)
    let (m, v) = (0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g)
    let (a, b) = (1.0 - 0.9 ** (t + 1), 1.0 - 0.99 ** (t + 1))
    in (x - rate * (m / a) / (sqrt(v / b) + 1e-8), m, v)
  in x
