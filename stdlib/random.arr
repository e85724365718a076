-- Random numbers from keys.
--
-- A key stands for a stream of random numbers. The same key always gives the same numbers, in every back end, so that
-- each key is used once: `split` and `fold_in` make new keys out of one. There is no state.
--
-- Bits come from the cipher Threefry-2x32 with 20 rounds, applied to a key and a counter: Salmon, Moraes, Dror and
-- Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011. Keys, bits and the numbers made from them by `uniform`,
-- `bernoulli` and `exponential` are those of `jax.random` with its default generator in partitionable form, the
-- default since JAX 0.5 (`f64` as there with 64 bits enabled); `normal` agrees to a few units in the last place.
--
-- Numbers are `f64`, or `f32` where the context wants it. A matrix is `reshape(normal(k, n * m), (n, m))`. Random
-- numbers do not depend on parameters, so that derivatives pass through what is made of them: `mean + std *
-- normal(k, n)` has derivatives with respect to `mean` and `std`.

import linalg
import math
import stats

-- ---- Keys and bits

--| A key of 64 bits.
type Key = { a: u32, b: u32 }

--| The key of a seed: its upper and its lower 32 bits.
--| > key(42)
--| {a = 0, b = 42}
--| > key(-1)
--| {a = 4294967295, b = 4294967295}
def key(seed: i64) -> Key = { a = u32(shr(seed, 32)), b = u32(seed) }

--| `n` keys made from one. The number of a key counts, not how many there are: `split(k, 2)[0]` is `split(k, 3)[0]`.
--| > split(key(42), 2)
--| [{a = 1832780943, b = 270669613}, {a = 64467757, b = 2916123636}]
def split(k: Key, n: i64) -> [n]Key = for i < n => fold_in(k, i)

--| The key made from a key and a number: that of a step or of an element. It is `split(k, n)[i]`.
--| > fold_in(key(42), 1)
--| {a = 64467757, b = 2916123636}
def fold_in(k: Key, i: i64) -> Key = let (a, b) = _words(k, i) in { a = a, b = b }

--| `n` random words of 32 bits.
--| > bits(key(42), 3)
--| [2098992034, 2919706841, 2646866425]
def bits(k: Key, n: i64) -> [n]u32 = for i < n => let (a, b) = _words(k, i) in bit_xor(a, b)

-- The two words with number `i` of a key.
def _words(k: Key, i: i64) -> (u32, u32) = threefry2x32(k, (u32(shr(i, 32)), u32(i)))

--| The cipher: two words from a key and a counter of two words.
--| > threefry2x32(key(0), (0, 0))
--| (1797259609, 2579123966)
def threefry2x32(k: Key, counter: (u32, u32)) -> (u32, u32) =
  let c = bit_xor(bit_xor(k.a, k.b), 466688986)
  let x = (counter.0 + k.a, counter.1 + k.b)
  let x = _inject(_even_rounds(x), k.b, c, 1)
  let x = _inject(_odd_rounds(x), c, k.a, 2)
  let x = _inject(_even_rounds(x), k.a, k.b, 3)
  let x = _inject(_odd_rounds(x), k.b, c, 4)
  in _inject(_even_rounds(x), c, k.a, 5)

def _even_rounds(x: (u32, u32)) -> (u32, u32) = _mix(_mix(_mix(_mix(x, 13), 15), 26), 6)

def _odd_rounds(x: (u32, u32)) -> (u32, u32) = _mix(_mix(_mix(_mix(x, 17), 29), 16), 24)

def _mix(x: (u32, u32), by: u32) -> (u32, u32) =
  let sum = x.0 + x.1
  in (sum, bit_xor(bit_or(shl(x.1, by), shr(x.1, 32 - by)), sum))

def _inject(x: (u32, u32), a: u32, b: u32, round: u32) -> (u32, u32) = (x.0 + a, x.1 + b + round)

-- ---- Uniform numbers

--| `n` numbers, uniform on `0 .. 1`, 1 excluded: multiples of `2^-52`, for `f32` of `2^-23`.
--| > uniform(key(42), 3)
--| [0.4267275666499091, 0.015010069515314584, 0.5741444178995352]
--| > uniform(key(42), 2) :> [2]f32
--| [0.48870957, 0.6797972]
def uniform[t: float](k: Key, n: i64) -> [n]t = for i < n => _unit(_words(k, i))

-- A number in 0 .. 1 from two words: of a float with 24 bits 23 are random, of one with 53 bits 52.
def _unit[t: float]((a, b): (u32, u32)) -> t =
  if _is_single(t(1)) then t(shr(bit_xor(a, b), 9)) / 8388608
  else (t(a) * 1048576 + t(shr(b, 12))) / 4503599627370496

-- Whether the type of `x`, which is 1, is `f32`.
def _is_single[t: float](x: t) -> bool = 16777216 * x + x == 16777216 * x

--| `n` numbers, uniform on `low .. high`, with derivatives with respect to both.
--| > uniform_between(key(42), 2, -1.0, 1.0)
--| [-0.14654486670018185, -0.9699798609693708]
def uniform_between[t: float](k: Key, n: i64, low: t, high: t) -> [n]t =
  max(low + (high - low) * uniform(k, n), low)

--| `n` integers, uniform on `low .. high`, `high` excluded. Of 63 random bits the remainder by `high - low` is taken:
--| probabilities differ by a factor of at most `1 + (high - low) / 2^63`. Where `low` is `high` there is no such
--| integer: error E0602.
--| > randint(key(42), 5, 1, 7)
--| [6, 1, 2, 6, 5]
def randint(k: Key, n: i64, low: i64, high: i64) -> [n]i64 =
  for i < n => low + _natural(_words(k, i)) % (high - low)

-- 63 bits.
def _natural((a, b): (u32, u32)) -> i64 = bit_or(shl(i64(shr(a, 1)), 32), i64(b))

-- ---- Continuous distributions

--| `n` numbers of the standard normal distribution: the inverse of the distribution function at a uniform number.
--| > normal(key(42), 3)  -- within 1e-14
--| [-0.18471174528191164, -2.1698245603977546, 0.18693555179382582]
def normal[t: float](k: Key, n: i64) -> [n]t = for i < n => _normal(_words(k, i))

def _normal[t: float](words: (u32, u32)) -> t = _normal_quantile(0.5 * _signed_unit(words))

-- Uniform on -1 .. 1, ends excluded.
def _signed_unit[t: float](words: (u32, u32)) -> t =
  let low = if _is_single(t(1)) then t(-0.99999994) else t(-0.9999999999999999)
  in max(2 * _unit(words) + low, low)

-- The standard normal number below which the share `q + 0.5` lies. Wichura, algorithm AS 241, Applied Statistics 37
-- (1988), routine PPND16, with a relative error of about 1e-16.
def _normal_quantile[t: float](q: t) -> t =
  if abs(q) <= 0.425 then
    let r = 0.180625 - q * q
    in q
      * _polynomial(
        [
          3.3871328727963666080,
          133.14166789178437745,
          1971.5909503065514427,
          13731.693765509461125,
          45921.953931549871457,
          67265.770927008700853,
          33430.575583588128105,
          2509.0809287301226727
        ],
        r
      )
      / _polynomial(
        [
          1.0,
          42.313330701600911252,
          687.18700749205790830,
          5394.1960214247511077,
          21213.794301586595867,
          39307.895800092710610,
          28729.085735721942674,
          5226.4952788528545610
        ],
        r
      )
  else
    let r = sqrt(-log(0.5 - abs(q)))
    let z =
      if r <= 5 then
        _polynomial(
          [
            1.42343711074968357734,
            4.63033784615654529590,
            5.76949722146069140550,
            3.64784832476320460504,
            1.27045825245236838258,
            0.241780725177450611770,
            0.0227238449892691845833,
            0.000774545014278341407640
          ],
          r - 1.6
        )
          / _polynomial(
            [
              1.0,
              2.05319162663775882187,
              1.67638483018380384940,
              0.689767334985100004550,
              0.148103976427480074590,
              0.0151986665636164571966,
              0.000547593808499534494600,
              0.00000000105075007164441684324
            ],
            r - 1.6
          )
      else
        _polynomial(
          [
            6.65790464350110377720,
            5.46378491116411436990,
            1.78482653991729133580,
            0.296560571828504891230,
            0.0265321895265761230930,
            0.00124266094738807843860,
            0.0000271155556874348757815,
            0.000000201033439929228813265
          ],
          r - 5
        )
          / _polynomial(
            [
              1.0,
              0.599832206555887937690,
              0.136929880922735805310,
              0.0148753612908506148525,
              0.000786869131145613259100,
              0.0000184631831751005468180,
              0.000000142151175831644588870,
              0.00000000000000204426310338993978564
            ],
            r - 5
          )
    in if q < 0 then -z else z

-- The polynomial with these eight coefficients, the constant one first.
def _polynomial[t: float](c: [8]t, x: t) -> t =
  c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * (c[6] + x * c[7]))))))

--| A vector of the normal distribution with this mean and covariance matrix, which must be symmetric and positive
--| definite: NaN where it is not. It has derivatives with respect to both.
--| > multivariate_normal(key(42), [1.0, 2.0], [[4.0, 0.0], [0.0, 1.0]])  -- within 1e-14
--| [0.6305765094361767, -0.16982456039775462]
def multivariate_normal[t: float](k: Key, mean: [d]t, covariance: [d][d]t) -> [d]t =
  mean + linalg.cholesky(covariance) @ (normal(k, d) :> [d]t)

--| `n` numbers of the exponential distribution with mean 1.
--| > exponential(key(42), 2)  -- within 1e-14
--| [0.5563942243855916, 0.015123860720489336]
def exponential[t: float](k: Key, n: i64) -> [n]t = -log1p(-uniform(k, n))

--| `n` numbers of the standard Gumbel distribution. The index of the largest of `logits + gumbel(k, n)` has the
--| distribution of `categorical`.
--| > gumbel(key(42), 2)  -- within 1e-14
--| [0.1606272063038215, -1.4348544993307832]
def gumbel[t: float](k: Key, n: i64) -> [n]t = for i < n =>
  let u: t = _signed_unit(_words(k, i)) in -log(-log(0.5 + 0.5 * u))

--| `n` numbers of the standard Laplace distribution.
--| > laplace(key(42), 2)  -- within 1e-14
--| [0.15846230602649014, 3.5058868215207473]
def laplace[t: float](k: Key, n: i64) -> [n]t = for i < n =>
  let u: t = _signed_unit(_words(k, i)) in sign(u) * log1p(-abs(u))

--| `n` numbers of the standard Cauchy distribution, by the inverse of the distribution function.
--| > cauchy(key(42), 2)  -- within 1e-12
--| [-0.23434604341667786, -21.19070234669309]
def cauchy[t: float](k: Key, n: i64) -> [n]t =
  let step = if _is_single(t(1)) then t(1.1920928955078125e-7) else 2.220446049250313e-16
  in for u in uniform(k, n) :> [n]t => tan(3.141592653589793 * (step + (1 - step) * u - 0.5))

--| `n` numbers of the Weibull distribution: powers of `exponential(k, n)`, with derivatives with respect to `shape` and
--| `scale`, which are positive.
--| > weibull(key(42), 2, 2.0, 3.0)  -- within 1e-14
--| [2.2377551294702296, 0.36893732053616374]
def weibull[t: float](k: Key, n: i64, shape: t, scale: t) -> [n]t =
  scale * exponential(k, n) ** (1 / shape)

--| `n` numbers of the standard normal distribution between `low` and `high`, which may be infinite: the inverse of the
--| distribution function at a uniform number, on the side of 0 where it has more digits. With derivatives with respect
--| to both ends. Beyond 38 on one side of 0, where probabilities underflow, all numbers are the end that is next to 0.
--| > truncated_normal(key(42), 3, -1.0, 0.5)  -- within 1e-13
--| [-0.28971072063226666, -0.9674773589312475, -0.08894316886548902]
def truncated_normal[t: float](k: Key, n: i64, low: t, high: t) -> [n]t =
  let side = if low > 0 then t(-1) else t(1)
  let (a, b) = if low > 0 then (-high, -low) else (low, high)
  let (p, q) = (_normal_share(a), _normal_share(b))
  in for i < n =>
    let u: t = _signed_unit(_words(k, i))
    let share = p + (0.5 + 0.5 * u) * (q - p)
    in side
      * (if q == 0 then b
       else math.clip(-1.4142135623730951 * math.erfcinv(2 * share), a, b))

-- The share of the standard normal distribution below `x`.
def _normal_share[t: float](x: t) -> t = 0.5 * math.erfc(-0.7071067811865476 * x)

--| Numbers of gamma distributions with these shapes and the mean `shape`, one each. For a mean of `shape / rate`
--| divide by `rate`. The derivative with respect to the shape, in both modes, is that of the quantile which the
--| number is; it is right to first order only. Shapes must be positive: the result is NaN where they are not. By
--| rejection: Marsaglia and Tsang, A simple method for generating gamma variables, ACM Transactions on Mathematical
--| Software 26 (2000). Figurnov, Mohamed and Mnih, Implicit reparameterization gradients, NeurIPS 2018.
--| > length(gamma(key(42), [0.5, 2.0, 100.0]))
--| 3
def gamma[t: float](k: Key, shape: [n]t) -> [n]t = for i => _gamma(fold_in(k, i), shape[i])

def _gamma[t: float](k: Key, shape: t) -> t =
  let a = stop_gradient(shape)
  in if not (a > 0) or not is_finite(a) then t(0) / t(0)
     else
       let z =
         if a >= 1 then _gamma_above_1(k, a)
         else _gamma_above_1(k, a + 1) * (1 - _unit(_words(k, -1))) ** (1 / a)
       in z + (shape - a) * _gamma_slope(a, stop_gradient(z))

-- Words with the numbers 0, 1, .. of the key are a normal and a uniform number in turn.
def _gamma_above_1[t: float](k: Key, a: t) -> t =
  let d = a - t(1) / 3
  let c = 1 / sqrt(9 * d)
  let (z, tries) = loop (z, tries): (t, i64) = (-1, 0) while z < 0 do
    let x: t = _normal(_words(k, 2 * tries))
    let u: t = 1 - _unit(_words(k, 2 * tries + 1))
    let v = (1 + c * x) ** 3
    let accept = v > 0 and log(u) < 0.5 * x * x + d - d * v + d * log(v)
    in (if accept then d * v else -1, tries + 1)
  in z

-- The derivative of the quantile `z` with respect to the shape `a`: of the distribution function's series in `z`,
-- each term with its derivative, over the density.
def _gamma_slope[t: float](a: t, z: t) -> t =
  if z == 0 then 0
  else
    let (sum, term, slope, k) = loop (sum, term, slope, k): (t, t, t, t) = (
      log(z) - digamma(a + 1),
      1,
      log(z) - digamma(a + 1),
      1
    ) while abs(term * slope) > 1e-17 * abs(sum) or k < z - a + 1 do
      let (term, slope) = (term * z / (a + k), slope - 1 / (a + k))
      in (sum + term * slope, term, slope, k + 1)
    in -sum * z / a

--| Numbers of beta distributions, one for each pair of parameters, with the derivatives of `gamma`.
--| > let x = beta(key(42), [2.0, 0.5], [3.0, 0.5]) in all(x >= 0.0 and x <= 1.0)
--| true
def beta[t: float](k: Key, a: [n]t, b: [n]t) -> [n]t =
  let (x, y) = (gamma(fold_in(k, 0), a), gamma(fold_in(k, 1), b))
  in x / (x + y)

--| `n` numbers of the chi-squared distribution with `freedom` degrees of freedom, with the derivative of `gamma`.
--| > length(chisquare(key(42), 3, 4.0))
--| 3
def chisquare[t: float](k: Key, n: i64, freedom: t) -> [n]t =
  2 * gamma(k, replicate(n, 0.5 * freedom))

--| `n` numbers of Student's distribution with `freedom` degrees of freedom: normal numbers over the roots of gamma
--| variables, with the derivative of `gamma`.
--| > length(student_t(key(42), 3, 4.0))
--| 3
def student_t[t: float](k: Key, n: i64, freedom: t) -> [n]t =
  normal(fold_in(k, 0), n) * sqrt(freedom / chisquare(fold_in(k, 1), n, freedom))

--| A point of the Dirichlet distribution: positive numbers that sum to 1, with the derivatives of `gamma`.
--| > sum(dirichlet(key(42), [1.0, 2.0, 3.0]))  -- within 1e-14
--| 1.0
def dirichlet[t: float](k: Key, a: [n]t) -> [n]t = let x = gamma(k, a) in x / sum(x)

-- ---- Discrete distributions

--| `n` choices, true with probability `p`.
--| > bernoulli(key(42), 4, 0.5)
--| [true, true, false, false]
def bernoulli[t: float](k: Key, n: i64, p: t) -> [n]bool = (uniform(k, n) :> [n]t) < p

--| `n` numbers, 1 or -1 with equal probability.
--| > rademacher(key(42), 4)
--| [1.0, 1.0, -1.0, -1.0]
def rademacher[t: float](k: Key, n: i64) -> [n]t =
  for i < n => if (_unit(_words(k, i)) :> f64) < 0.5 then 1 else -1

--| `n` classes with the probabilities `stats.softmax(logits)`, by the inverse of their running sum. A class with the
--| logit `-inf` is never taken. No logits at all give error E0601.
--| > categorical(key(42), 4, [0.0, 0.0, -1000.0])
--| [1, 1, 0, 0]
def categorical[t: float](k: Key, n: i64, logits: [c]t) -> [n]i64 =
  let up = cumsum(stats.softmax(stop_gradient(logits)))
  in for i < n => min(searchsorted(up, (1 - _unit(_words(k, i))) * up[c - 1]), c - 1)

--| `n` numbers of the Poisson distribution with this rate, as counts of events of a process of that rate until time 1
--| for rates below 10, and otherwise by rejection: Hörmann, The transformed rejection method for generating Poisson
--| random variables, Insurance: Mathematics and Economics 12 (1993). A rate that is not positive gives 0.
--| > poisson(key(42), 3, 0.0)
--| [0, 0, 0]
def poisson[t: float](k: Key, n: i64, rate: t) -> [n]i64 =
  for i < n =>
    if rate < 10 then _poisson_small(fold_in(k, i), f64(rate))
    else _poisson_large(fold_in(k, i), f64(rate))

def _poisson_small(k: Key, rate: f64) -> i64 =
  let (count, time) = loop (count, time) = (-1, 0.0) while time <= rate do
    (count + 1, time - log1p(-_unit(_words(k, count + 1))))
  in max(count, 0)

def _poisson_large(k: Key, rate: f64) -> i64 =
  let b = 0.931 + 2.53 * sqrt(rate)
  let a = -0.059 + 0.02483 * b
  let inverse = 1.1239 + 1.1328 / (b - 3.4)
  let v_r = 0.9277 - 3.6224 / (b - 2.0)
  let (count, tries) = loop (count, tries) = (-1.0, 0) while count < 0.0 do
    let u = _unit(_words(k, 2 * tries)) - 0.5
    let v = 1.0 - _unit(_words(k, 2 * tries + 1))
    let us = 0.5 - abs(u)
    let j = floor((2.0 * a / us + b) * u + rate + 0.43)
    let accept =
      if us >= 0.07 and v <= v_r then true
      else if j < 0.0 or (us < 0.013 and v > us) then false
      else log(v * inverse / (a / (us * us) + b)) <= j * log(rate) - rate - lgamma(j + 1.0)
    in (if accept then j else -1.0, tries + 1)
  in i64(count)

--| `n` numbers of successes in `trials` trials, each of probability `p`. Where fewer than 10 are expected, of successes
--| or of failures, the trials between two of them are drawn: Devroye, Non-uniform random variate generation (1986),
--| X.4. Otherwise by rejection: Hörmann, The generation of binomial random variates, Journal of Statistical Computation
--| and Simulation 46 (1993). A `p` below 0 counts as 0 and one above 1 as 1, a NaN as 0.
--| > binomial(key(42), 3, 10, 1.0)
--| [10, 10, 10]
def binomial[t: float](k: Key, n: i64, trials: i64, p: t) -> [n]i64 =
  for i < n => _binomial(fold_in(k, i), trials, f64(p))

def _binomial(k: Key, trials: i64, p: f64) -> i64 =
  let q = min(p, 1.0 - p)
  let count =
    if not (q > 0.0) or trials <= 0 then 0
    else if f64(trials) * q < 10.0 then _binomial_small(k, f64(trials), q)
    else _binomial_large(k, f64(trials), q)
  in if p > 0.5 then max(trials, 0) - count else count

def _binomial_small(k: Key, trials: f64, p: f64) -> i64 =
  let (count, place) = loop (count, place) = (-1, 0.0) while place <= trials do
    (count + 1, place + 1.0 + floor(log1p(-_unit(_words(k, count + 1))) / log1p(-p)))
  in count

def _binomial_large(k: Key, trials: f64, p: f64) -> i64 =
  let std = sqrt(trials * p * (1.0 - p))
  let b = 1.15 + 2.53 * std
  let a = -0.0873 + 0.0248 * b + 0.01 * p
  let v_r = 0.92 - 4.2 / b
  let alpha = (2.83 + 5.1 / b) * std
  let m = floor((trials + 1.0) * p)
  let most = lgamma(m + 1.0) + lgamma(trials - m + 1.0)
  let (count, tries) = loop (count, tries) = (-1.0, 0) while count < 0.0 do
    let u = _unit(_words(k, 2 * tries)) - 0.5
    let v = 1.0 - _unit(_words(k, 2 * tries + 1))
    let us = 0.5 - abs(u)
    let j = floor((2.0 * a / us + b) * u + trials * p + 0.5)
    let accept =
      if j < 0.0 or j > trials then false
      else if us >= 0.07 and v <= v_r then true
      else
        log(v * alpha / (a / (us * us) + b))
          <= most - lgamma(j + 1.0) - lgamma(trials - j + 1.0) + (j - m) * log(p / (1.0 - p))
    in (if accept then j else -1.0, tries + 1)
  in i64(count)

--| How often each class comes up in `trials` draws, with probabilities in proportion to `weights`, which are not
--| negative and not all 0: `binomial` numbers, each of what is left. Weights need not sum to 1.
--| > sum(multinomial(key(42), 10, [0.5, 0.2, 0.3]))
--| 10
--| > multinomial(key(42), 10, [0.0, 2.0])
--| [0, 10]
def multinomial[t: float](k: Key, trials: i64, weights: [c]t) -> [c]i64 =
  let rest = reverse(cumsum(reverse(stop_gradient(weights))))
  let none: [c]i64 = zeros(c)
  let (counts, _) = loop (counts, left) = (none, trials) for i < c do
    let count = _binomial(fold_in(k, i), left, f64(weights[i] / rest[i]))
    in (counts with [i] = count, left - count)
  in counts

-- ---- Matrices

--| A random orthogonal matrix of the uniform (Haar) distribution: the factor `q` of a matrix of normal numbers, of
--| which `r` has a positive diagonal. Stewart, SIAM Journal on Numerical Analysis 17 (1980).
--| > orthogonal(key(42), 2)  -- within 1e-13
--| [[-0.7028631207310976, -0.7113251250420883], [0.7113251250420883, -0.7028631207310976]]
def orthogonal[t: float](k: Key, n: i64) -> [n][n]t =
  linalg.qr(reshape(normal(k, n * n) :> [n*n]t, (n, n))).q

-- ---- Orders and samples

--| The numbers `0 .. n-1` in random order: that of random words of 63 bits.
--| > permutation(key(42), 4)
--| [1, 0, 2, 3]
def permutation(k: Key, n: i64) -> [n]i64 = argsort(for i < n => _natural(_words(k, i)))

--| The elements of `x` in random order.
--| > sort(shuffle(key(42), [3, 1, 2]))
--| [1, 2, 3]
def shuffle[t: any](k: Key, x: [m]t) -> [m]t = gather(x, permutation(k, m))

--| `n` elements of `x`, each drawn from all. Of an empty array: error E0602.
--| > length(choice(key(42), 5, [1.0, 2.0]))
--| 5
def choice[t: any](k: Key, n: i64, x: [m]t) -> [n]t = gather(x, randint(k, n, 0, m))

--| `n` different elements of `x`, in random order. More than there are give error E0601.
--| > sort(sample(key(42), 3, [3, 1, 2]))
--| [1, 2, 3]
def sample[t: any](k: Key, n: i64, x: [m]t) -> [n]t =
  let order = permutation(k, m) in for i < n => x[order[i]]

-- ---- Tests

-- The known answers of Random123, the authors' own library.
def _same(a: (u32, u32), b: (u32, u32)) -> (bool, bool) = (a.0 == b.0, a.1 == b.1)
test "known answers" = (
  _same(threefry2x32({ a = 0, b = 0 }, (0, 0)), (1797259609, 2579123966)),
  _same(
    threefry2x32({ a = 4294967295, b = 4294967295 }, (4294967295, 4294967295)),
    (481924860, 3137350631)
  ),
  _same(
    threefry2x32({ a = 320440878, b = 57701188 }, (608135816, 2242054355)),
    (3297917596, 1212020640)
  )
)
-- Means and variances of samples, to within four standard errors or so.
def _close(x: [n]f64, mean: f64, variance: f64, error: f64) -> (bool, bool) =
  (abs(stats.mean(x) - mean) < error, abs(stats.variance(x) - variance) < 3.0 * error)
def _draws = 2000
test "moments" = (
  _close(uniform(key(1), _draws), 0.5, 1.0 / 12.0, 0.03),
  _close(normal(key(2), _draws), 0.0, 1.0, 0.1),
  _close(exponential(key(3), _draws), 1.0, 1.0, 0.1),
  _close(gumbel(key(4), _draws), 0.5772156649015329, 1.6449340668482264, 0.12),
  _close(laplace(key(5), _draws), 0.0, 2.0, 0.13)
)
test "moments of whole numbers" = (
  _close(f64(randint(key(1), _draws, -3, 7)), 1.5, 8.25, 0.26),
  _close(f64(bernoulli(key(2), _draws, 0.3)), 0.3, 0.21, 0.05),
  _close(rademacher(key(3), _draws), 0.0, 1.0, 0.1),
  _close(f64(poisson(key(4), _draws, 3.5)), 3.5, 3.5, 0.17),
  _close(f64(poisson(key(5), _draws, 40.0)), 40.0, 40.0, 1.2),
  _close(f64(categorical(key(6), _draws, [0.0, log(2.0), -1.0 / 0.0, 0.0])), 1.25, 1.1875, 0.1)
)
test "moments of gamma variables" = (
  _close(gamma(key(1), replicate(_draws, 0.3)), 0.3, 0.3, 0.05),
  _close(gamma(key(2), replicate(_draws, 5.0)), 5.0, 5.0, 0.2),
  _close(
    beta(key(3), replicate(_draws, 2.0), replicate(_draws, 0.5)),
    0.8,
    0.04571428571428572,
    0.02
  )
)
-- The mean of a gamma variable is its shape, so that the mean derivative is 1.
test "the derivative of gamma variables" =
  let slopes = grad(\a => sum(gamma(key(7), a)))(for i < 500 => if i < 250 then 0.5 else 20.0)
  in (abs(mean(slopes[:250]) - 1.0) < 0.15, abs(mean(slopes[250:]) - 1.0) < 0.1)
test "parameters" gradient (low: f64, high: f64, m: [2]f64, a: [2][2]f64) = (
  uniform_between(key(1), 3, low, high),
  multivariate_normal(key(2), m, tanh(a) @ transpose(tanh(a)) + [[1.0, 0.0], [0.0, 1.0]])
)
test "streams are independent" =
  let ks = split(key(3), 2)
  let (x, y) = (normal(ks[0], _draws), normal(ks[1], _draws))
  in abs(x @ y) / f64(_draws) < 0.1
test "orders"(seed: i64, x: [n]i64) = (
  sort(permutation(key(seed), n)) == iota(n),
  sort(shuffle(key(seed), x)) == sort(x),
  sort(sample(key(seed), n, x)) == sort(x)
)
test "intervals"(seed: i64) = (
  all(uniform(key(seed), 20) >= 0.0) and all(uniform(key(seed), 20) < 1.0),
  all(is_finite(normal(key(seed), 20))),
  all(randint(key(seed), 20, -2, 3) >= -2) and all(randint(key(seed), 20, -2, 3) < 3)
)
test "extremes" within 1e-13 = (
  _signed_unit((0, 0)) == -0.9999999999999999,
  _normal((0, 0)) == -8.292361075813597,
  _normal((4294967295, 4294967295)) == 8.160707840858583,
  _normal_quantile(-0.475) == -1.959963984540054,
  _normal_quantile(0.0) == 0.0
)
test "single precision" = (
  uniform(key(42), 2) == [0.48870957f32, 0.6797972],
  abs(stats.mean(normal(key(2), _draws) :> [_draws]f32)) < 0.1,
  abs(stats.mean(gamma(key(2), replicate(_draws, 2.0f32))) - 2.0) < 0.15
)
test "nothing at all" = (
  length(normal(key(0), 0)) == 0,
  length(permutation(key(0), 0)) == 0,
  length(split(key(0), 0)) == 0
)
test "moments of other continuous numbers" = (
  _close(weibull(key(1), _draws, 2.0, 1.0), 0.886226925452758, 0.21460183660255172, 0.05),
  _close(truncated_normal(key(2), _draws, -1.0, 2.0), 0.2296414490519203, 0.5197666285034346, 0.08),
  _close(chisquare(key(3), _draws, 5.0), 5.0, 10.0, 0.5),
  _close(student_t(key(4), _draws, 8.0), 0.0, 4.0 / 3.0, 0.13),
  abs(stats.median(cauchy(key(5), _draws))) < 0.12
)
test "moments of binomial numbers" = (
  _close(f64(binomial(key(1), _draws, 5, 0.3)), 1.5, 1.05, 0.1),
  _close(f64(binomial(key(2), _draws, 12, 0.9)), 10.8, 1.08, 0.1),
  _close(f64(binomial(key(12), _draws, 100, 0.4)), 40.0, 24.0, 0.5),
  _close((f64(binomial(key(4), _draws, 1000000, 0.75)) - 750000.0) / 1000.0, 0.0, 0.1875, 0.04)
)
-- The shares of single values, where the method changes.
test "binomial numbers have the binomial distribution" =
  let x = binomial(key(9), 4 * _draws, 30, 0.4)
  in all(for j < 31 =>
    abs(stats.mean(f64(x == j)) - exp(stats.binomial_logpmf(j, 30, 0.4))) < 0.02)
test "ends of other distributions" = (
  truncated_normal(key(1), 3, 0.5, 0.5) == [0.5, 0.5, 0.5],
  all(
    truncated_normal(key(1), 20, 9.0, 10.0) >= 9.0
      and truncated_normal(key(1), 20, 9.0, 10.0) <= 10.0
  ),
  truncated_normal(key(1), 2, -60.0, -50.0) == [-50.0, -50.0],
  binomial(key(1), 2, 5, 0.0) == [0, 0] and binomial(key(1), 2, 0, 0.5) == [0, 0],
  binomial(key(1), 2, 5, -1.0) == [0, 0] and binomial(key(1), 2, 5, 2.0) == [5, 5],
  multinomial(key(1), 3, [2.5]) == [3] and length(multinomial(key(1), 3, zeros(0))) == 0,
  length(orthogonal(key(1), 0)) == 0 and abs(orthogonal(key(1), 1)[0, 0]) == 1.0
)
test "counts of classes"(seed: i64) =
  let x = multinomial(key(seed), 1000, [1.0, 0.0, 2.0, 1.0, 0.0])
  in sum(x) == 1000 and x[1] == 0 and x[4] == 0 and abs(x[2] - 500) < 100
test "an orthogonal matrix" within 1e-12 (seed: i64) =
  let q = orthogonal(key(seed), 4)
  in transpose(q) @ q == linalg.identity(4)
-- The mean over keys of the square of an entry is 1 / 3, and that of the trace is 0.
test "orthogonal matrices are uniform" =
  let qs = for k in split(key(5), 300) => orthogonal(k, 3)
  in (
    abs(stats.mean(for q in qs => q[0, 0] ** 2) - 1.0 / 3.0) < 0.06,
    abs(stats.mean(for q in qs => linalg.trace(q))) < 0.23
  )
test "values of jax.random" within 1e-12 = (
  truncated_normal(key(1), 3, -7.0, -2.0)
    == [-2.783603702173178, -2.3143935821515322, -2.2281683403555257],
  orthogonal(key(1), 3)
    == [
      [-0.7767412236143474, -0.46559513626690074, 0.4241394117771801],
      [0.6278727777904014, -0.5195194584849275, 0.5795475020783826],
      [0.049485820674730244, -0.7164640265499265, -0.6958666914086453]
    ]
)
test "ends and scales gradient" gradient (a: f64, b: f64) = (
  truncated_normal(key(1), 2, tanh(a) - 1.0, 1.1 + tanh(b)),
  truncated_normal(key(1), 2, 2.0 + tanh(a), 4.0 + tanh(b)),
  weibull(key(1), 2, 2.0 + tanh(a), 2.0 + tanh(b))
)
test "the derivative of chi-squared and Student's numbers" = (
  abs(grad(\f => stats.mean(chisquare(key(7), 500, f)))(3.0) - 1.0) < 0.15,
  grad(\f => stats.variance(student_t(key(7), 500, f)))(6.0) < 0.0
)
test "other distributions in single precision" within 1e-5 = (
  truncated_normal(key(42), 1, -1.0f32, 0.5) == [-0.20434169471263885f32],
  cauchy(key(42), 2) == [-0.03548463061451912f32, 0.6337261199951172],
  all(is_finite(student_t(key(1), 9, 4.0f32))),
  sum(multinomial(key(1), 9, [0.5f32, 0.5])) == 9
)
