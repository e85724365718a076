-- Signals: Fourier and cosine transforms, convolution, filters, windows and spectra.
--
-- Complex signals are records of two arrays. Transforms of any length cost `n log n`; their derivatives are
-- transforms again.

-- ---- Fourier transforms

--| `n` complex numbers.
type Complex[n, t: float] = { re: [n]t, im: [n]t }

--| A real signal as a complex one.
--| > real([1.0, 2.0])
--| {re = [1.0, 2.0], im = [0.0, 0.0]}
def real[t: float](x: [n]t) -> Complex[n, t] = { re = x, im = zeros(n) }

--| The discrete Fourier transform: element `k` is the sum over `j` of `x[j] * exp(-2 pi i j k / n)`. Lengths that are
--| powers of two by radix 2 (Stockham's order), others by a convolution of twice to four times the length (Bluestein,
--| 1970). Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992.
--| > fft(real([1.0, 2.0, 3.0, 4.0]))  -- within 1e-15
--| {re = [10.0, -2.0, -2.0, -2.0], im = [0.0, 2.0, 0.0, -2.0]}
def fft[t: float](x: Complex[n, t]) -> Complex[n, t] = _transform(x, -1)

derivative fft(x, y, dy) = _unscaled(dy)

--| The inverse of `fft`.
--| > ifft({ re = [10.0, -2.0, -2.0, -2.0], im = [0.0, 2.0, 0.0, -2.0] })  -- within 1e-15
--| {re = [1.0, 2.0, 3.0, 4.0], im = [0.0, 0.0, 0.0, 0.0]}
def ifft[t: float](x: Complex[n, t]) -> Complex[n, t] =
  let y = _unscaled(x) in { re = y.re / t(n), im = y.im / t(n) }

-- `n` times the inverse: the transpose of `fft`.
def _unscaled[t: float](x: Complex[n, t]) -> Complex[n, t] = _transform(x, 1)

derivative _unscaled(x, y, dy) = fft(dy)

--| The transform of a real signal, without the half that mirrors the other: elements `0 .. n / 2`.
--| > rfft([1.0, 2.0, 3.0, 4.0])  -- within 1e-15
--| {re = [10.0, -2.0, -2.0], im = [0.0, 2.0, 0.0]}
def rfft[t: float](x: [n]t) =
  let y = fft(real(x)) in { re = y.re[: n / 2 + 1], im = y.im[: n / 2 + 1] }

--| The real signal of length `n` whose `rfft` is `x`, which must have `n / 2 + 1` elements: fewer give error E0601.
--| > irfft({ re = [10.0, -2.0, -2.0], im = [0.0, 2.0, 0.0] }, 4)  -- within 1e-15
--| [1.0, 2.0, 3.0, 4.0]
def irfft[t: float](x: Complex[m, t], n: i64) -> [n]t =
  let half = n / 2
  let re = for k < n => if k <= half then x.re[k] else x.re[n - k]
  let im = for k < n =>
    if k == 0 or 2 * k == n then 0 else if k <= half then x.im[k] else -x.im[n - k]
  in ifft({ re = re, im = im }).re

--| The frequencies of the elements of `fft` of `n` samples that are `d` apart: first those from 0 on, then the
--| negative ones.
--| > fftfreq(4, 0.5)
--| [0.0, 0.5, -1.0, -0.5]
def fftfreq[t: float](n: i64, d: t) -> [n]t =
  for k < n => t(if 2 * k < n then k else k - n) / (t(n) * d)

--| The frequencies of the elements of `rfft` of `n` samples that are `d` apart.
--| > rfftfreq(4, 0.5)
--| [0.0, 0.5, 1.0]
def rfftfreq[t: float](n: i64, d: t) = for k < n / 2 + 1 => t(k) / (t(n) * d)

--| `n` by `m` complex numbers.
type ComplexMatrix[n, m, t: float] = { re: [n][m]t, im: [n][m]t }

--| The Fourier transform of a matrix, such as an image: element `k, l` is the sum over `i, j` of
--| `x[i, j] * exp(-2 pi i (i k / n + j l / m))`. The rows are transformed, then the columns: `n m log(n m)`. A real
--| matrix `a` is `{ re = a, im = zeros(n, m) }`.
--| > fft2({ re = [[1.0, 2.0], [3.0, 4.0]], im = [[0.0, 0.0], [0.0, 1.0]] })  -- within 1e-15
--| {re = [[10.0, -2.0], [-4.0, 0.0]], im = [[1.0, -1.0], [-1.0, 1.0]]}
def fft2[t: float](x: ComplexMatrix[n, m, t]) -> ComplexMatrix[n, m, t] = _transform2(x, -1)

derivative fft2(x, y, dy) = _unscaled2(dy)

--| The inverse of `fft2`.
--| > ifft2({ re = [[10.0, -2.0], [-4.0, 0.0]], im = [[1.0, -1.0], [-1.0, 1.0]] })  -- within 1e-15
--| {re = [[1.0, 2.0], [3.0, 4.0]], im = [[0.0, 0.0], [0.0, 1.0]]}
def ifft2[t: float](x: ComplexMatrix[n, m, t]) -> ComplexMatrix[n, m, t] =
  let y = _unscaled2(x) in { re = y.re / t(n * m), im = y.im / t(n * m) }

-- `n * m` times the inverse: the transpose of `fft2`.
def _unscaled2[t: float](x: ComplexMatrix[n, m, t]) -> ComplexMatrix[n, m, t] = _transform2(x, 1)

derivative _unscaled2(x, y, dy) = fft2(dy)

def _transform2[t: float](x: ComplexMatrix[n, m, t], sign: i64) -> ComplexMatrix[n, m, t] =
  _transposed(_transform_rows(_transposed(_transform_rows(x, sign)), sign))

def _transform_rows[t: float](x: ComplexMatrix[n, m, t], sign: i64) -> ComplexMatrix[n, m, t] =
  let rows = for i => _transform({ re = x.re[i], im = x.im[i] }, sign)
  in { re = for row in rows => row.re, im = for row in rows => row.im }

def _transposed[t: float](x: ComplexMatrix[n, m, t]) -> ComplexMatrix[m, n, t] =
  { re = transpose(x.re), im = transpose(x.im) }

-- The sum over `j` of `x[j] * exp(sign * 2 pi i j k / n)`.
def _transform[t: float](x: Complex[n, t], sign: i64) -> Complex[n, t] =
  if bit_and(n, n - 1) == 0 then _radix2(x, sign) else _bluestein(x, sign, _power_above(2 * n - 1))

def _power_above(n: i64) -> i64 = loop m = 1 while m < n do 2 * m

-- Of a length that is a power of two. In stage `s` there are `2^s` transforms that are interleaved; two by two they
-- are brought together.
def _radix2[t: float](x: Complex[n, t], sign: i64) -> Complex[n, t] =
  let half = n / 2
  let table = for q < half =>
    let angle = _turn(t(q) / t(n)) in (cos(angle), t(sign) * sin(angle))
  let (y, _) = loop (x, s) = (x, 0) while shl(1, s) < n do
    let parts = for i < n =>
      let block = shl(shr(i, s + 1), s)
      let p = block + bit_and(i, shl(1, s) - 1)
      let (a, b) = ((x.re[p], x.im[p]), (x.re[p + half], x.im[p + half]))
      in if bit_and(shr(i, s), 1) == 0 then (a.0 + b.0, a.1 + b.1)
         else _times((a.0 - b.0, a.1 - b.1), table[block])
    in ({ re = for z in parts => z.0, im = for z in parts => z.1 }, s + 1)
  in y

def _turn[t: float](share: t) -> t = 6.283185307179586 * share

def _times[t: float](a: (t, t), b: (t, t)) -> (t, t) =
  (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)

-- With `j * k == (j^2 + k^2 - (k - j)^2) / 2` the transform is a convolution, here of length `m`.
def _bluestein[t: float](x: Complex[n, t], sign: i64, m: i64) -> Complex[n, t] =
  let chirp = for k < n =>
    let angle = _turn(t(k * k % (2 * n)) / t(2 * n)) in (cos(angle), t(sign) * sin(angle))
  let a = for k < m => if k < n then _times((x.re[k], x.im[k]), chirp[k]) else (0, 0)
  let b = for k < m =>
    let distance = if k < n then k else m - k
    in if distance < n then (chirp[distance].0, -chirp[distance].1) else (0, 0)
  let split = \z: [m](t, t) => { re = for v in z => v.0, im = for v in z => v.1 }
  let (fa, fb) = (_radix2(split(a), -1), _radix2(split(b), -1))
  let product = for k < m => _times((fa.re[k], fa.im[k]), (fb.re[k], fb.im[k]))
  let c = _radix2(split(product), 1)
  let y = for k < n => _times((c.re[k] / t(m), c.im[k] / t(m)), chirp[k])
  in { re = for v in y => v.0, im = for v in y => v.1 }

--| The spectrum with the frequency 0 in the middle, at `n / 2`.
--| > fftshift([0.0, 1.0, 2.0, -2.0, -1.0])
--| [-2.0, -1.0, 0.0, 1.0, 2.0]
def fftshift[t: any](x: [n]t) -> [n]t = rotate(x, (n + 1) / 2)

--| What `fftshift` does, undone.
--| > ifftshift(fftshift([0, 1, 2, 3, 4]))
--| [0, 1, 2, 3, 4]
def ifftshift[t: any](x: [n]t) -> [n]t = rotate(x, n / 2)

-- ---- Cosine transforms

--| The discrete cosine transform of type II, scaled as SciPy does by default: element `k` is twice the sum over `j` of
--| `x[j] * cos(pi k (2 j + 1) / (2 n))`. By one Fourier transform of the same length, with the elements at even places
--| first and those at odd places behind them in reverse (Makhoul, A fast cosine transform in one and two dimensions,
--| 1980).
--| > dct([1.0, 2.0, 4.0])  -- within 1e-14
--| [14.0, -5.196152422706632, 1.0]
def dct[t: float](x: [n]t) -> [n]t =
  let y = fft(real(for j < n => if 2 * j < n then x[2 * j] else x[2 * (n - j) - 1]))
  in for k =>
    let (c, s) = _unit(t(k) / t(4 * n)) in 2 * (c * y.re[k] + s * y.im[k])

-- The transpose of the transform of type II is that of type III with the first element doubled.
derivative dct(x, y, dy) = 2 * t(n) * idct(for k < n => if k == 0 then 2 * dy[k] else dy[k])

--| The inverse of `dct`: SciPy's `idct`. Times `2 n` it is the transform of type III, element `j` of which is `x[0]`
--| and twice the sum over `k > 0` of `x[k] * cos(pi k (2 j + 1) / (2 n))`.
--| > idct([14.0, -5.196152422706632, 1.0])  -- within 1e-15
--| [1.0, 2.0, 4.0]
def idct[t: float](x: [n]t) -> [n]t =
  let turned = for k < n =>
    _times((0.5 * x[k], if k == 0 then 0 else -0.5 * x[n - k]), _unit(t(k) / t(4 * n)))
  let y = ifft({ re = for v in turned => v.0, im = for v in turned => v.1 }).re
  in for j < n => if j % 2 == 0 then y[j / 2] else y[n - (j + 1) / 2]

derivative idct(x, y, dy) =
  let z = dct(dy) / (2 * t(n)) in for k < n => if k == 0 then 0.5 * z[k] else z[k]

--| `dct` scaled to an orthogonal matrix: SciPy's with `norm="ortho"`. The sum of squares stays.
--| > dct_ortho([1.0, 1.0, 1.0, 1.0])  -- within 1e-15
--| [2.0, 0.0, 0.0, 0.0]
def dct_ortho[t: float](x: [n]t) -> [n]t = dct(x) * _ortho(n)

--| The inverse of `dct_ortho`, and its transpose: the orthogonal transform of type III.
--| > idct_ortho([2.0, 0.0, 0.0, 0.0])  -- within 1e-15
--| [1.0, 1.0, 1.0, 1.0]
def idct_ortho[t: float](x: [n]t) -> [n]t = idct(x / _ortho(n))

def _ortho[t: float](n: i64) -> [n]t =
  for k < n => sqrt(1 / (if k == 0 then 4 * t(n) else 2 * t(n)))

-- The number on the unit circle at this share of a turn.
def _unit[t: float](share: t) -> (t, t) = (cos(_turn(share)), sin(_turn(share)))

-- ---- Convolution

--| The convolution: element `k` is the sum over `j` of `x[k - j] * y[j]`, wherever both are. `n * m`.
--| > convolve([1.0, 2.0, 3.0], [0.0, 1.0])
--| [0.0, 1.0, 2.0, 3.0]
def convolve[t: num](x: [n]t, y: [m]t) -> [n+m-1]t =
  for k < n + m - 1 => sum(for j < m => if j <= k and k - j < n then x[k - j] * y[j] else 0)

--| The convolution of signals that repeat themselves: element `k` is the sum over `j` of `x[(k - j) % n] * y[j]`.
--| `n^2`.
--| > convolve_circular([1.0, 2.0, 3.0], [0.0, 1.0, 0.0])
--| [3.0, 1.0, 2.0]
def convolve_circular[t: num](x: [n]t, y: [n]t) -> [n]t =
  for k < n => sum(for j => x[(k - j) % n] * y[j])

--| The cross-correlation: element `k` is the sum over `j` of `x[j + k - (m - 1)] * y[j]`, wherever both are. `n * m`.
--| > correlate([1.0, 2.0, 3.0], [0.0, 1.0])
--| [1.0, 2.0, 3.0, 0.0]
def correlate[t: num](x: [n]t, y: [m]t) -> [n+m-1]t = convolve(x, reverse(y))

--| Like `convolve`, through Fourier transforms: `(n + m) log(n + m)`.
--| > fftconvolve([1.0, 2.0, 3.0], [0.0, 1.0])  -- within 1e-14
--| [0.0, 1.0, 2.0, 3.0]
def fftconvolve[t: float](x: [n]t, y: [m]t) -> [n+m-1]t =
  if n == 0 or m == 0 then zeros(n + m - 1)
  else _convolve_padded(x, y, _power_above(n + m - 1))[:n+m-1]

def _convolve_padded[t: float](x: [n]t, y: [m]t, l: i64) -> [l]t =
  let fx = fft(real(for k < l => if k < n then x[k] else 0))
  let fy = fft(real(for k < l => if k < m then y[k] else 0))
  in ifft({ re = fx.re * fy.re - fx.im * fy.im, im = fx.re * fy.im + fx.im * fy.re }).re

-- ---- Filters

--| The signal `x` through the filter with the transfer function `b[0] + b[1] / z + ..` over `a[0] + a[1] / z + ..`,
--| from rest: `a[0] * y[i]` is the sum over `k` of `b[k] * x[i - k]` less the sum over `k > 0` of `a[k] * y[i - k]`.
--| Direct form II transposed (Oppenheim and Schafer, Discrete-time signal processing, 3rd edition, 6.3), as SciPy's
--| `lfilter`. The derivative is found by filtering the cotangent backwards in time. An `a[0]` that is 0 gives
--| infinities or NaN; a filter with poles outside the unit circle grows until it overflows.
--| > lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0, 4.0])
--| [1.0, 0.5, 0.25, 4.125]
--| > lfilter([0.5, 0.5], [1.0], [1.0, 2.0, 3.0])
--| [0.5, 1.5, 2.5]
def lfilter[t: float](b: [q+1]t, a: [p+1]t, x: [n]t) -> [n]t =
  let k = max(p, q)
  let (_, y) = loop (z, y) = (zeros(k), zeros(n)) for i < n do
    let v = ((if k > 0 then z[0] else 0) + b[0] * x[i]) / a[0]
    let z = for j < k =>
      (if j + 1 < k then z[j + 1] else 0)
        + (if j < q then b[j + 1] * x[i] else 0)
        - (if j < p then a[j + 1] * v else 0)
    in (z, y with [i] = v)
  in y

-- With `a * y == b * x` for convolutions cut off at `n`: the transpose of such a matrix is the same filter with time
-- reversed.
derivative lfilter(b, a, x, y, dy) =
  let g = reverse(lfilter([1], a, reverse(dy)))
  in (
    for k < q + 1 => sum(for i < max(n - k, 0) => g[i + k] * x[i]),
    for k < p + 1 => -sum(for i < max(n - k, 0) => g[i + k] * y[i]),
    for i < n => sum(for k < q + 1 => if i + k < n then b[k] * g[i + k] else 0)
  )

--| The signal through the filter forwards and then backwards, so that the phase of no frequency moves and the gain is
--| squared; SciPy's `filtfilt`. Before that the signal is continued at both ends by three times as many samples as the
--| filter has coefficients, turned by half a turn around its first and last sample, and the filter starts as if the
--| first of these samples had been there forever. `x` must be longer than what is added at one end: less gives error
--| E0601. Gustafsson, Determining the initial states in forward-backward filtering (1996).
--| > filtfilt([0.5], [1.0, -0.5], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
--| [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
def filtfilt[t: float](b: [q+1]t, a: [p+1]t, x: [n]t) -> [n]t =
  let e = 3 * (max(p, q) + 1)
  let longer = for i < n + 2 * e =>
    if i < e then 2 * x[0] - x[e - i]
    else if i < e + n then x[i - e]
    else 2 * x[n - 1] - x[2 * n - 2 - (i - e)]
  let there = _filter_steady(b, a, longer)
  let back = reverse(_filter_steady(b, a, reverse(there)))
  in for i < n => back[i + e]

-- The filter of a signal that had its first value forever: that value goes through with the gain at frequency 0.
def _filter_steady[t: float](b: [q+1]t, a: [p+1]t, x: [n]t) -> [n]t =
  lfilter(b, a, x - x[0]) + x[0] * (sum(b) / sum(a))

--| The coefficients of a digital Butterworth filter that lets low frequencies pass: the gain falls from 1 at frequency
--| 0 to `sqrt(1/2)` at `cutoff`, a share of half the sampling rate between 0 and 1, and to 0 at half the sampling rate.
--| They are those of `lfilter`, as SciPy's `butter` gives them: the bilinear transform of the analog filter, from its
--| poles in pairs (Oppenheim and Schafer, 3rd edition, 7.2). Where `cutoff` is outside of 0 .. 1 they are NaN, all but
--| `a[0]`. Rounding moves the poles of a high order with a low cutoff: `butter_sos` is exact there too.
--| > butter(1, 0.5)  -- within 1e-15
--| {b = [0.5, 0.5], a = [1.0, 0.0]}
--| > butter(2, 0.25)  -- within 1e-15
--| {b = [0.09763107293781749, 0.19526214587563498, 0.09763107293781749], a = [1.0, -0.9428090415820632, 0.33333333333333326]}
def butter[t: float](order: i64, cutoff: t) -> { b: [order+1]t, a: [order+1]t } =
  let f = _butterworth(order, cutoff)
  in { b = f.scale * _warped(cutoff) ** order * _binomials(order), a = f.a }

--| Like `butter`, for a filter that lets high frequencies pass: the gain is 0 at frequency 0, `sqrt(1/2)` at `cutoff`
--| and 1 at half the sampling rate. `a` is that of `butter`.
--| > butter_highpass(2, 0.25)  -- within 1e-15
--| {b = [0.5690355937288492, -1.1380711874576983, 0.5690355937288492], a = [1.0, -0.9428090415820632, 0.33333333333333326]}
def butter_highpass[t: float](order: i64, cutoff: t) -> { b: [order+1]t, a: [order+1]t } =
  let f = _butterworth(order, cutoff)
  let c = _binomials(order)
  in { b = for k => if k % 2 == 0 then f.scale * c[k] else -f.scale * c[k], a = f.a }

def _butterworth[t: float](order: i64, cutoff: t) -> { a: [order+1]t, scale: t } =
  let w = _warped(cutoff)
  let one = for k < order + 1 => t(i64(k == 0))
  let (a, scale) = loop (a, scale) = (one, t(1)) for k < (order + 1) / 2 do
    let (first, c, d) = _pole_pair(order, w, k)
    let a = for j < order + 1 =>
      a[j] + (if j > 0 then c * a[j - 1] else 0) + (if j > 1 then d * a[j - 2] else 0)
    in (a, scale / first)
  in { a = a, scale = scale }

-- The cutoff on the scale of the analog filter.
def _warped[t: float](cutoff: t) -> t =
  if cutoff > 0 and cutoff < 1 then tan(0.25 * _turn(cutoff)) else t(0) / 0

-- A pole `p` of the analog filter, on the left half of the unit circle, becomes the zero of `1 - w p - (1 + w p) / z`,
-- with the cutoff `w`. Two conjugate ones make `1 + 2 w s + w^2 - 2 (1 - w^2) / z + (1 - 2 w s + w^2) / z^2` with
-- `s == -re(p)`. The first coefficient, and the others divided by it.
def _pole_pair[t: float](order: i64, w: t, k: i64) -> (t, t, t) =
  let s = sin(_turn(t(2 * k + 1) / t(4 * order)))
  in if 2 * k + 1 == order then (1 + w, (w - 1) / (1 + w), 0)
     else
       let first = 1 + 2 * w * s + w * w
       in (first, -2 * (1 - w) * (1 + w) / first, (1 - 2 * w * s + w * w) / first)

def _binomials[t: float](n: i64) -> [n+1]t =
  loop c = ones(n + 1) for k < n do c with [k + 1] = c[k] * t(n - k) / t(k + 1)

--| The filter of `butter` in sections of second order for `sosfilt`, one a row, as `butter` of SciPy with
--| `output="sos"`: the poles next to the unit circle come last, and the gain is in the first section. The single pole
--| of an odd order is in the first section, its single zero in the last. Order 0 has no sections.
--| > butter_sos(3, 0.5)  -- within 1e-15
--| [[0.16666666666666666, 0.3333333333333333, 0.16666666666666666, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.3333333333333333]]
def butter_sos[t: float](order: i64, cutoff: t) -> [?k][6]t =
  _sections(order, _warped(cutoff), _warped(cutoff) ** order, 1)

--| The filter of `butter_highpass` in sections of second order, see `butter_sos`.
--| > butter_highpass_sos(2, 0.5)  -- within 1e-15
--| [[0.2928932188134524, -0.5857864376269049, 0.2928932188134524, 1.0, 0.0, 0.1715728752538099]]
def butter_highpass_sos[t: float](order: i64, cutoff: t) -> [?k][6]t =
  _sections(order, _warped(cutoff), 1, -1)

def _sections[t: float](order: i64, w: t, gain: t, sign: t) -> [?k][6]t =
  let k = (order + 1) / 2
  let pairs = for j < k => _pole_pair(order, w, k - 1 - j)
  let gain = gain / product(for p in pairs => p.0)
  in for j < k =>
    let g = if j == 0 then gain else 1
    let b = if j == k - 1 and order % 2 == 1 then [g, sign * g, 0] else [g, 2 * sign * g, g]
    in [b[0], b[1], b[2], 1, pairs[j].1, pairs[j].2]

--| The signal `x` through filters of second order one after the other, see `lfilter`. A row has the three coefficients
--| `b` and the three `a` of one. SciPy's `sosfilt`.
--| > sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0], [2.0, 1.0, 0.0, 1.0, 0.0, 0.0]], [1.0, 0.0, 0.0])
--| [2.0, 2.0, 1.0]
def sosfilt[t: float](sections: [k][6]t, x: [n]t) -> [n]t =
  loop y = x for s in sections do lfilter(s[:3], s[3:], y)

--| `x` without the straight line that is nearest to it by least squares; zero where there are fewer than two samples.
--| Without its mean, a signal is `x - mean(x)`.
--| > detrend([1.0, 2.0, 3.0])
--| [0.0, 0.0, 0.0]
--| > detrend([0.0, 1.0, 0.0])  -- within 1e-15
--| [-0.3333333333333333, 0.6666666666666667, -0.3333333333333333]
def detrend[t: float](x: [n]t) -> [n]t =
  let at = for i < n => t(i) - 0.5 * t(n - 1)
  let slope = if n < 2 then 0 else sum(at * x) / (t(n) * (t(n) * t(n) - 1) / 12)
  in x - mean(x) - slope * at

--| The signal with `m` samples in the place of `n`, over the same time: its Fourier transform cut off or continued by
--| zeros, so that it counts as one period of a signal that repeats itself. Where the fewer samples are an even number,
--| the frequency that stands for its negative too is split or joined. SciPy's `resample`. An empty `x` gives error
--| E0601.
--| > resample([1.0, 0.0, -1.0, 0.0], 8)  -- within 1e-15
--| [1.0, 0.7071067811865476, 0.0, -0.7071067811865476, -1.0, -0.7071067811865476, 0.0, 0.7071067811865476]
--| > resample([1.0, 2.0, 3.0, 4.0], 2)  -- within 1e-15
--| [1.5, 3.5]
def resample[t: float](x: [n]t, m: i64) -> [m]t =
  let y = rfft(x)
  let fewer = min(n, m)
  let factor = for k < m / 2 + 1 =>
    let share = if 2 * k == fewer and n < m then 0.5 else if 2 * k == fewer and m < n then 2 else 1
    in share * t(m) / t(n)
  let re = for k < m / 2 + 1 => if 2 * k <= fewer then factor[k] * y.re[k] else 0
  let im = for k < m / 2 + 1 => if 2 * k <= fewer then factor[k] * y.im[k] else 0
  in irfft({ re = re, im = im }, m)

-- ---- Windows

--| The window of von Hann, symmetric: half a cosine up and down, zero at both ends.
--| > hann(3)
--| [0.0, 1.0, 0.0]
def hann[t: float](n: i64) -> [n]t = _cosines(n, 0.5, 0.5, 0)

--| The window of Hamming, symmetric.
--| > hamming(3)  -- within 1e-15
--| [0.08, 1.0, 0.08]
def hamming[t: float](n: i64) -> [n]t = _cosines(n, 0.54, 0.46, 0)

--| The window of Blackman, symmetric.
--| > blackman(5)  -- within 1e-15
--| [0.0, 0.34, 1.0, 0.34, 0.0]
def blackman[t: float](n: i64) -> [n]t = _cosines(n, 0.42, 0.5, 0.08)

def _cosines[t: float](n: i64, a: t, b: t, c: t) -> [n]t =
  for i < n =>
    let angle = _turn(t(i) / t(max(n - 1, 1)))
    in if n == 1 then 1 else a - b * cos(angle) + c * cos(2 * angle)

-- ---- Spectra

--| The power spectral density of a real signal with `rate` samples in a unit of time, its mean removed: for each of
--| the frequencies `rfftfreq(n, 1 / rate)` the squared modulus over `rate * n`, doubled for those that stand for
--| their negative too.
--| > periodogram([1.0, -1.0, 1.0, -1.0], 1.0)  -- within 1e-15
--| [0.0, 0.0, 4.0]
def periodogram[t: float](x: [n]t, rate: t) =
  let y = rfft(x - mean(x))
  in for k < n / 2 + 1 =>
    let power = (y.re[k] ** 2 + y.im[k] ** 2) / (rate * t(n))
    in if k == 0 or 2 * k == n then power else 2 * power

--| The power spectral density by Welch's method: the mean of the periodograms of the parts of `x` that lie `hop`
--| samples apart and are as long as `window`, each with its mean removed and multiplied by it. SciPy's `welch`, but
--| that the window is given. There are as many frequencies as of `periodogram` of one part. What is left of `x` after
--| the last whole part is not read; a signal that is shorter than the window gives NaN. `hann(m + 1)[:m]` is the window
--| that SciPy takes by default. Welch, The use of fast Fourier transform for the estimation of power spectra (1967).
--| > welch([1.0, -1.0, 1.0, -1.0, 0.0], 1.0, [1.0, 1.0, 1.0, 1.0], 2)  -- within 1e-15
--| [0.0, 0.0, 4.0]
def welch[t: float](x: [n]t, rate: t, window: [m]t, hop: i64) =
  let parts = if n < m then 0 else (n - m) / hop + 1
  let rows = for p < parts => for a < m => x[p * hop + a]
  let spectra = for row in rows => fft(real((row - mean(row)) * window))
  let scale = rate * sum(window * window)
  in for k < m / 2 + 1 =>
    let power = mean(for s in spectra => s.re[k] ** 2 + s.im[k] ** 2) / scale
    in if k == 0 or 2 * k == m then power else 2 * power

--| The short-time Fourier transform of a real signal: each row is `rfft` of `m` neighbouring samples times `window`,
--| `hop` samples after those of the row above. The signal is 0 outside, and there is a row wherever the window reaches
--| into it: element `m / 2` of the window stands at sample `(p - p0) * hop` in row `p`, with `p0 == (m - 1 - m / 2) /
--| hop`. For windows of two samples or more that is SciPy's `ShortTimeFFT(window, hop, fs, phase_shift=None).stft`,
--| transposed, but SciPy leaves out rows at the ends where only zeros of the window meet the signal. `hop` is 1 or
--| more, and neither signal nor window is empty.
--| > stft([1.0, 2.0, 3.0], [1.0, 1.0], 2)
--| {re = [[1.0, -1.0], [5.0, -1.0]], im = [[0.0, 0.0], [0.0, 0.0]]}
def stft[t: float](x: [n]t, window: [m]t, hop: i64) =
  let before = (m - 1 - m / 2) / hop
  let rows = for p < before + (n - 1 + m / 2) / hop + 1 =>
    fft(real(for a < m =>
      let i = (p - before) * hop - m / 2 + a
      in if i < 0 or i >= n then 0 else window[a] * x[i]))
  let columns = m / 2 + 1
  in { re = for row in rows => row.re[:columns], im = for row in rows => row.im[:columns] }

--| The signal of `n` samples whose `stft` is `s`, with the same window and hop. Where `s` is no such transform, it is
--| the signal whose transform is nearest by least squares: the inverse transforms of the rows, times the window over
--| the sum of the squares of all windows at that sample (its dual), added up. A sample that windows meet with zeros
--| alone is NaN; fewer rows or columns than `stft` gives are error E0601. Griffin and Lim, Signal estimation from
--| modified short-time Fourier transform (1984).
--| > istft(stft([1.0, 2.0, 3.0], [1.0, 2.0, 1.0], 2), [1.0, 2.0, 1.0], 2, 3)  -- within 1e-15
--| [1.0, 2.0, 3.0]
def istft[t: float](s: ComplexMatrix[p, f, t], window: [m]t, hop: i64, n: i64) -> [n]t =
  let before = (m - 1 - m / 2) / hop
  let rows = for r < p => irfft({ re = s.re[r], im = s.im[r] }, m)
  let reach = (m - 1) / hop + 1
  let norm = for a < hop =>
    sum(for k < reach => if a + k * hop < m then window[a + k * hop] ** 2 else 0)
  in for i < n =>
    let last = (i + m / 2) / hop
    let a = (i + m / 2) % hop
    let parts = for k < reach =>
      if a + k * hop < m then window[a + k * hop] * rows[last - k + before, a + k * hop] else 0
    in sum(parts) / norm[a]

-- ---- Tests

-- The sum that defines the transform.
def _slow(x: Complex[n, f64], sign: f64) -> Complex[n, f64] =
  let turn = \(j: i64, k: i64) => sign * _turn(f64(j * k % n) / f64(n))
  in {
    re = for k < n => sum(for j => x.re[j] * cos(turn(j, k)) - x.im[j] * sin(turn(j, k))),
    im = for k < n => sum(for j => x.im[j] * cos(turn(j, k)) + x.re[j] * sin(turn(j, k)))
  }

test "the transform" within 1e-9 (re: [n]f64, im: [n]f64) =
  let (x, y) = ({ re = tanh(re), im = tanh(im) }, fft({ re = tanh(re), im = tanh(im) }))
  let z = _slow(x, -1.0)
  in (1.0 + y.re == 1.0 + z.re, 1.0 + y.im == 1.0 + z.im)
test "the inverse" within 1e-9 (re: [n]f64, im: [n]f64) =
  let y = ifft(fft({ re = tanh(re), im = tanh(im) }))
  in (1.0 + y.re == 1.0 + tanh(re), 1.0 + y.im == 1.0 + tanh(im))
test "the inverse of real transforms" within 1e-9 (x: [n+1]f64) =
  1.0 + irfft(rfft(tanh(x)), n + 1) == 1.0 + tanh(x)
test "convolutions agree" within 1e-9 (x: [n+1]f64, y: [m+1]f64) =
  1.0 + fftconvolve(tanh(x), tanh(y)) == 1.0 + convolve(tanh(x), tanh(y))
-- The values are NumPy's and SciPy's.
test "known transforms" within 1e-13 =
  let x = [1.0, 2.0, 0.0, -1.0, 3.0, 0.5]
  let y = fft(real(x))
  in (
    1.0 + y.re == 1.0 + [5.5, 1.75, -2.75, 2.5, -2.75, 1.75],
    1.0 + y.im
      == 1.0
        + [
          0.0, 1.299038105676658, -3.8971143170299736, 0.0, 3.8971143170299736, -1.299038105676658
        ],
    1.0 + periodogram(x, 2.0)
      == 1.0 + [7.703719777548943e-32, 0.7916666666666667, 3.791666666666667, 0.5208333333333335],
    fftfreq(5, 0.1) == [0.0, 2.0, 4.0, -4.0, -2.0],
    rfftfreq(5, 0.1) == [0.0, 2.0, 4.0],
    correlate([1.0, 2.0, 3.0], [0.0, 1.0, 0.5]) == [0.5, 2.0, 3.5, 3.0, 0.0],
    1.0 + hann(6)
      == 1.0
        + [
          0.0, 0.34549150281252633, 0.9045084971874737, 0.9045084971874737, 0.34549150281252633, 0.0
        ],
    hamming(6)
      == [
        0.08000000000000002, 0.39785218258752425, 0.9121478174124759, 0.9121478174124759,
        0.39785218258752425, 0.08000000000000002
      ],
    1.0 + blackman(6)
      == 1.0
        + [
          -1.3877787807814457e-17, 0.2007701432625305, 0.8492298567374694, 0.8492298567374694,
          0.2007701432625305, -1.3877787807814457e-17
        ]
  )
test "slopes of transforms" gradient (re: [6]f64, im: [6]f64, x: [8]f64) = (
  fft({ re = re, im = im }),
  ifft({ re = re, im = im }),
  fft({ re = x, im = x }),
  rfft(x),
  irfft({ re = re[:4], im = im[:4] }, 6)
)
test "slopes of convolutions" gradient (x: [5]f64, y: [3]f64, z: [3]f64) =
  (convolve(x, y), correlate(x, y), fftconvolve(x, y), convolve_circular(y, z))
test "slopes of spectra" gradient (x: [5]f64, rate: f64) = periodogram(x, 1.0 + rate * rate)
test "second derivatives of transforms" within 1e-9 =
  hessian(\x => let y = fft(real(x)) in sum(y.re ** 2 + y.im ** 2))([0.0, 0.0, 0.0])
    == [[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]]
test "single precision" =
  let y = fft(real([1.0f32, 2.0, 3.0]))
  in (abs(y.re[0] - 6.0) < 1e-5, abs(y.im[1] - 0.8660254) < 1e-5)
test "short signals" = (
  fft(real([3.0])).re == [3.0],
  length(fft(real(zeros(0))).re) == 0,
  convolve([2.0], [3.0]) == [6.0],
  hann(1) == [1.0],
  length(hann(0)) == 0
)
test "shifts gradient" gradient (x: [5]f64) = (fftshift(x), ifftshift(x))
test "known transforms of matrices, and by cosines" within 1e-13 =
  let x = [1.0, 2.0, 0.0, -1.0, 3.0, 0.5]
  let m = [[1.0, 2.0, 0.0], [3.0, 0.5, -1.0]]
  let y = fft2({ re = m, im = 2.0 * m * m })
  in (
    dct(x)
      == [
        11.0, 0.06935035412101498, 4.330127018922194, 0.7071067811865476, -9.5, 3.604884260053752
      ],
    idct(x[:5])
      == [0.5482757526845353, 0.039915207551051546, 0.7, -0.8107356008009885, 0.022544640565401675],
    dct_ortho(x)
      == [
        2.2453655975512463, 0.020019722810081908, 1.2499999999999998, 0.2041241452319315,
        -2.7424137786507217, 1.0406404489697394
      ],
    idct_ortho(x)
      == [
        2.05609509811552, -0.303181790945357, 2.2602192433474513, 0.2883281451491517,
        -2.3444232432646714, 0.492452290381083
      ],
    y.re
      == [
        [5.5, 8.87916512459885, -2.3791651245988508],
        [0.5, 4.977241335952167, -11.477241335952167]
      ],
    y.im
      == [
        [30.5, 11.718911086754465, 17.781088913245537],
        [-10.5, -19.18301270189222, -18.31698729810778]
      ],
    ifft2(y).re == m,
    ifft2(y).im == 2.0 * m * m
  )
test "known filters" within 1e-13 =
  let x = [1.0, 2.0, 0.0, -1.0, 3.0, 0.5]
  in (
    lfilter([0.5, -0.25, 1.0], [2.0, -1.0, 0.5, 0.25], x)
      == [0.25, 0.5, 0.4375, 0.8125, 1.109375, -0.453125],
    filtfilt([0.5, 0.25], [2.0, -0.5], concat(x, reverse(x)))
      == [
        0.25002910214127816, 0.26299482653386264, 0.11769891062763793, 0.1122255436335986,
        0.2967596498151562, 0.2740029680808152, 0.2740029645283084, 0.29675963116449566,
        0.11222546792079799, 0.11769860749889582, 0.26299361394950926, 0.25002425178651855
      ],
    butter(3, 0.2).b
      == [0.018098933007514428, 0.05429679902254328, 0.05429679902254328, 0.018098933007514428],
    butter(3, 0.2).a == [1.0, -1.7600418803431688, 1.182893262037831, -0.27805991763454646],
    butter_highpass(4, 0.7).b
      == [
        0.018563010626897178, -0.07425204250758871, 0.11137806376138307, -0.07425204250758871,
        0.018563010626897178
      ],
    butter_highpass(4, 0.7).a
      == [1.0, 1.5703988512281715, 1.2756133249832793, 0.48440336833508546, 0.07619706461033238],
    sosfilt(butter_sos(8, 0.01), x)[5] * 1e12 == 48.38613852599127,
    sosfilt(butter_highpass_sos(5, 0.3), x)
      == [
        0.2018850138698864, -0.20675011636884286, -0.8150079189133719, 0.8454774886033911,
        1.6042740728962448, -2.4843647173959598
      ],
    detrend(x)
      == [
        0.04761904761904745, 1.0619047619047617, -0.923809523809524, -1.9095238095238096,
        2.104761904761905, -0.38095238095238093
      ],
    resample(x, 8)
      == [
        0.9999999999999999, 2.027369684693185, 1.4003206314411139, -0.8064087870556466,
        -0.9999999999999999, 2.404039859993464, 2.2663460352255527, 0.041665909035663806
      ],
    resample(x, 4)
      == [0.5833333333333333, 1.4003206314411139, -0.5833333333333333, 2.2663460352255527],
    resample(x, 3) == [1.5, 0.24999999999999992, 1.0],
    is_nan(butter(2, 1.0).b[0]),
    is_nan(butter_sos(1, 0.0)[0, 0]),
    butter(0, 0.5).a == [1.0]
  )
test "known spectra" within 1e-13 =
  let x = [1.0, 2.0, 0.0, -1.0, 3.0, 0.5]
  let y = stft(x, [0.5, 1.0, 0.25, 0.5], 3)
  in (
    welch(x, 2.0, [0.5, 1.0, 1.0, 0.5], 2) == [0.039062500000000014, 3.0578125, 1.5062500000000003],
    y.re == [[1.25, -0.25, -0.75], [2.25, 1.25, -0.75], [2.0, 1.5, 1.0]],
    y.im == [[0.0, 1.0, 0.0], [0.0, 1.5, 0.0], [0.0, -0.5, 0.0]]
  )
test "the gain of a Butterworth filter at its cutoff" within 1e-12 =
  let f = butter(5, 0.3)
  let at = \c: [6]f64 => for k => _times((c[k], 0.0), _unit(-0.15 * f64(k)))
  let power = \c: [6]f64 => sum(for z in at(c) => z.0) ** 2 + sum(for z in at(c) => z.1) ** 2
  in 2.0 * power(f.b) == power(f.a)
test "cosine transforms keep the sum of squares" within 1e-9 (x: [n]f64) =
  let y = dct_ortho(tanh(x))
  in (1.0 + sum(y * y) == 1.0 + sum(tanh(x) ** 2), 1.0 + idct_ortho(y) == 1.0 + tanh(x))
test "sections are the filter" within 1e-9 (x: [n]f64) =
  let f = butter(5, 0.4)
  in 1.0 + sosfilt(butter_sos(5, 0.4), tanh(x)) == 1.0 + lfilter(f.b, f.a, tanh(x))
test "the inverse of short transforms" within 1e-9 (x: [n+1]f64) =
  let w = [0.5, 1.0, 1.5, 1.0, 0.5]
  in 1.0 + istft(stft(tanh(x), w, 2), w, 2, n + 1) == 1.0 + tanh(x)
test "slopes of more transforms" gradient (a: [2][3]f64, b: [2][3]f64, x: [5]f64) =
  (fft2({ re = a, im = a * b }), dct_ortho(x), idct_ortho(x))
test "slopes of filters" gradient (b: [3]f64, a: [2]f64, x: [8]f64) =
  let a = concat([2.0], 0.5 * tanh(a))
  in (lfilter(b, a, x), lfilter(b[:1], a, x), filtfilt([0.5, 0.25], [2.0, -0.5], x))
test "slopes of filters by cutoff" gradient (c: f64, x: [4]f64) =
  let c = 0.5 + 0.3 * tanh(c)
  in (butter(3, c), butter_highpass(2, c), sosfilt(butter_sos(3, c), x), butter_highpass_sos(2, c))
test "slopes of samples" gradient (x: [6]f64) = (detrend(x), resample(x, 4), resample(x, 8))
test "slopes of short transforms" gradient (x: [5]f64, w: [3]f64) =
  let w = 1.5 + tanh(w)
  in (istft(stft(x * x, w, 2), w, 2, 5), welch(x, 2.0, w, 2))
test "second derivatives of filters" within 1e-12 =
  let f = \z: [6]f64 => sum(lfilter(z[:2], [2.0, z[2], z[3]], z[2:]) ** 2)
  in hessian(f)([1.0, 0.5, -0.5, 0.25, 2.0, 1.0])
    == jacrev(grad(f))([1.0, 0.5, -0.5, 0.25, 2.0, 1.0])
test "filters and short transforms in single precision" within 1e-5 =
  let f = butter(2, 0.25f32)
  in (
    f64(lfilter(f.b, f.a, [1.0, 0.0])) == lfilter(butter(2, 0.25).b, butter(2, 0.25).a, [1.0, 0.0]),
    f64(dct([1.0f32, 2.0, 4.0])) == dct([1.0, 2.0, 4.0]),
    f64(istft(stft([1.0f32, 2.0], [1.0, 1.0], 1), [1.0, 1.0], 1, 2)) == [1.0, 2.0],
    f64(resample(detrend([1.0f32, 2.0, 4.0]), 2)) == resample(detrend([1.0, 2.0, 4.0]), 2)
  )
test "signals without samples, and with one" = (
  length(dct(zeros(0))) == 0,
  length(idct(zeros(0))) == 0,
  dct([3.0]) == [6.0],
  length(lfilter([1.0], [1.0, 2.0], zeros(0))) == 0,
  lfilter([3.0], [2.0], [1.0]) == [1.5],
  length(detrend(zeros(0))) == 0,
  detrend([3.0]) == [0.0],
  resample([3.0], 2) == [3.0, 3.0],
  length(resample([3.0], 0)) == 0,
  is_nan(welch([1.0], 1.0, [1.0, 1.0], 1)[0]),
  stft([2.0], [3.0], 1).re == [[6.0]],
  istft({ re = [[6.0]], im = [[0.0]] }, [3.0], 1, 1) == [2.0],
  is_nan(istft({ re = [[6.0]], im = [[0.0]] }, [0.0], 1, 1)[0])
)
