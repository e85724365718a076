-- Signals: Fourier transforms, convolution, windows and spectra.
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
