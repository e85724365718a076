-- Convolutions with strides, margins and dilation, windows, and running operations.
import nn
import signal

def convolved(x: [c][n]f64, k: [o][c][taps]f64, stride: i64, padding: i64, m: i64) -> [o][m]f64 =
  nn.conv1d(x, k, stride, padding) :> [o][m]f64
def convolved_plane(
  x: [c][h][w]f64,
  k: [o][c][p][q]f64,
  stride: i64,
  padding: i64,
  m: i64,
  l: i64
) -> [o][m][l]f64 =
  nn.conv2d(x, k, stride, padding) :> [o][m][l]f64
--| With holes of `d - 1` between the taps.
def dilated(x: [c][n]f64, k: [o][c][p]f64, d: i64) =
  for f < o, i < n - (p - 1) * d =>
    sum(for ch < c => sum(for a < p => x[ch, i + a * d] * k[f, ch, a]))
--| With `s - 1` zeros between the inputs: each input spreads over the outputs that it reaches.
def transposed(x: [n]f64, k: [p]f64, s: i64) =
  let zero = for i < (n - 1) * s + p => 0.0
  in loop y = zero for i < n do
    loop y = y for a < p do y with [i * s + a] = y[i * s + a] + x[i] * k[a]
--| Every channel has a kernel of its own.
def by_channel(x: [c][h][w]f64, k: [c][p][q]f64) =
  for ch < c, i < h - p + 1, j < w - q + 1 =>
    sum(for a < p => sum(for b < q => x[ch, i + a, j + b] * k[ch, a, b]))
def batch_of_images(x: [b][c][h][w]f64, k: [o][c][p][q]f64) =
  tanh(for image in x => nn.conv2d(image, k, 1, 1) :> [o][h][w]f64)
def two_layers(x: [c][h][w]f64, k: [o][c][3][3]f64, l: [2][o][3][3]f64) -> f64 =
  let y = nn.conv2d(x, k, 1, 1)
  let z = nn.conv2d(for a in y => for r in a => for v in r => max(v, 0.0), l, 2, 0)
  in sum(flatten(z * z))
def greatest_in_windows(x: [n]f64, k: i64) = for i < n - k + 1 => maximum(x[i:i+k]) * x[i]
def least_in_strides(x: [2*n+2]f64) -> [n]f64 = for i < n => minimum(x[2*i:2*i+3])
def products_in_windows(x: [n]f64) = for i < n - 2 => product(x[i:i+3])
def pooled(x: [c][h+1][w+1]f64) -> [c][h][w]f64 = nn.max_pool2d(x, 2, 1) :> [c][h][w]f64
def averaged(x: [c][2*h][2*w]f64) -> [c][h][w]f64 = (nn.avg_pool2d(x, 2, 2) :> [c][h][w]f64) ** 2
def full_convolution(x: [n]f64, y: [m]f64) = signal.convolve(x, y)
def fourier_convolution(x: [n]f64, y: [m]f64) = signal.fftconvolve(x, y)
def spectrum(x: [2*n]f64) -> [n+1]f64 =
  let s = signal.rfft(x) in (s.re * s.re + s.im * s.im) :> [n+1]f64
def fourier(x: [n]f64, y: [n]f64) -> ([n]f64, [n]f64) =
  let s = signal.fft({ re = x, im = y }) in (s.re, s.im)
def filtered(x: [n]f64) -> [n]f64 =
  let s = signal.rfft(x)
  in signal.irfft(
    { re = for k => s.re[k] / (1.0 + f64(k)), im = for k => s.im[k] / (1.0 + f64(k)) },
    n
  )
def running_products(a: [n][m]f64) -> [n][m]f64 = cumprod(a)
def running_maxima(a: [n][m]f64) -> [n][m]f64 = cummax(a)
def running_logsumexp(x: [n]f64) -> [n]f64 =
  scan(\(a, b) => let m = max(a, b) in m + log(exp(a - m) + exp(b - m)), -1e300, x)
def running_backwards(x: [n]f64) -> [n]f64 = reverse(cumprod(reverse(x))) * cumsum(x)
def moving_average(x: [n]f64, a: f64) -> [n]f64 = scan(\(s, v) => a * s + (1.0 - a) * v, 0.0, x)
def autoregression(x: [n]f64, w: [2]f64) -> [n]f64 =
  let (_, y) = loop ((p, q), y) = ((0.0, 0.0), zeros(n)) for i < n do
    let v = x[i] + w[0] * p + w[1] * q in ((v, p), y with [i] = v)
  in y
def biquad(x: [n]f64, b: [3]f64, a: [2]f64) -> [n]f64 =
  let (_, _, y) = loop (s, t, y) = (0.0, 0.0, zeros(n)) for i < n do
    let v = b[0] * x[i] + s
    in (b[1] * x[i] - a[0] * v + t, b[2] * x[i] - a[1] * v, y with [i] = v)
  in y
