-- Neural networks: layers, activations, losses and initial weights, as plain functions.
--
-- Everything but `batch_norm`, `cross_entropy` and `nll_loss` works on one example: a vector `[n]t`, a signal
-- `[channels][n]t`, an image `[channels][h][w]t`, a sequence of vectors `[n][d]t`. A batch is a `for` over examples,
-- which the compiler turns into one kernel: `for row in logits => stats.softmax(row)`. Activations take one number:
-- `map(nn.relu, x)` for a vector.
--
-- The sizes of what most convolutions and poolings return depend on quotients of arguments, so the checker does not
-- know them; write `:>` where they must be known, `flatten(y) :> [64]f64`.

import stats

-- ---- Activations

--| `x` where it is positive and otherwise 0. Its derivative at 0 is 0.
--| > map(relu, [-1.0, 0.0, 2.0])
--| [0.0, 0.0, 2.0]
--| > grad(relu)(0.0)
--| 0.0
def relu[t: float](x: t) -> t = if x <= 0 then 0 else x

--| `x` where it is positive and otherwise `slope * x`. Its derivative at 0 is `slope`.
--| > leaky_relu(-2.0, 0.25)
--| -0.5
def leaky_relu[t: float](x: t, slope: t) -> t = if x <= 0 then slope * x else x

--| `x` where it is positive and otherwise `scale * (exp(x) - 1)`. Its derivative at 0 is `scale`. Clevert,
--| Unterthiner and Hochreiter, Fast and accurate deep network learning by exponential linear units (2016).
--| > elu(-1.0, 1.0)  -- within 1e-15
--| -0.6321205588285577
def elu[t: float](x: t, scale: t) -> t = if x <= 0 then scale * expm1(x) else x

--| `x` times the probability of at most `x` under the standard normal distribution. Hendrycks and Gimpel, Gaussian
--| error linear units (2016).
--| > gelu(1.0)  -- within 1e-15
--| 0.8413447460685429
def gelu[t: float](x: t) -> t = 0.5 * x * (1 + erf(0.7071067811865476 * x))

--| `x * sigmoid(x)`, also called swish.
--| > silu(1.0)  -- within 1e-15
--| 0.7310585786300049
def silu[t: float](x: t) -> t = x * sigmoid(x)

--| `x * tanh(softplus(x))`. Misra, Mish: a self regularized non-monotonic activation function (2020).
--| > mish(1.0)  -- within 1e-15
--| 0.8650983882673103
def mish[t: float](x: t) -> t = x * tanh(softplus(x))

--| `elu` with the scales that keep mean 0 and variance 1 from layer to layer. Its derivative at 0 is that of the
--| left side. Klambauer et al., Self-normalizing neural networks (2017).
--| > map(selu, [1.0, -1.0])  -- within 1e-14
--| [1.0507009873554805, -1.1113307378125628]
def selu[t: float](x: t) -> t = 1.0507009873554805 * elu(x, 1.6732632423543772)

--| `x` where it lies between -1 and 1, and the nearer of these elsewhere.
--| > map(hard_tanh, [-2.0, 0.5])
--| [-1.0, 0.5]
def hard_tanh[t: float](x: t) -> t = min(max(x, -1), 1)

--| The logarithm of `sigmoid`, without overflow.
--| > log_sigmoid(-1000.0)
--| -1000.0
def log_sigmoid[t: float](x: t) -> t = -softplus(-x)

--| `x` where it is positive and otherwise the slope of its channel times `x`, see `leaky_relu`. He et al., Delving deep
--| into rectifiers (2015).
--| > prelu([[-2.0, 1.0], [-2.0, 1.0]], [0.25, 0.5])
--| [[-0.5, 1.0], [-1.0, 1.0]]
def prelu[t: float](x: [c][n]t, slope: [c]t) -> [c][n]t =
  for ch => for v in x[ch] => leaky_relu(v, slope[ch])

-- ---- Layers

--| The affine layer `w @ x + b`.
--| > dense([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.0], [1.0, 1.0])
--| [3.5, 7.0]
def dense[t: float](w: [m][n]t, b: [m]t, x: [n]t) -> [m]t = w @ x + b

--| The rows of `table` that the tokens number. A token that is no row gives the error E0601.
--| > embedding([[0.0, 1.0], [2.0, 3.0]], [1, 1, 0])
--| [[2.0, 3.0], [2.0, 3.0], [0.0, 1.0]]
def embedding[t: float](table: [v][d]t, tokens: [n]i64) -> [n][d]t = gather(table, tokens)

--| Cross-correlation of the signals `x` with `kernel`, as neural networks call convolution: output channel `o` at
--| place `i` is the sum over channels `c` and taps `a` of `x[c, i * stride + a - padding] * kernel[o, c, a]`, where
--| `x` is 0 outside. There are `(n + 2 * padding - taps) / stride + 1` places.
--| > conv1d([[1.0, 2.0, 3.0, 4.0]], [[[1.0, -1.0]]], 1, 0)
--| [[-1.0, -1.0, -1.0]]
--| > conv1d([[1.0, 2.0, 3.0, 4.0]], [[[1.0, 1.0]]], 2, 1)
--| [[1.0, 5.0, 4.0]]
def conv1d[t: float](x: [c][n]t, kernel: [o][c][taps]t, stride: i64, padding: i64) =
  let padded = for ch < c, i < n + 2 * padding =>
    if i < padding or i >= n + padding then 0 else x[ch, i - padding]
  in for out < o, i < (n + 2 * padding - taps) / stride + 1 =>
    sum(for ch < c => sum(for a < taps => padded[ch, i * stride + a] * kernel[out, ch, a]))

--| Cross-correlation of the images `x` with `kernel`, see `conv1d`; stride and padding are those of both axes.
--| > conv2d([[[1.0, 2.0], [3.0, 4.0]]], [[[[1.0, 0.0], [0.0, 1.0]]]], 1, 0)
--| [[[5.0]]]
--| > conv2d([[[1.0, 2.0], [3.0, 4.0]]], [[[[1.0, 1.0], [1.0, 1.0]]]], 2, 1)
--| [[[1.0, 2.0], [3.0, 4.0]]]
def conv2d[t: float](x: [c][h][w]t, kernel: [o][c][p][q]t, stride: i64, padding: i64) =
  let padded = for ch < c, i < h + 2 * padding, j < w + 2 * padding =>
    if i < padding or i >= h + padding or j < padding or j >= w + padding then 0
    else x[ch, i - padding, j - padding]
  in for out < o, i < (h + 2 * padding - p) / stride + 1, j < (w + 2 * padding - q) / stride + 1 =>
    sum(for ch < c => sum(for a < p => sum(for b < q =>
      padded[ch, i * stride + a, j * stride + b] * kernel[out, ch, a, b])))

--| Cross-correlation of the volumes `x` with `kernel`, see `conv1d`; stride and padding are those of all axes.
--| > conv3d([[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]], [[[[[1.0]], [[-1.0]]]]], 1, 0)
--| [[[[-4.0, -4.0], [-4.0, -4.0]]]]
def conv3d[t: float](x: [c][d][h][w]t, kernel: [o][c][p][q][r]t, stride: i64, padding: i64) =
  let padded = for ch < c, i < d + 2 * padding, j < h + 2 * padding, k < w + 2 * padding =>
    let (y, z, v) = (i - padding, j - padding, k - padding)
    in if y < 0 or y >= d or z < 0 or z >= h or v < 0 or v >= w then 0 else x[ch, y, z, v]
  let planes = (d + 2 * padding - p) / stride + 1
  let (rows, columns) = ((h + 2 * padding - q) / stride + 1, (w + 2 * padding - r) / stride + 1)
  in for out < o, i < planes, j < rows, k < columns =>
    sum(for ch < c => sum(for a < p => sum(for b < q => sum(for e < r =>
      padded[ch, i * stride + a, j * stride + b, k * stride + e] * kernel[out, ch, a, b, e]))))

--| The transpose of `conv2d`, a layer that makes images larger: with the same `kernel`, stride and padding it takes
--| images like the results of `conv2d` to images like its arguments, and is the derivative of `conv2d` by `x`, applied
--| to `y`. Every element of `y` adds a copy of the kernel times itself, `stride` apart; `padding` rows and columns are
--| cut off on each side. The rows that a stride in `conv2d` did not reach are missing. `conv_transpose2d` of PyTorch,
--| whose kernels have these axes too: channels of `y` first, then those of the result.
--| > conv_transpose2d([[[1.0, 2.0], [3.0, 4.0]]], [[[[1.0, 0.0], [0.0, 10.0]]]], 1, 0)
--| [[[1.0, 2.0, 0.0], [3.0, 14.0, 20.0], [0.0, 30.0, 40.0]]]
--| > conv_transpose2d([[[1.0, 2.0]]], [[[[1.0, 1.0]]]], 2, 0)
--| [[[1.0, 1.0, 2.0, 2.0]]]
def conv_transpose2d[t: float](
  y: [o][h][w]t,
  kernel: [o][c][p][q]t,
  stride: i64,
  padding: i64
) -> [c][h*stride-stride+p-2*padding][w*stride-stride+q-2*padding]t =
  _spread2d(
    y,
    kernel,
    stride,
    padding,
    h * stride - stride + p - 2 * padding,
    w * stride - stride + q - 2 * padding
  )

-- `conv_transpose2d` with this many rows and columns. Those that leave the same remainder by `stride` meet the same
-- elements of the kernel: for each pair of remainders it is a convolution with stride 1.
def _spread2d[t: float](
  y: [o][h][w]t,
  kernel: [o][c][p][q]t,
  stride: i64,
  padding: i64,
  rows: i64,
  columns: i64
) -> [c][rows][columns]t =
  let (m, l) = ((p - 1) / stride + 1, (q - 1) / stride + 1)
  let (high, wide) = ((rows + padding - 1) / stride + 1, (columns + padding - 1) / stride + 1)
  let taps = for r < stride, s < stride, ch < c, out < o, a < m, b < l =>
    let (u, v) = (r + (m - 1 - a) * stride, s + (l - 1 - b) * stride)
    in if u < p and v < q then kernel[out, ch, u, v] else 0
  let padded = for out < o, i < high + m - 1, j < wide + l - 1 =>
    let (row, column) = (i - (m - 1), j - (l - 1))
    in if row < 0 or row >= h or column < 0 or column >= w then 0 else y[out, row, column]
  let parts = for r < stride, s < stride, ch < c, i < high, j < wide =>
    sum(for out < o => sum(for a < m => sum(for b < l =>
      padded[out, i + a, j + b] * taps[r, s, ch, out, a, b])))
  in for ch < c, i < rows, j < columns =>
    let (i, j) = (i + padding, j + padding)
    in parts[i % stride, j % stride, ch, i / stride, j / stride]

--| The largest element of every window of `size` times `size`, at steps of `stride`. There are `(h - size) / stride +
--| 1` by `(w - size) / stride + 1` windows. The derivative goes to the first of the largest elements, by rows.
--| > max_pool2d([[[1.0, 2.0, 5.0], [4.0, 3.0, 0.0], [0.0, 0.0, 6.0]]], 2, 1)
--| [[[4.0, 5.0], [4.0, 6.0]]]
def max_pool2d[t: float](x: [c][h][w]t, size: i64, stride: i64) =
  for ch < c, i < (h - size) / stride + 1, j < (w - size) / stride + 1 =>
    maximum(for k < size * size => x[ch, i * stride + k / size, j * stride + k % size])

--| The mean of every window of `size` times `size`, at steps of `stride`, see `max_pool2d`.
--| > avg_pool2d([[[1.0, 2.0], [3.0, 6.0]]], 2, 2)
--| [[[3.0]]]
def avg_pool2d[t: float](x: [c][h][w]t, size: i64, stride: i64) =
  for ch < c, i < (h - size) / stride + 1, j < (w - size) / stride + 1 =>
    sum(for a < size => sum(for b < size => x[ch, i * stride + a, j * stride + b])) / t(size * size)

--| The largest element of every window of `size`, at steps of `stride`. There are `(n - size) / stride + 1` windows.
--| The derivative goes to the first of the largest elements.
--| > max_pool1d([[1.0, 3.0, 2.0, 0.0]], 2, 2)
--| [[3.0, 2.0]]
def max_pool1d[t: float](x: [c][n]t, size: i64, stride: i64) =
  for ch < c, i < (n - size) / stride + 1 => maximum(for k < size => x[ch, i * stride + k])

--| The mean of every window of `size`, at steps of `stride`, see `max_pool1d`.
--| > avg_pool1d([[1.0, 3.0, 2.0, 0.0]], 2, 1)
--| [[2.0, 2.5, 1.0]]
def avg_pool1d[t: float](x: [c][n]t, size: i64, stride: i64) =
  for ch < c, i < (n - size) / stride + 1 => sum(for k < size => x[ch, i * stride + k]) / t(size)

--| Images of any size brought to `rows` by `columns`: element `i, j` is the mean of the rows from `i h / rows`, rounded
--| down, to `(i + 1) h / rows`, rounded up, and of the columns alike; neighbouring windows may overlap. With 1 by 1 it
--| is the mean of each channel. `adaptive_avg_pool2d` of PyTorch. The mean of an image without elements is NaN.
--| > adaptive_avg_pool2d([[[1.0, 2.0, 6.0], [3.0, 4.0, 8.0]]], 1, 2)
--| [[[2.5, 5.0]]]
def adaptive_avg_pool2d[t: float](
  x: [c][h][w]t,
  rows: i64,
  columns: i64
) -> [c][rows][columns]t =
  for ch < c, i < rows, j < columns =>
    let (top, left) = (i * h / rows, j * w / columns)
    let height = ((i + 1) * h + rows - 1) / rows - top
    let width = ((j + 1) * w + columns - 1) / columns - left
    in sum(for a < height => sum(for b < width => x[ch, top + a, left + b])) / t(height * width)

--| `x` with `keep[i]` false set to 0 and the rest divided by `1 - rate`, the share that is kept, so that the mean
--| stays.
--| > dropout([1.0, 2.0], [true, false], 0.5)
--| [2.0, 0.0]
def dropout[t: float](x: [n]t, keep: [n]bool, rate: t) -> [n]t =
  for i => if keep[i] then x[i] / (1 - rate) else 0

-- ---- Normalisation

--| `x` shifted and scaled to mean 0 and variance 1, then scaled by `gain` and shifted by `bias`. `eps` is added to
--| the variance. Ba, Kiros and Hinton, Layer normalization (2016).
--| > layer_norm([1.0, 3.0], [1.0, 2.0], [0.0, 1.0], 0.0)
--| [-1.0, 3.0]
def layer_norm[t: float](x: [n]t, gain: [n]t, bias: [n]t, eps: t) -> [n]t =
  let d = x - mean(x)
  in d / sqrt(mean(d * d) + eps) * gain + bias

--| `x` divided by the root of its mean square, scaled by `gain`. `eps` is added to the mean square. Zhang and
--| Sennrich, Root mean square layer normalization (2019).
--| > rms_norm([3.0, 3.0], [1.0, 2.0], 0.0)
--| [1.0, 2.0]
def rms_norm[t: float](x: [n]t, gain: [n]t, eps: t) -> [n]t = x / sqrt(mean(x * x) + eps) * gain

--| Each feature of a batch, one example a row, shifted and scaled to mean 0 and variance 1 over the batch, then
--| scaled by `gain` and shifted by `bias`; and the mean and variance of the batch. Ioffe and Szegedy, Batch
--| normalization (2015).
--| > batch_norm([[1.0], [3.0]], [2.0], [1.0], 0.0).y
--| [[-1.0], [3.0]]
def batch_norm[t: float](
  x: [b][n]t,
  gain: [n]t,
  bias: [n]t,
  eps: t
) -> { y: [b][n]t, mean: [n]t, variance: [n]t } =
  let m = mean(x)
  let v = mean(for i < b => (x[i] - m) ** 2)
  in { y = for row in x => batch_norm_with(row, m, v, gain, bias, eps), mean = m, variance = v }

--| One example normalised with a mean and variance seen before, as `batch_norm` does.
--| > batch_norm_with([3.0], [2.0], [1.0], [2.0], [1.0], 0.0)
--| [3.0]
def batch_norm_with[t: float](
  x: [n]t,
  mean: [n]t,
  variance: [n]t,
  gain: [n]t,
  bias: [n]t,
  eps: t
) -> [n]t =
  (x - mean) / sqrt(variance + eps) * gain + bias

--| `x` with each group of `c / groups` channels shifted and scaled to mean 0 and variance 1, then each channel scaled by
--| its `gain` and shifted by its `bias`. `eps` is added to the variance; `groups` divides `c`. Wu and He, Group
--| normalization (2018).
--| > group_norm([[1.0], [3.0], [5.0], [5.0]], 2, [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 7.0], 1e-9)  -- within 1e-8
--| [[-1.0], [1.0], [0.0], [7.0]]
def group_norm[t: float](x: [c][n]t, groups: i64, gain: [c]t, bias: [c]t, eps: t) -> [c][n]t =
  let size = c / groups
  let means = for g < groups => sum(for k < size => sum(x[g * size + k])) / t(size * n)
  let roots = for g < groups =>
    sqrt(sum(for k < size => sum((x[g * size + k] - means[g]) ** 2)) / t(size * n) + eps)
  in for k < c => (x[k] - means[k / size]) / roots[k / size] * gain[k] + bias[k]

--| Each channel of `x` shifted and scaled to mean 0 and variance 1, then scaled by its `gain` and shifted by its
--| `bias`: `group_norm` with as many groups as channels. Ulyanov, Vedaldi and Lempitsky, Instance normalization (2016).
--| > instance_norm([[1.0, 3.0], [5.0, 5.0]], [1.0, 2.0], [0.0, 7.0], 1e-9)  -- within 1e-8
--| [[-1.0, 1.0], [7.0, 7.0]]
def instance_norm[t: float](x: [c][n]t, gain: [c]t, bias: [c]t, eps: t) -> [c][n]t =
  group_norm(x, c, gain, bias, eps)

-- ---- Attention

--| The mask of a sequence that looks at itself and at what came before: element `i, j` is `j <= i`.
--| > causal_mask(2)
--| [[true, false], [true, true]]
def causal_mask(n: i64) -> [n][n]bool = for i < n, j < n => j <= i

--| The mask that leaves out nothing.
--| > full_mask(1, 2)
--| [[true, true]]
def full_mask(n: i64, m: i64) -> [n][m]bool = for i < n, j < m => true

--| Scaled dot-product attention: row `i` is the mean of the rows of `values`, weighted by the exponentials of
--| `queries[i] @ keys[j] / sqrt(d)` over those `j` that `mask[i, j]` allows; zero where it allows none. Vaswani et
--| al., Attention is all you need (2017).
--| > attention([[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[2.0], [4.0]], causal_mask(2))
--| [[2.0], [3.0]]
def attention[t: float](
  queries: [n][d]t,
  keys: [m][d]t,
  values: [m][e]t,
  mask: [n][m]bool
) -> [n][e]t =
  let scores = (queries @ transpose(keys)) / sqrt(t(d))
  let weights = for i => _masked_softmax(scores[i], mask[i])
  in weights @ values

def _masked_softmax[t: float](x: [m]t, mask: [m]bool) -> [m]t =
  let shift =
    if m == 0 then 0 else maximum(for j => if mask[j] then stop_gradient(x[j]) else t(-1) / 0)
  let parts = for j => if mask[j] then exp(x[j] - shift) else 0
  let total = sum(parts)
  in if total == 0 then parts else parts / total

--| The weights of attention with `h` heads on vectors of `d` numbers: head `k` takes queries, keys and values of `e`
--| numbers by `query[k] @ x` and so on, and adds `out[k] @ y` to the result.
type Heads[h, d, e, t: float] =
  { query: [h][e][d]t, key: [h][e][d]t, value: [h][e][d]t, out: [h][d][e]t }

--| Attention with several heads of the sequence `x` on itself, see `attention` and `Heads`.
--| > let w = [[[1.0]], [[2.0]]] in multi_head_attention({ query = w, key = w, value = w, out = w }, [[1.0], [1.0]], causal_mask(2))
--| [[5.0], [5.0]]
def multi_head_attention[t: float](p: Heads[h, d, e, t], x: [n][d]t, mask: [n][n]bool) -> [n][d]t =
  sum(for k < h =>
    let seen = attention(
      x @ transpose(p.query[k]),
      x @ transpose(p.key[k]),
      x @ transpose(p.value[k]),
      mask
    )
    in seen @ transpose(p.out[k]))

--| Rotary positions: of the vector at place `p`, elements `k` and `k + d` are turned by the angle `p / base ** (k / d)`,
--| so that products of two vectors depend on the distance between their places alone. Su et al., RoFormer (2021).
--| > rope([[1.0, 0.0], [1.0, 0.0]], 10000.0)  -- within 1e-15
--| [[1.0, 0.0], [0.5403023058681398, 0.8414709848078965]]
def rope[t: float](x: [n][2*d]t, base: t) -> [n][2*d]t =
  for p < n, k < 2 * d =>
    let angle = t(p) * exp(-log(base) * t(k % d) / t(d))
    in if k < d then x[p, k] * cos(angle) - x[p, k + d] * sin(angle)
       else x[p, k] * cos(angle) + x[p, k - d] * sin(angle)

-- ---- Recurrent cells

--| The weights of a cell with `h` units that reads `d` numbers and has `g` gates.
type Cell[g, h, d, t: float] = { input: [g][h][d]t, state: [g][h][h]t, bias: [g][h]t }

--| One step of a long short-term memory: from the hidden and the cell state and an input to the next states. The
--| gates are, in order, input, forget, candidate and output. Hochreiter and Schmidhuber (1997), Gers et al. (2000).
--| > lstm_cell({ input = zeros(4, 1, 2), state = zeros(4, 1, 1), bias = zeros(4, 1) }, ([0.0], [2.0]), [1.0, 1.0])  -- within 1e-15
--| ([0.38079707797788243], [1.0])
def lstm_cell[t: float](
  p: Cell[4, h, d, t],
  (hidden, cell): ([h]t, [h]t),
  x: [d]t
) -> ([h]t, [h]t) =
  let gate = for g < 4 => p.input[g] @ x + p.state[g] @ hidden + p.bias[g]
  let next = sigmoid(gate[1]) * cell + sigmoid(gate[0]) * tanh(gate[2])
  in (sigmoid(gate[3]) * tanh(next), next)

--| One step of a gated recurrent unit: from the hidden state and an input to the next state. The gates are, in order,
--| reset, update and candidate; the reset gate multiplies the state after its product with the weights. Cho et al.
--| (2014).
--| > gru_cell({ input = zeros(3, 1, 1), state = zeros(3, 1, 1), bias = zeros(3, 1) }, [2.0], [1.0])
--| [1.0]
def gru_cell[t: float](p: Cell[3, h, d, t], hidden: [h]t, x: [d]t) -> [h]t =
  let seen = for g < 3 => p.input[g] @ x + p.bias[g]
  let kept = for g < 3 => p.state[g] @ hidden
  let reset = sigmoid(seen[0] + kept[0])
  let update = sigmoid(seen[1] + kept[1])
  let candidate = tanh(seen[2] + reset * kept[2])
  in (1 - update) * candidate + update * hidden

-- ---- Losses

--| The mean squared difference.
--| > mse([1.0, 2.0], [0.0, 4.0])
--| 2.5
def mse[t: float](y: [n]t, target: [n]t) -> t = mean((y - target) ** 2)

--| The mean absolute difference. Its derivative where they are equal is 0.
--| > mae([1.0, 2.0], [0.0, 4.0])
--| 1.5
def mae[t: float](y: [n]t, target: [n]t) -> t = mean(abs(y - target))

--| The mean of half the squared difference where that is at most `delta` in size, and of the line that continues it
--| smoothly beyond. Huber (1964).
--| > huber([1.0, 2.0], [0.0, 4.0], 1.0)
--| 1.0
def huber[t: float](y: [n]t, target: [n]t, delta: t) -> t =
  mean(for i =>
    let d = abs(y[i] - target[i])
    in if d <= delta then 0.5 * d * d else delta * (d - 0.5 * delta))

--| The mean over a batch of minus the logarithm of the probability that `softmax(logits[i])` gives to class
--| `labels[i]`. A label that is no class gives the error E0601.
--| > cross_entropy([[0.0, log(3.0)], [0.0, 0.0]], [1, 0])  -- within 1e-14
--| 0.49041462650586315
def cross_entropy[t: float](logits: [b][n]t, labels: [b]i64) -> t =
  mean(for i => stats.logsumexp(logits[i]) - logits[i, labels[i]])

--| The mean of minus the logarithm of the probability of `target`, 0 or 1 or between, where 1 has the probability
--| `sigmoid(logits[i])`. It does not overflow.
--| > binary_cross_entropy_logits([0.0, 1000.0], [1.0, 1.0])
--| 0.34657359027997264
def binary_cross_entropy_logits[t: float](logits: [n]t, target: [n]t) -> t =
  mean(softplus(logits) - logits * target)

--| The divergence of Kullback and Leibler from the distribution of `logits` to the probabilities `target`: the mean
--| over `target` of the difference of their logarithms. Where a probability is 0, its term is.
--| > kl_div([0.0, 0.0], [0.5, 0.5])  -- within 1e-15
--| 0.0
def kl_div[t: float](logits: [n]t, target: [n]t) -> t =
  let l = stats.log_softmax(logits)
  in sum(for i => if target[i] == 0 then 0 else target[i] * (log(target[i]) - l[i]))

--| The binary cross entropy of one logit and its `target`, 0 or 1, in which examples that are well classified count
--| less: times the probability of the wrong answer to the power of `focus`. Lin et al., Focal loss for dense object
--| detection (2017).
--| > focal(0.0, 1.0, 2.0)  -- within 1e-15
--| 0.17328679513998632
def focal[t: float](logit: t, target: t, focus: t) -> t =
  let z = if target > 0.5 then logit else -logit
  in softplus(-z) * sigmoid(-z) ** focus

--| The labels as probabilities: `1 - share` for the right class, and `share` divided among all.
--| > label_smoothing(4, 1, 0.2)  -- within 1e-15
--| [0.05, 0.8500000000000001, 0.05, 0.05]
def label_smoothing[t: float](classes: i64, label: i64, share: t) -> [classes]t =
  for i < classes => share / t(classes) + (if i == label then 1 - share else 0)

--| The mean over a batch of minus `log_probs[i, labels[i]]`, the cross entropy of probabilities whose logarithms are
--| known: with `stats.log_softmax` of every row it is `cross_entropy`. A label that is no class gives the error E0601,
--| an empty batch NaN.
--| > nll_loss([[-0.5, -1.0], [-2.0, -0.25]], [1, 0])
--| 1.5
def nll_loss[t: float](log_probs: [b][n]t, labels: [b]i64) -> t =
  -mean(for i => log_probs[i, labels[i]])

--| The mean of what the scores `y` lack to 1 on the right side, for targets -1 and 1: of `1 - target * y` where that is
--| positive. Its derivative at the kink is 0. The loss of support vector machines, Cortes and Vapnik (1995).
--| > hinge([0.5, 2.0, 0.5], [1.0, 1.0, -1.0])  -- within 1e-15
--| 0.6666666666666666
def hinge[t: float](y: [n]t, target: [n]t) -> t = mean(max(0, 1 - target * y))

--| The cosine of the angle between two vectors: their product over that of their lengths, of which those less than
--| `eps` count as `eps`. With an `eps` above 0 the cosine with the zero vector is 0.
--| > cosine_similarity([3.0, 4.0], [6.0, 8.0], 1e-8)
--| 1.0
--| > cosine_similarity([3.0, 4.0], [0.0, 0.0], 1e-8)
--| 0.0
def cosine_similarity[t: float](x: [n]t, y: [n]t, eps: t) -> t =
  sum(x * y) / (max(eps, _length(x)) * max(eps, _length(y)))

-- The length of a vector. Its derivative at zero is zero.
def _length[t: float](x: [n]t) -> t =
  let s = sum(x * x) in if s == 0 then 0 else sqrt(s)

--| By how much `positive` is not nearer to `anchor` than `negative` by `margin`: the difference of their Euclidean
--| distances from it, plus `margin`, and 0 where that is negative. The derivative of a distance that is 0 is 0.
--| Schroff, Kalenichenko and Philbin, FaceNet (2015).
--| > triplet_margin_loss([0.0, 0.0], [3.0, 4.0], [0.0, 5.5], 1.0)
--| 0.5
def triplet_margin_loss[t: float](anchor: [n]t, positive: [n]t, negative: [n]t, margin: t) -> t =
  max(0, _length(anchor - positive) - _length(anchor - negative) + margin)

--| Minus the logarithm of the probability of the sequence `labels`, where each of `n` steps names a class, or `blank`,
--| with the logarithmic probabilities `log_probs[step]`: the sum over all sequences of `n` names of which `labels` are
--| left once names that repeat their neighbour are counted once and blanks removed. `labels` has no blanks. Infinite,
--| with derivative zero, where there is no such sequence, as with fewer steps than labels. A label that is no class
--| gives the error E0601. The forward algorithm on logarithms, `n m`; reverse mode makes the backward algorithm of it.
--| Graves et al., Connectionist temporal classification (2006).
--| > ctc_loss([[log(0.5), log(0.5)], [log(0.25), log(0.75)]], [1], 0)  -- within 1e-15
--| 0.13353139262452263
def ctc_loss[t: float](log_probs: [n][k]t, labels: [m]i64, blank: i64) -> t =
  -- Places are those of the labels with blanks between them and at both ends; at first one is at the first blank.
  let start: [2*m+1]t = for s < 2 * m + 1 => if s == 0 then 0 else t(-1) / 0
  let l = loop l = start for row in log_probs do
    for s < 2 * m + 1 =>
      let stay = l[s]
      let step = if s > 0 then l[s - 1] else t(-1) / 0
      let skips = s % 2 == 1 and s > 1 and labels[s / 2] != labels[max(s / 2 - 1, 0)]
      let skip = if skips then l[s - 2] else t(-1) / 0
      in row[if s % 2 == 1 then labels[s / 2] else blank] + _logsumexp3(stay, step, skip)
  in -_logsumexp3(l[2 * m], if m > 0 then l[2 * m - 1] else t(-1) / 0, t(-1) / 0)

-- Where all are minus infinity, so is the result, with derivative zero.
def _logsumexp3[t: float](a: t, b: t, c: t) -> t =
  let m = stop_gradient(max(a, max(b, c)))
  in if m == t(-1) / 0 then m else m + log(exp(a - m) + exp(b - m) + exp(c - m))

-- ---- Initial weights

--| Uniform weights of variance `2 / (n + m)` from numbers uniform on `0 .. 1`. Glorot and Bengio (2010).
--| > glorot_uniform([[0.0, 0.5, 1.0]])  -- within 1e-14
--| [[-1.224744871391589, 0.0, 1.224744871391589]]
def glorot_uniform[t: float](u: [m][n]t) -> [m][n]t = (2 * u - 1) * sqrt(6 / t(n + m))

--| Uniform weights of variance `2 / n` from numbers uniform on `0 .. 1`, for layers before `relu`. He et al. (2015).
--| > he_uniform([[0.0, 0.5, 1.0]])  -- within 1e-14
--| [[-1.4142135623730951, 0.0, 1.4142135623730951]]
def he_uniform[t: float](u: [m][n]t) -> [m][n]t = (2 * u - 1) * sqrt(6 / t(n))

--| Normal weights of variance `2 / n` from two arrays of numbers uniform on `0 .. 1`, 1 excluded, see `he_uniform`.
--| > he_normal([[0.5]], [[0.0]])  -- within 1e-14
--| [[1.6651092223153954]]
def he_normal[t: float](u: [m][n]t, v: [m][n]t) -> [m][n]t =
  for i, j => normal_from_uniform(u[i, j], v[i, j]) * sqrt(2 / t(n))

--| Uniform weights of variance `1 / n` from numbers uniform on `0 .. 1`, for layers before `selu`. LeCun et al.,
--| Efficient backprop (1998).
--| > lecun_uniform([[0.0, 0.5, 1.0]])
--| [[-1.0, 0.0, 1.0]]
def lecun_uniform[t: float](u: [m][n]t) -> [m][n]t = (2 * u - 1) * sqrt(3 / t(n))

--| Normal weights of variance `1 / n` from two arrays of numbers uniform on `0 .. 1`, 1 excluded, see `lecun_uniform`.
--| > lecun_normal([[0.5]], [[0.0]])  -- within 1e-14
--| [[1.1774100225154747]]
def lecun_normal[t: float](u: [m][n]t, v: [m][n]t) -> [m][n]t =
  for i, j => normal_from_uniform(u[i, j], v[i, j]) * sqrt(1 / t(n))

--| Normal weights of variance `2 / (n + m)` from two arrays of numbers uniform on `0 .. 1`, 1 excluded, see
--| `glorot_uniform`.
--| > glorot_normal([[0.5]], [[0.0]])  -- within 1e-14
--| [[1.1774100225154747]]
def glorot_normal[t: float](u: [m][n]t, v: [m][n]t) -> [m][n]t =
  for i, j => normal_from_uniform(u[i, j], v[i, j]) * sqrt(2 / t(n + m))

--| A standard normal number from two that are uniform on `0 .. 1`, 1 excluded. Box and Muller (1958).
--| > normal_from_uniform(0.5, 0.0)  -- within 1e-14
--| 1.1774100225154747
def normal_from_uniform[t: float](u: t, v: t) -> t =
  sqrt(-2 * log1p(-u)) * cos(6.283185307179586 * v)

-- ---- Tests

def _heads(
  query: [2][2][3]f64,
  key: [2][2][3]f64,
  value: [2][2][3]f64,
  out: [2][3][2]f64
) -> Heads[2, 3, 2, f64] =
  { query = query, key = key, value = value, out = out }

test "activations gradient" gradient (x: f64) =
  let y = 0.5 + x * x
  in (
    relu(y),
    relu(-y),
    leaky_relu(y, 0.1),
    leaky_relu(-y, 0.1),
    elu(y, 2.0),
    elu(-y, 2.0),
    gelu(x),
    silu(x)
  )
test "dense gradient" gradient (w: [2][3]f64, b: [2]f64, x: [3]f64) = dense(w, b, x)
test "embedding gradient" gradient (table: [3][2]f64) = embedding(table, [2, 0, 2])
test "conv1d gradient" gradient (x: [2][5]f64, k: [2][2][3]f64) =
  (conv1d(x, k, 1, 0), conv1d(x, k, 2, 1))
test "conv2d gradient" gradient (x: [2][4][3]f64, k: [2][2][2][2]f64) =
  (conv2d(x, k, 1, 0), conv2d(x, k, 2, 1))
test "pooling gradient" gradient (x: [1][4][4]f64) =
  let y = tanh(x) + (for i < 4, j < 4 => 3.0 * f64(i + 2 * j))
  in (max_pool2d(y, 2, 2), avg_pool2d(x, 2, 1))
test "dropout gradient" gradient (x: [3]f64) = dropout(x, [true, false, true], 0.25)
test "layer_norm gradient" gradient (x: [3]f64, g: [3]f64, b: [3]f64) = layer_norm(x, g, b, 0.1)
test "rms_norm gradient" gradient (x: [3]f64, g: [3]f64) = rms_norm(x, g, 0.1)
test "batch_norm gradient" gradient (x: [3][2]f64, g: [2]f64, b: [2]f64) = batch_norm(x, g, b, 0.1)
test "attention gradient" gradient (q: [3][2]f64, k: [3][2]f64, v: [3][2]f64) =
  attention(q, k, v, causal_mask(3))
test "multi_head_attention gradient" gradient (
  x: [3][3]f64,
  q: [2][2][3]f64,
  k: [2][2][3]f64,
  v: [2][2][3]f64,
  o: [2][3][2]f64
) =
  multi_head_attention(_heads(tanh(q), tanh(k), v, o), tanh(x), full_mask(3, 3))
test "lstm_cell gradient" gradient (
  w: [4][2][3]f64,
  u: [4][2][2]f64,
  b: [4][2]f64,
  h: [2]f64,
  c: [2]f64,
  x: [3]f64
) =
  lstm_cell({ input = w, state = u, bias = b }, (h, c), x)
test "gru_cell gradient" gradient (
  w: [3][2][3]f64,
  u: [3][2][2]f64,
  b: [3][2]f64,
  h: [2]f64,
  x: [3]f64
) =
  gru_cell({ input = w, state = u, bias = b }, h, x)
test "losses gradient" gradient (y: [3]f64, target: [3]f64) = (
  mse(y, target),
  mae(5.0 + tanh(y), tanh(target)),
  huber(y, target, 1.0),
  binary_cross_entropy_logits(y, sigmoid(target))
)
test "cross_entropy gradient" gradient (logits: [2][3]f64) = cross_entropy(logits, [2, 0])
test "weights gradient" gradient (u: [2][3]f64, v: [2][3]f64) =
  (glorot_uniform(u), he_uniform(u), he_normal(sigmoid(tanh(u)), v))

test "a mask that allows nothing" =
  attention([[1.0]], [[1.0]], [[3.0]], [[false]]) == [[0.0]]
test "a mask that allows nothing has the derivative zero" =
  grad(\q => sum(sum(attention(q, [[1.0]], [[3.0]], [[false]]))))([[1.0]]) == [[0.0]]
test "a recurrent network is a loop" within 1e-12 =
  let p = { input = ones(4, 1, 1), state = ones(4, 1, 1), bias = zeros(4, 1) }
  let (h, c) = loop (h, c) = ([0.0], [0.0]) for x in [[1.0], [-1.0]] do lstm_cell(p, (h, c), x)
  in (h == [-0.00018748225432121311], c == [-0.0005396395692333633])
test "ties of pooling go to the first" =
  grad(\x => sum(sum(sum(max_pool2d(x, 2, 2)))))([[[1.0, 1.0], [1.0, 1.0]]])
    == [[[1.0, 0.0], [0.0, 0.0]]]
test "single precision" = (
  relu(-1.0f32) == 0.0,
  dense([[1.0f32]], [1.0], [2.0]) == [3.0],
  mse([1.0f32], [3.0]) == 4.0,
  conv1d([[1.0f32, 2.0]], [[[1.0, 1.0]]], 1, 0) == [[3.0]]
)
test "more activations gradient" gradient (x: f64) =
  let y = 0.5 + x * x
  in (mish(x), selu(y), selu(-y), log_sigmoid(x), hard_tanh(0.9 * tanh(x)))
test "group_norm gradient" gradient (x: [4][2]f64, g: [4]f64, b: [4]f64) =
  group_norm(x, 2, g, b, 0.1)
test "rope gradient" gradient (x: [3][4]f64) = rope(x, 100.0)
test "rope depends on the distance" within 1e-12 =
  let x = [1.0, 2.0, 3.0, 4.0]
  let y = rope(replicate(6, x), 100.0)
  in (sum(y[0] * y[2]) == sum(y[3] * y[5]), sum(y[1] * y[1]) == sum(x * x))
test "more losses gradient" gradient (logits: [3]f64, x: f64) = (
  kl_div(logits, [0.2, 0.0, 0.8]),
  focal(x, 1.0, 2.0),
  focal(x, 0.0, 1.5),
  label_smoothing(3, 1, sigmoid(x))
)
test "probabilities that are those of the target" within 1e-15 =
  kl_div([1.0, 2.0, 3.0], stats.softmax([1.0, 2.0, 3.0])) == 0.0
test "prelu gradient" gradient (x: [2][2]f64, s: [2]f64) =
  prelu(1.0 + x * x, s) + prelu(-1.0 - x * x, s)
test "conv3d gradient" gradient (x: [1][2][2][3]f64, k: [2][1][2][1][2]f64) = conv3d(x, k, 2, 1)
test "conv_transpose2d gradient" gradient (y: [2][2][3]f64, k: [2][2][3][2]f64) =
  (conv_transpose2d(y, k, 1, 0), conv_transpose2d(y, k, 2, 1))
test "pooling of signals and adaptive gradient" gradient (x: [2][5]f64) =
  let y = tanh(x) + [0.0, 6.0, 3.0, 9.0, -3.0]
  in (max_pool1d(y, 3, 2), avg_pool1d(x, 2, 1), adaptive_avg_pool2d([x], 2, 3))
test "instance_norm gradient" gradient (x: [2][3]f64, g: [2]f64, b: [2]f64) =
  instance_norm(x, g, b, 0.1)
test "losses of pairs gradient" gradient (x: [3]f64, y: [3]f64, z: [3]f64) =
  let far = 9.0 + z * z
  in (
    cosine_similarity(x, y, 1e-8),
    triplet_margin_loss(tanh(x), tanh(y), far, 100.0),
    triplet_margin_loss(tanh(x), far, tanh(y), 1.0),
    hinge(2.0 + tanh(x), [1.0, -1.0, -1.0]),
    nll_loss([x, y], [2, 0])
  )
test "ctc_loss gradient" gradient (x: [4][3]f64) =
  (ctc_loss(x, [1, 2], 0), ctc_loss(x, [1, 1], 0), ctc_loss(x, [0], 1))
test "weights of other variances gradient" gradient (u: [2][3]f64, v: [2][3]f64) =
  let u = sigmoid(tanh(u))
  in (lecun_uniform(u), lecun_normal(u, v), glorot_normal(u, v))
test "a transposed convolution is the transpose" within 1e-9 (
  x: [2][5][4]f64,
  y: [3][3][3]f64,
  k: [3][2][3][2]f64
) =
  let there = conv2d(tanh(x), tanh(k), 2, 1) :> [3][3][3]f64
  let back = conv_transpose2d(tanh(y), tanh(k), 2, 1) :> [2][5][4]f64
  in 1.0 + sum(flatten(there * tanh(y))) == 1.0 + sum(flatten(back * tanh(x)))
-- Values of JAX, and of sums over all sequences.
test "known layers and losses" within 1e-14 =
  let x = [[1.0, 2.0, 0.0, -1.0, 3.0], [2.0, 2.0, 1.0, 0.0, -4.0]]
  let m = [x, x * x - 1.0]
  let k = [
    [[[1.0, 0.5], [2.0, -1.0]], [[0.0, 1.0], [1.0, 3.0]]],
    [[[2.0, 1.0], [0.0, -1.0]], [[1.0, 1.0], [-2.0, 0.5]]]
  ]
  let l = log([[0.5, 0.3, 0.2], [0.25, 0.5, 0.25], [0.2, 0.2, 0.6], [0.7, 0.1, 0.2]])
  in (
    conv_transpose2d(m[:, :, :2], k, 3, 0)
      == [
        [
          [1.0, 0.5, 0.0, 8.0, 4.0],
          [2.0, -1.0, 0.0, 4.0, -5.0],
          [0.0, 0.0, 0.0, 0.0, 0.0],
          [8.0, 4.0, 0.0, 8.0, 4.0],
          [4.0, -5.0, 0.0, 4.0, -5.0]
        ],
        [
          [0.0, 1.0, 0.0, 3.0, 5.0],
          [1.0, 3.0, 0.0, -4.0, 7.5],
          [0.0, 0.0, 0.0, 0.0, 0.0],
          [3.0, 5.0, 0.0, 3.0, 5.0],
          [-4.0, 7.5, 0.0, -4.0, 7.5]
        ]
      ],
    conv3d([m], [[[[[1.0, -1.0], [2.0, 0.5]], [[0.0, 3.0], [1.0, 1.0]]]]], 2, 1)
      == [[[[1.0, 2.0, 2.0], [6.0, 3.0, -12.0]], [[0.0, 5.5, 4.0], [-3.0, 3.0, -16.0]]]],
    instance_norm(x, [2.0, 0.5], [1.0, -1.0], 1e-3)
      == [
        [1.0, 2.4138601415098044, -0.41386014150980466, -1.8277202830196093, 3.8277202830196093],
        [
          -0.5959288013706224, -0.5959288013706224, -0.8204128006091655, -1.0448967998477086,
          -1.942832796801881
        ]
      ],
    adaptive_avg_pool2d([x], 2, 3) == [[[1.5, 0.3333333333333333, 1.0], [2.0, 1.0, -2.0]]],
    ctc_loss(l, [1, 2], 0) == 1.0569906139772902,
    ctc_loss(l, [1, 1], 0) == 3.8397023438485203,
    ctc_loss(l, [0, 2], 1) == 1.9805015938249322,
    ctc_loss(l, zeros(0) :> [0]i64, 0) == 4.045554398052668,
    ctc_loss(l, [1, 2, 1, 2], 0) == 5.809142990314028
  )
test "labels that no sequence leaves" = (
  is_finite(ctc_loss([[0.0, 0.0]], [1, 1], 0)) == false,
  grad(ctc_loss)([[0.0, 0.0]], [1, 1], 0) == [[0.0, 0.0]],
  is_finite(ctc_loss(zeros(0, 2), [1], 0)) == false,
  ctc_loss(zeros(0, 2), zeros(0) :> [0]i64, 0) == 0.0
)
test "second derivatives of ctc_loss" within 1e-13 =
  let f = \x: [3][2]f64 => ctc_loss(x, [1], 0)
  let x = [[-1.0, -2.0], [-1.0, -0.5], [0.25, -1.0]]
  in hessian(f)(x) == jacrev(grad(f))(x)
test "slopes at zero and at kinks are zero" = (
  grad(\x => cosine_similarity(x, [1.0], 0.5))([0.0]) == [2.0],
  grad(\x => triplet_margin_loss(x, [1.0], [1.0], 0.5))([1.0]) == [0.0],
  grad(\y => hinge(y, [1.0]))([1.0]) == [0.0]
)
test "single precision of more layers" = (
  conv_transpose2d([[[1.0f32]]], [[[[2.0, 3.0]]]], 1, 0) == [[[2.0, 3.0]]],
  abs(ctc_loss([[log(0.5f32), log(0.5)]], [1], 0) - 0.6931472) < 1e-6,
  adaptive_avg_pool2d([[[1.0f32, 3.0]]], 1, 1) == [[[2.0]]],
  hinge([0.5f32], [1.0]) == 0.5
)
