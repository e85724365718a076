-- Statistics: moments, probability densities and distribution functions.
--
-- Densities are given by their logarithm, so that they neither overflow nor underflow, and take their parameters
-- after the point. Outside a distribution's support the logarithm is `-inf`, with derivative zero. Parameters that a
-- distribution does not allow (a negative scale, say) give NaN or a number without meaning: nothing is checked.

import linalg
import math

-- ---- Moments

--| The mean, also of no elements: NaN.
--| > mean([1.0, 2.0, 6.0])
--| 3.0
def mean[t: float](x: [n]t) -> t = sum(x) / t(n)

--| The mean with weights, as NumPy's `average`: the sum of `weights * x` over the sum of `weights`. Infinite or NaN
--| where the weights sum to 0, and NaN where there are none.
--| > weighted_mean([1.0, 4.0], [2.0, 1.0])
--| 2.0
def weighted_mean[t: float](x: [n]t, weights: [n]t) -> t = sum(weights * x) / sum(weights)

--| The variance: the mean squared deviation from the mean.
--| > variance([1.0, 2.0, 3.0, 4.0])
--| 1.25
def variance[t: float](x: [n]t) -> t = let d = x - mean(x) in mean(d * d)

--| The variance of what `x` is a sample of: the squared deviations from the mean are divided by `n - 1`, so that the
--| estimate is unbiased. NaN for a single element.
--| > sample_variance([1.0, 2.0, 3.0, 4.0])  -- within 1e-15
--| 1.6666666666666667
def sample_variance[t: float](x: [n]t) -> t = let d = x - mean(x) in sum(d * d) / t(n - 1)

--| The standard deviation, the square root of `variance`. Its derivative is zero where all elements are equal.
--| > std([1.0, 3.0])
--| 1.0
--| > grad(std)([1.0, 1.0])
--| [0.0, 0.0]
def std[t: float](x: [n]t) -> t = _root(variance(x))

--| The square root of `sample_variance`. Its derivative is zero where all elements are equal.
--| > sample_std([1.0, 2.0, 3.0])
--| 1.0
def sample_std[t: float](x: [n]t) -> t = _root(sample_variance(x))

-- The square root, with derivative zero at zero.
def _root[t: float](x: t) -> t = if x == 0 then 0 else sqrt(x)

--| The covariance matrix of `n` observations of `d` variables, one observation a row.
--| > covariance([[1.0, 2.0], [3.0, 6.0]])
--| [[1.0, 2.0], [2.0, 4.0]]
def covariance[t: float](x: [n][d]t) -> [d][d]t = _products(x) / t(n)

--| The covariance matrix of what `x` is a sample of: divided by `n - 1`, see `sample_variance`.
--| > sample_covariance([[1.0, 2.0], [3.0, 6.0]])
--| [[2.0, 4.0], [4.0, 8.0]]
def sample_covariance[t: float](x: [n][d]t) -> [d][d]t = _products(x) / t(n - 1)

-- The sums of products of deviations from the mean.
def _products[t: float](x: [n][d]t) -> [d][d]t =
  let centre = sum(x) / t(n)
  let r = for i < n => x[i] - centre
  in transpose(r) @ r

--| The matrix of correlation coefficients of `n` observations of `d` variables, one observation a row. NaN for a
--| variable that does not vary.
--| > correlation([[1.0, 6.0], [2.0, 4.0], [3.0, 2.0]])
--| [[1.0, -1.0], [-1.0, 1.0]]
def correlation[t: float](x: [n][d]t) -> [d][d]t =
  let c = covariance(x)
  in for i < d, j < d =>
    if i == j then c[i, j] / c[i, i] else c[i, j] / (sqrt(c[i, i]) * sqrt(c[j, j]))

--| The mean, the variance, the skewness and the excess kurtosis, none corrected for bias. The last two are NaN where
--| the variance is zero.
--| > moments([1.0, 2.0, 3.0, 4.0])  -- within 1e-14
--| {mean = 2.5, variance = 1.25, skewness = 0.0, kurtosis = -1.36}
def moments[t: float](x: [n]t) -> { mean: t, variance: t, skewness: t, kurtosis: t } =
  let m = mean(x)
  let d = x - m
  let v = mean(d ** 2)
  in {
    mean = m,
    variance = v,
    skewness = mean(d ** 3) / (v * sqrt(v)),
    kurtosis = mean(d ** 4) / (v * v) - 3
  }

--| The elements shifted and scaled to mean 0 and variance 1; all zero if they are equal.
--| > standardize([1.0, 3.0])
--| [-1.0, 1.0]
--| > standardize([2.0, 2.0])
--| [0.0, 0.0]
def standardize[t: float](x: [n]t) -> [n]t =
  let (m, s) = (mean(x), std(x))
  in if s == 0 then x - m else (x - m) / s

--| The value below which the share `q` of the elements lies, `q` from 0 to 1: between two elements the line between
--| them, as NumPy has it. The derivative goes to those two. NaN if an element is: see `nan_quantile`. An empty array, or a
--| `q` beyond 0 and 1, gives the error E0601.
--| > quantile([4.0, 1.0, 3.0, 2.0], 0.5)
--| 2.5
--| > quantile([4.0, 1.0, 3.0, 2.0], 1.0)
--| 4.0
def quantile[t: float](x: [n]t, q: t) -> t =
  let sorted = sort(x)
  in if is_nan(sorted[n - 1]) then sorted[n - 1] else _quantile(sorted, n, q)

-- That of the first `m` of sorted elements.
def _quantile[t: float](sorted: [n]t, m: i64, q: t) -> t =
  let place = q * t(m - 1)
  let below = i64(floor(place))
  let above = if place > t(below) then below + 1 else below
  in sorted[below] + (place - floor(place)) * (sorted[above] - sorted[below])

--| The median: the middle element, or the mean of the two in the middle. NaN if an element is.
--| > median([3.0, 1.0, 8.0, 2.0])
--| 2.5
def median[t: float](x: [n]t) -> t = quantile(x, 0.5)

--| As `quantile`, with `p` from 0 to 100, as NumPy has it.
--| > percentile([4.0, 1.0, 3.0, 2.0], 50.0)
--| 2.5
def percentile[t: float](x: [n]t, p: t) -> t = quantile(x, p / 100)

--| As `quantile`, of the elements that are not NaN; NaN where none is left.
--| > nan_quantile([4.0, 0.0 / 0.0, 1.0, 3.0, 2.0], 1.0)
--| 4.0
def nan_quantile[t: float](x: [n]t, q: t) -> t =
  let m = sum(for v in x => i64(not is_nan(v)))
  in if m == 0 then t(0) / t(0) else _quantile(sort(x), m, q)

--| As `median`, of the elements that are not NaN; NaN where none is left.
--| > nan_median([3.0, 0.0 / 0.0, 1.0, 8.0, 2.0])
--| 2.5
--| > nan_median([0.0 / 0.0, 0.0 / 0.0])
--| nan
def nan_median[t: float](x: [n]t) -> t = nan_quantile(x, 0.5)

--| The skewness: the mean cube of the standardised data. NaN where all elements are equal.
--| > skew([1.0, 2.0, 6.0])  -- within 1e-15
--| 0.5951700641394974
def skew[t: float](x: [n]t) -> t =
  let d = x - mean(x)
  in mean(d * d * d) / variance(x) ** 1.5

--| The excess kurtosis: the mean fourth power of the standardised data, less the 3 of a normal distribution. NaN where
--| all elements are equal.
--| > kurtosis([1.0, 2.0, 3.0, 4.0])  -- within 1e-15
--| -1.36
def kurtosis[t: float](x: [n]t) -> t =
  let d = x - mean(x)
  in mean(d ** 4) / variance(x) ** 2 - 3

--| The mean of the elements that are not NaN; NaN where none is left.
--| > nan_mean([1.0, 0.0 / 0.0, 3.0])
--| 2.0
def nan_mean[t: float](x: [n]t) -> t =
  sum(for v in x => if is_nan(v) then 0 else v) / t(sum(for v in x => i64(not is_nan(v))))

--| The share of the data that is at most `v`.
--| > ecdf([1.0, 2.0, 4.0, 8.0], 4.0)
--| 0.75
def ecdf[t: float](x: [n]t, v: t) -> t = t(sum(i64(x <= v))) / t(n)

-- ---- Sums of exponentials

--| The logarithm of the sum of exponentials, without overflow; `-inf` if all elements are, or if there are none.
--| > logsumexp([1000.0, 1000.0])
--| 1000.6931471805599
--| > logsumexp(zeros(0))
--| -inf
def logsumexp[t: float](x: [n]t) -> t =
  let m = _shift(x)
  in m + log(sum(exp(x - m)))

-- The largest element where it is finite, and otherwise 0: what is taken out of exponentials.
def _shift[t: float](x: [n]t) -> t =
  let m = if n == 0 then 0 else maximum(stop_gradient(x))
  in if is_finite(m) then m else 0

--| Positive numbers that sum to 1, in proportion to the exponentials of `x`, without overflow.
--| > softmax([0.0, log(3.0)])  -- within 1e-15
--| [0.25, 0.75]
def softmax[t: float](x: [n]t) -> [n]t =
  let e = exp(x - _shift(x))
  in e / sum(e)

--| The logarithms of `softmax`.
--| > log_softmax([0.0, 1000.0])
--| [-1000.0, 0.0]
def log_softmax[t: float](x: [n]t) -> [n]t = x - logsumexp(x)

-- ---- Continuous distributions

-- The logarithm of the square root of 2 pi.
def _log_sqrt_tau[t: float]() -> t = 0.9189385332046727

--| The logarithm of the density at `x` of the normal distribution with this mean and standard deviation.
--| > normal_logpdf(0.0, 0.0, 1.0)
--| -0.9189385332046727
def normal_logpdf[t: float](x: t, mean: t, std: t) -> t =
  let z = (x - mean) / std
  in -0.5 * z * z - log(std) - _log_sqrt_tau()

--| The probability of at most `x` under the normal distribution.
--| > normal_cdf(1.96, 0.0, 1.0)  -- within 1e-15
--| 0.9750021048517795
def normal_cdf[t: float](x: t, mean: t, std: t) -> t =
  0.5 * (1 + erf((x - mean) / (std * 1.4142135623730951)))

--| The quantile of a normal distribution: the point below which the share `p` lies. Infinite at 0 and 1, and NaN
--| outside.
--| > normal_ppf(0.975, 0.0, 1.0)  -- within 1e-14
--| 1.959963984540054
def normal_ppf[t: float](p: t, mean: t, std: t) -> t =
  mean - 1.4142135623730951 * std * math.erfcinv(2 * p)

--| The logarithm of the density at `x` of the normal distribution with this mean vector and covariance matrix, which
--| must be symmetric and positive definite: NaN where it is not. By Cholesky's factorisation.
--| > multivariate_normal_logpdf([1.0, 0.0], [0.0, 0.0], [[2.0, 0.5], [0.5, 1.0]])  -- within 1e-14
--| -2.4033992460913423
def multivariate_normal_logpdf[t: float](x: [d]t, mean: [d]t, covariance: [d][d]t) -> t =
  let l = linalg.cholesky(covariance)
  let z = linalg.solve_lower(l, x - mean)
  in -0.5 * sum(z * z) - sum(log(linalg.diagonal(l))) - t(d) * _log_sqrt_tau()

--| The logarithm of the density at `x` of the log-normal distribution: the normal distribution of `log(x)`.
--| > lognormal_logpdf(2.0, 0.0, 1.0)  -- within 1e-14
--| -1.8523122207237186
--| > lognormal_logpdf(-1.0, 0.0, 1.0)
--| -inf
def lognormal_logpdf[t: float](x: t, mean: t, std: t) -> t =
  if x <= 0 then _never() else normal_logpdf(log(x), mean, std) - log(x)

-- The logarithm of zero.
def _never[t: float]() -> t = t(-1) / t(0)

--| The logarithm of the density at `x` of the Laplace distribution.
--| > laplace_logpdf(1.0, 0.0, 2.0)  -- within 1e-14
--| -1.8862943611198906
def laplace_logpdf[t: float](x: t, mean: t, scale: t) -> t = -abs(x - mean) / scale - log(2 * scale)

--| The probability of at most `x` under the Laplace distribution.
--| > laplace_cdf(0.0, 0.0, 2.0)
--| 0.5
def laplace_cdf[t: float](x: t, mean: t, scale: t) -> t =
  let z = (x - mean) / scale
  in if z < 0 then 0.5 * exp(z) else 1 - 0.5 * exp(-z)

--| The logarithm of the density at `x` of the logistic distribution.
--| > logistic_logpdf(0.0, 0.0, 1.0)  -- within 1e-14
--| -1.3862943611198906
def logistic_logpdf[t: float](x: t, mean: t, scale: t) -> t =
  let z = (x - mean) / scale
  in -z - 2 * softplus(-z) - log(scale)

--| The probability of at most `x` under the logistic distribution.
--| > logistic_cdf(0.0, 0.0, 1.0)
--| 0.5
def logistic_cdf[t: float](x: t, mean: t, scale: t) -> t = sigmoid((x - mean) / scale)

--| The logarithm of the density at `x` of the Cauchy distribution.
--| > cauchy_logpdf(1.0, 0.0, 1.0)  -- within 1e-14
--| -1.8378770664093453
def cauchy_logpdf[t: float](x: t, mean: t, scale: t) -> t =
  let z = (x - mean) / scale
  in -log1p(z * z) - log(3.141592653589793 * scale)

--| The probability of at most `x` under the Cauchy distribution.
--| > cauchy_cdf(1.0, 0.0, 1.0)
--| 0.75
def cauchy_cdf[t: float](x: t, mean: t, scale: t) -> t =
  0.5 + atan((x - mean) / scale) / 3.141592653589793

--| The logarithm of the density at `x` of Student's distribution with `freedom` degrees of freedom.
--| > student_t_logpdf(1.0, 3.0, 0.0, 1.0)  -- within 1e-14
--| -1.5762529945270716
def student_t_logpdf[t: float](x: t, freedom: t, mean: t, scale: t) -> t =
  let z = (x - mean) / scale
  let half = 0.5 * freedom
  in lgamma(half + 0.5) - lgamma(half) - 0.5 * log(3.141592653589793 * freedom) - log(scale)
    - (half + 0.5) * log1p(z * z / freedom)

--| The probability of at most `x` under Student's distribution with `freedom` degrees of freedom, by `math.betainc`.
--| The relative error is below 1e-12 for `freedom` above 0.1 and results above 1e-280. The derivatives with respect to
--| `x`, `mean` and `scale` are in closed form.
--| > student_t_cdf(1.0, 3.0, 0.0, 1.0)  -- within 1e-15
--| 0.8044988905221148
def student_t_cdf[t: float](x: t, freedom: t, mean: t, scale: t) -> t =
  let (x, freedom) = (stop_gradient(x), stop_gradient(freedom))
  in _student_cdf((x - stop_gradient(mean)) / stop_gradient(scale), freedom)
derivative student_t_cdf(x, freedom, mean, scale, y, dy) =
  let z = (x - mean) / scale
  let d = dy * exp(student_t_logpdf(x, freedom, mean, scale))
  in (d, dy * _student_slope(z, freedom), -d, -d * z)

def _student_cdf[t: float](z: t, freedom: t) -> t =
  let tail = _student_tail(z * z, freedom)
  in if z < 0 then tail else 1 - tail

-- The probability of less than `-sqrt(square)`. From 10000 degrees of freedom on by Hill's expansion around the normal
-- distribution: Algorithm 395, Communications of the ACM 13 (1970).
def _student_tail[t: float](square: t, freedom: t) -> t =
  if freedom > 10000 then
    let a = freedom - 0.5
    let b = 48 * a * a
    let y = a * log1p(square / freedom)
    let c = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b)
    in 0.5 * math.erfc(((c + y + 3) / b + 1) * sqrt(0.5 * y))
  else
    let half = 0.5 * freedom
    let (a, b, part) = if square < 1 then (t(0.5), half, square) else (half, t(0.5), freedom)
    let share = 0.5 * math.betainc(a, b, part / (freedom + square))
    in if square < 1 then 0.5 - share else share

-- The derivative of the distribution function with respect to `freedom`.
def _student_slope[t: float](z: t, freedom: t) -> t =
  if z == 0 then
    z * exp(student_t_logpdf(z, freedom, 0, 1))
      * grad[freedom](student_t_logpdf)(z, freedom, t(0), t(1))
  else -sign(z) * grad[freedom](_student_tail)(z * z, freedom)

--| The quantile of Student's distribution: the point below which the share `p` lies. Infinite at 0 and 1, and where its
--| square would overflow. NaN where `p` lies outside `0 .. 1`. By `math.betaincinv` and a step of Newton's method. The
--| relative error is below 1e-12 for `freedom` above 0.1 and `p` that is not next to 0.5. The derivatives are those of
--| an inverse function.
--| > student_t_ppf(0.975, 3.0, 0.0, 1.0)  -- within 1e-14
--| 3.182446305283708
def student_t_ppf[t: float](p: t, freedom: t, mean: t, scale: t) -> t =
  let (p, freedom) = (stop_gradient(p), stop_gradient(freedom))
  let z = _student_quantile(min(p, 1 - p), freedom)
  in stop_gradient(mean) + stop_gradient(scale) * (if p < 0.5 then z else -z)
derivative student_t_ppf(p, freedom, mean, scale, y, dy) =
  let z = (y - mean) / scale
  let rate = scale / exp(student_t_logpdf(z, freedom, 0, 1))
  in (dy * rate, -dy * rate * _student_slope(z, freedom), dy, dy * z)

-- Of a share that is at most a half.
def _student_quantile[t: float](share: t, freedom: t) -> t =
  let half = 0.5 * freedom
  let tail = share < 0.2
  let (a, b, p) = if tail then (half, t(0.5), 2 * share) else (t(0.5), half, 1 - 2 * share)
  let x = math.betaincinv(a, b, p)
  let ratio = if tail then (1 - x) / x else x / (1 - x)
  let z = -sqrt(freedom * ratio)
  let density = exp(student_t_logpdf(z, freedom, 0, 1))
  in if density > 0 then z - (_student_cdf(z, freedom) - share) / density else z

--| The logarithm of the density at `x` of the uniform distribution on `low .. high`, ends included.
--| > uniform_logpdf(1.0, 0.0, 2.0)
--| -0.6931471805599453
--| > uniform_logpdf(3.0, 0.0, 2.0)
--| -inf
def uniform_logpdf[t: float](x: t, low: t, high: t) -> t =
  if x < low or x > high then _never() else -log(high - low)

--| The probability of at most `x` under the uniform distribution on `low .. high`.
--| > uniform_cdf(0.5, 0.0, 2.0)
--| 0.25
def uniform_cdf[t: float](x: t, low: t, high: t) -> t =
  if x <= low then 0 else if x >= high then 1 else (x - low) / (high - low)

--| The logarithm of the density at `x` of the exponential distribution with mean `1 / rate`.
--| > exponential_logpdf(1.0, 2.0)  -- within 1e-14
--| -1.3068528194400546
--| > exponential_logpdf(-1.0, 2.0)
--| -inf
def exponential_logpdf[t: float](x: t, rate: t) -> t =
  if x < 0 then _never() else log(rate) - rate * x

--| The probability of at most `x` under the exponential distribution.
--| > exponential_cdf(1.0, 2.0)  -- within 1e-15
--| 0.8646647167633873
def exponential_cdf[t: float](x: t, rate: t) -> t = if x < 0 then 0 else -expm1(-rate * x)

--| The logarithm of the density at `x` of the Weibull distribution.
--| > weibull_logpdf(1.0, 2.0, 3.0)  -- within 1e-14
--| -1.6151885078873853
def weibull_logpdf[t: float](x: t, shape: t, scale: t) -> t =
  if x < 0 then _never()
  else log(shape / scale) + _xlogy(shape - 1, x / scale) - (x / scale) ** shape

--| The probability of at most `x` under the Weibull distribution.
--| > weibull_cdf(3.0, 2.0, 3.0)  -- within 1e-15
--| 0.6321205588285577
def weibull_cdf[t: float](x: t, shape: t, scale: t) -> t =
  if x <= 0 then 0 else -expm1(-((x / scale) ** shape))

--| The logarithm of the density at `x` of the gamma distribution with mean `shape / rate`.
--| > gamma_logpdf(2.0, 3.0, 1.0)  -- within 1e-14
--| -1.3068528194400546
--| > gamma_logpdf(-1.0, 3.0, 1.0)
--| -inf
def gamma_logpdf[t: float](x: t, shape: t, rate: t) -> t =
  if x < 0 then _never()
  else shape * log(rate) + _xlogy(shape - 1, x) - rate * x - lgamma(shape)

--| The probability of at most `x` under the gamma distribution with mean `shape / rate`. See `math.gammainc`.
--| > gamma_cdf(2.0, 3.0, 1.0)  -- within 1e-15
--| 0.3233235838169366
def gamma_cdf[t: float](x: t, shape: t, rate: t) -> t =
  if x <= 0 then 0 else math.gammainc(shape, rate * x)

--| The quantile of the gamma distribution with mean `shape / rate`: the point below which the share `p` lies. Infinite
--| at 1, and NaN where `p` lies outside `0 .. 1`. See `math.gammaincinv`.
--| > gamma_ppf(0.5, 3.0, 2.0)  -- within 1e-14
--| 1.3370301568617799
def gamma_ppf[t: float](p: t, shape: t, rate: t) -> t = math.gammaincinv(shape, p) / rate

--| The logarithm of the density at `x` of the inverse gamma distribution: the gamma distribution of `1 / x`.
--| > inverse_gamma_logpdf(2.0, 3.0, 1.0)  -- within 1e-14
--| -3.9657359027997265
def inverse_gamma_logpdf[t: float](x: t, shape: t, scale: t) -> t =
  if x <= 0 then _never()
  else shape * log(scale) - (shape + 1) * log(x) - scale / x - lgamma(shape)

--| The logarithm of the density at `x` of the chi-squared distribution.
--| > chi2_logpdf(2.0, 4.0)  -- within 1e-14
--| -1.6931471805599454
def chi2_logpdf[t: float](x: t, freedom: t) -> t = gamma_logpdf(x, 0.5 * freedom, 0.5)

--| The probability of at most `x` under the chi-squared distribution.
--| > chi2_cdf(2.0, 4.0)  -- within 1e-15
--| 0.2642411176571153
def chi2_cdf[t: float](x: t, freedom: t) -> t = gamma_cdf(x, 0.5 * freedom, 0.5)

--| The quantile of the chi-squared distribution: the point below which the share `p` lies. See `gamma_ppf`.
--| > chi2_ppf(0.95, 1.0)  -- within 1e-14
--| 3.841458820694124
def chi2_ppf[t: float](p: t, freedom: t) -> t = gamma_ppf(p, 0.5 * freedom, 0.5)

--| The logarithm of the density at `x` of the beta distribution on `0 .. 1`.
--| > beta_logpdf(0.5, 2.0, 3.0)  -- within 1e-14
--| 0.4054651081081644
--| > beta_logpdf(1.5, 2.0, 3.0)
--| -inf
def beta_logpdf[t: float](x: t, a: t, b: t) -> t =
  if x < 0 or x > 1 then _never()
  else _xlogy(a - 1, x) + _xlog1py(b - 1, -x) - lbeta(a, b)

--| The probability of at most `x` under the beta distribution on `0 .. 1`. See `math.betainc`.
--| > beta_cdf(0.5, 2.0, 3.0)  -- within 1e-15
--| 0.6875
--| > beta_cdf(1.5, 2.0, 3.0)
--| 1.0
def beta_cdf[t: float](x: t, a: t, b: t) -> t =
  if x <= 0 then 0 else if x >= 1 then 1 else math.betainc(a, b, x)

--| The quantile of the beta distribution: the point below which the share `p` lies. NaN where `p` lies outside
--| `0 .. 1`. See `math.betaincinv`.
--| > beta_ppf(0.6875, 2.0, 3.0)  -- within 1e-14
--| 0.5
def beta_ppf[t: float](p: t, a: t, b: t) -> t = math.betaincinv(a, b, p)

--| The logarithm of the beta function.
--| > lbeta(2.0, 3.0)  -- within 1e-14
--| -2.4849066497880004
def lbeta[t: float](a: t, b: t) -> t = lgamma(a) + lgamma(b) - lgamma(a + b)

--| The logarithm of the density at `x`, positive numbers that sum to 1, of the Dirichlet distribution. That they sum
--| to 1 is not checked.
--| > dirichlet_logpdf([0.2, 0.3, 0.5], [1.0, 2.0, 3.0])  -- within 1e-14
--| 1.5040773967762737
def dirichlet_logpdf[t: float](x: [k]t, a: [k]t) -> t =
  sum(for i => _xlogy(a[i] - 1, x[i]) - lgamma(a[i])) + lgamma(sum(a))

-- `x * log(y)`, and 0 where `x` is.
def _xlogy[t: float](x: t, y: t) -> t = if x == 0 and not is_nan(y) then 0 else x * log(y)

-- `x * log(1 + y)`, and 0 where `x` is.
def _xlog1py[t: float](x: t, y: t) -> t = if x == 0 and not is_nan(y) then 0 else x * log1p(y)

-- ---- Discrete distributions

--| The logarithm of the probability of `k` under the Poisson distribution.
--| > poisson_logpmf(2, 3.0)  -- within 1e-14
--| -1.4959226032237261
--| > poisson_logpmf(-1, 3.0)
--| -inf
def poisson_logpmf[t: float](k: i64, rate: t) -> t =
  if k < 0 then _never() else _xlogy(t(k), rate) - rate - lgamma(t(k) + 1)

--| The probability of at most `k` under the Poisson distribution. See `math.gammaincc`.
--| > poisson_cdf(2, 3.0)  -- within 1e-15
--| 0.42319008112684353
--| > poisson_cdf(-1, 3.0)
--| 0.0
def poisson_cdf[t: float](k: i64, rate: t) -> t =
  if k < 0 then 0 else math.gammaincc(t(k) + 1, rate)

--| The logarithm of the probability of `k` successes in `n` trials, each of probability `p`.
--| > binomial_logpmf(2, 5, 0.5)  -- within 1e-14
--| -1.1631508098056809
--| > binomial_logpmf(6, 5, 0.5)
--| -inf
def binomial_logpmf[t: float](k: i64, n: i64, p: t) -> t =
  if k < 0 or k > n then _never()
  else _log_choose(n, k) + _xlogy(t(k), p) + _xlog1py(t(n - k), -p)

--| The probability of at most `k` successes in `n` trials, each of probability `p`. See `math.betainc`.
--| > binomial_cdf(2, 5, 0.5)  -- within 1e-15
--| 0.5
--| > binomial_cdf(5, 5, 0.5)
--| 1.0
def binomial_cdf[t: float](k: i64, n: i64, p: t) -> t =
  if k < 0 then 0 else if k >= n then 1 else math.betainc(t(n - k), t(k) + 1, 1 - p)

def _log_choose[t: float](n: i64, k: i64) -> t =
  lgamma(t(n) + 1) - lgamma(t(k) + 1) - lgamma(t(n - k) + 1)

--| The logarithm of the probability of `k`, 0 or 1, where 1 has the probability `p`.
--| > bernoulli_logpmf(1, 0.25)  -- within 1e-15
--| -1.3862943611198906
--| > bernoulli_logpmf(2, 0.25)
--| -inf
def bernoulli_logpmf[t: float](k: i64, p: t) -> t =
  if k == 1 then log(p) else if k == 0 then log1p(-p) else _never()

--| The logarithm of the probability that the first success comes at trial `k`, from 1 on.
--| > geometric_logpmf(3, 0.5)  -- within 1e-14
--| -2.0794415416798357
def geometric_logpmf[t: float](k: i64, p: t) -> t =
  if k < 1 then _never() else _xlog1py(t(k - 1), -p) + log(p)

--| The logarithm of the probability of class `k` where the classes have the probabilities `softmax(logits)`; `-inf`
--| for a class that there is not.
--| > categorical_logpmf(1, [0.0, log(3.0)])  -- within 1e-15
--| -0.2876820724517809
--| > categorical_logpmf(2, [0.0, 0.0])
--| -inf
def categorical_logpmf[t: float](k: i64, logits: [n]t) -> t =
  if k < 0 or k >= n then _never() else logits[k] - logsumexp(logits)

-- ---- Tests of hypotheses

--| Student's test of whether `x` is a sample of normal numbers with the mean `expected`: `statistic` is the distance of
--| the means in standard errors, `dof` the degrees of freedom, `n - 1`, and `p_value` the probability of a statistic
--| that is at least as far from 0 on either side. NaN for fewer than two elements, and where all of them are
--| `expected`. As `scipy.stats.ttest_1samp`.
--| > t_test([1.0, 2.0, 3.0, 6.0], 1.0)  -- within 1e-14
--| {statistic = 1.8516401995451028, dof = 3.0, p_value = 0.1611618472135195}
def t_test[t: float](x: [n]t, expected: t) -> { statistic: t, dof: t, p_value: t } =
  _t_test(mean(x) - expected, sqrt(sample_variance(x) / t(n)), t(n - 1))

def _t_test[t: float](distance: t, error: t, dof: t) -> { statistic: t, dof: t, p_value: t } =
  let statistic = distance / error
  in {
    statistic = statistic,
    dof = dof,
    p_value = 2 * student_t_cdf(-abs(statistic), dof, 0, 1)
  }

--| Welch's test of whether `x` and `y` are samples of normal numbers with one mean, whatever their variances are. The
--| result is that of `t_test`, with the degrees of freedom of Welch and Satterthwaite (Biometrika 34, 1947). NaN where
--| a sample has fewer than two elements, or neither varies. As `scipy.stats.ttest_ind` with `equal_var=False`.
--| > t_test_independent([1.0, 2.0, 3.0], [4.0, 6.0, 8.0, 6.0]).dof  -- within 1e-13
--| 4.909090909090909
def t_test_independent[t: float](x: [n]t, y: [m]t) -> { statistic: t, dof: t, p_value: t } =
  let (u, v) = (sample_variance(x) / t(n), sample_variance(y) / t(m))
  let dof = (u + v) * (u + v) / (u * u / t(n - 1) + v * v / t(m - 1))
  in _t_test(mean(x) - mean(y), sqrt(u + v), dof)

-- ---- Densities of samples

--| The density at the points `x` that `samples` are drawn from, as the mean of normal densities around the samples with
--| the standard deviation `bandwidth`. NaN where there are no samples. With `scott_bandwidth` as
--| `scipy.stats.gaussian_kde`.
--| > kde([0.0, 1.0], [0.0, 0.5], 1.0)  -- within 1e-15
--| [0.320456502460288, 0.3520653267642995]
def kde[t: float](samples: [n]t, x: [m]t, bandwidth: t) -> [m]t =
  for at in x => mean(for s in samples => exp(normal_logpdf(at, s, bandwidth)))

--| Scott's rule for the bandwidth of `kde`: the standard deviation of the samples times `n ** -0.2`. NaN for fewer than
--| two samples, and 0 where all of them are equal. Scott, Multivariate density estimation (1992).
--| > scott_bandwidth([1.0, 2.0, 3.0])  -- within 1e-15
--| 0.8027415617602307
def scott_bandwidth[t: float](samples: [n]t) -> t = sample_std(samples) * t(n) ** t(-0.2)

-- ---- Divergences

--| The Kullback-Leibler divergence of one normal distribution from another: the expectation under the first of the
--| difference of logarithmic densities.
--| > kl_normal(0.0, 1.0, 1.0, 2.0)  -- within 1e-14
--| 0.4431471805599453
def kl_normal[t: float](mean0: t, std0: t, mean1: t, std1: t) -> t =
  let (ratio, shift) = (std0 / std1, (mean0 - mean1) / std1)
  in 0.5 * (ratio * ratio + shift * shift - 1) - log(ratio)

--| The Kullback-Leibler divergence of the normal distribution with mean vector and covariance matrix 0 from that with
--| 1.
--| > kl_multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], [[2.0, 0.0], [0.0, 2.0]])  -- within 1e-14
--| 0.4431471805599453
def kl_multivariate_normal[t: float](mean0: [d]t, cov0: [d][d]t, mean1: [d]t, cov1: [d][d]t) -> t =
  let (l0, l1) = (linalg.cholesky(cov0), linalg.cholesky(cov1))
  let spread = linalg.solve_lower_many(l1, l0)
  let shift = linalg.solve_lower(l1, mean1 - mean0)
  in 0.5 * (sum(sum(spread * spread)) + sum(shift * shift) - t(d))
    + sum(log(linalg.diagonal(l1))) - sum(log(linalg.diagonal(l0)))

--| The Kullback-Leibler divergence of one discrete distribution from another, both given as probabilities. What has
--| probability 0 under the first adds nothing; what has it only under the second makes the divergence infinite.
--| > kl_categorical([0.5, 0.5], [0.25, 0.75])  -- within 1e-14
--| 0.14384103622589042
--| > kl_categorical([0.0, 1.0], [0.5, 0.5])
--| 0.6931471805599453
def kl_categorical[t: float](p: [n]t, q: [n]t) -> t =
  sum(for i => if p[i] == 0 then 0 else p[i] * (log(p[i]) - log(q[i])))

--| The entropy of a discrete distribution, in nats.
--| > entropy([0.5, 0.5, 0.0])
--| 0.6931471805599453
def entropy[t: float](p: [n]t) -> t = -sum(for i => _xlogy(p[i], p[i]))

-- ---- Counting

--| How many elements fall into each of `k` bins of equal width from `low` to `high`. The last bin holds `high` too;
--| what lies outside is not counted.
--| > bin_counts([0.1, 0.2, 0.6, 1.0, 5.0], 2, 0.0, 1.0)
--| [2, 2]
def bin_counts[t: float](x: [n]t, k: i64, low: t, high: t) -> [k]i64 =
  let place = for v in x =>
    if v == high then k - 1
    else if v >= low and v < high then min(i64((v - low) / (high - low) * t(k)), k - 1)
    else k
  in scatter_add(zeros(k + 1), place, for i < n => 1)[:k]

-- ---- Tests

-- A number between 0 and 1, a positive number, and a symmetric positive definite matrix.
def _inside(x: f64) -> f64 = 0.5 + 0.4 * tanh(x)
def _scale(x: f64) -> f64 = exp(tanh(x))
def _positive(a: [n][n]f64) -> [n][n]f64 = let s = tanh(a) in s @ transpose(s) + linalg.identity(n)

test "variance gradient" gradient (x: [4]f64) =
  (variance(x), sample_variance(x), std(x), sample_std(x))
test "covariance gradient" gradient (x: [4][2]f64) =
  (covariance(x), sample_covariance(x), correlation(x))
test "moments gradient" gradient (x: [4]f64) = moments(x)
test "standardize gradient" gradient (x: [4]f64) = standardize(x)
test "quantile gradient" gradient (x: [5]f64, q: f64) =
  let apart = tanh(x) + (for i < 5 => f64(3 * i))
  in (quantile(reverse(apart), 0.55 + 0.05 * tanh(q)), median(apart))
test "logsumexp gradient" gradient (x: [4]f64) = (logsumexp(x), softmax(x), log_softmax(x))
test "normal gradient" gradient (x: f64, m: f64, s: f64) =
  (normal_logpdf(x, m, _scale(s)), normal_cdf(x, m, _scale(s)))
test "multivariate normal gradient" gradient (x: [3]f64, m: [3]f64, c: [3][3]f64) =
  multivariate_normal_logpdf(x, m, _positive(c))
test "lognormal gradient" gradient (x: f64, m: f64, s: f64) =
  lognormal_logpdf(_scale(x), m, _scale(s))
test "laplace gradient" gradient (x: f64, m: f64, s: f64) =
  (laplace_logpdf(3.0 + tanh(x), tanh(m), _scale(s)), laplace_cdf(x, m, _scale(s)))
test "logistic gradient" gradient (x: f64, m: f64, s: f64) =
  (logistic_logpdf(x, m, _scale(s)), logistic_cdf(x, m, _scale(s)))
test "cauchy gradient" gradient (x: f64, m: f64, s: f64) =
  (cauchy_logpdf(x, m, _scale(s)), cauchy_cdf(x, m, _scale(s)))
test "student gradient" gradient (x: f64, f: f64, m: f64, s: f64) =
  student_t_logpdf(x, 1.0 + _scale(f), m, _scale(s))
test "uniform gradient" gradient (x: f64, a: f64, b: f64) =
  let (low, high) = (-2.0 + tanh(a), 2.0 + tanh(b))
  in (uniform_logpdf(_inside(x), low, high), uniform_cdf(_inside(x), low, high))
test "exponential gradient" gradient (x: f64, r: f64) =
  (exponential_logpdf(_inside(x), _scale(r)), exponential_cdf(_inside(x), _scale(r)))
test "weibull gradient" gradient (x: f64, k: f64, s: f64) =
  let (shape, scale) = (1.0 + _inside(k), _scale(s))
  in (weibull_logpdf(_inside(x), shape, scale), weibull_cdf(_inside(x), shape, scale))
test "gamma gradient" gradient (x: f64, a: f64, b: f64) = (
  gamma_logpdf(_scale(x), 1.0 + _scale(a), 0.1 + _scale(b)),
  inverse_gamma_logpdf(_scale(x), 1.0 + _scale(a), 0.1 + _scale(b))
)
test "chi2 gradient" gradient (x: f64, k: f64) = chi2_logpdf(_scale(x), 1.0 + _scale(k))
test "beta gradient" gradient (x: f64, a: f64, b: f64) =
  beta_logpdf(_inside(x), 1.5 + _scale(a), 1.5 + _scale(b))
test "dirichlet gradient" gradient (x: [3]f64, a: [3]f64) =
  dirichlet_logpdf(softmax(tanh(x)), 1.5 + tanh(a))
test "poisson gradient" gradient (r: f64) =
  (poisson_logpmf(3, _scale(r)), poisson_logpmf(0, _scale(r)))
test "binomial gradient" gradient (p: f64) =
  let q = _inside(p)
  in (
    binomial_logpmf(2, 5, q),
    binomial_logpmf(0, 5, q),
    bernoulli_logpmf(1, q),
    bernoulli_logpmf(0, q),
    geometric_logpmf(3, q)
  )
test "categorical gradient" gradient (x: [3]f64) = categorical_logpmf(1, x)
test "kl_normal gradient" gradient (m: f64, s: f64, k: f64, r: f64) =
  kl_normal(m, _scale(s), k, _scale(r))
test "kl_multivariate_normal gradient" gradient (m: [2]f64, a: [2][2]f64, k: [2]f64, b: [2][2]f64) =
  kl_multivariate_normal(m, _positive(a), k, _positive(b))
test "kl_categorical gradient" gradient (p: [3]f64, q: [3]f64) =
  (kl_categorical(softmax(tanh(p)), softmax(tanh(q))), entropy(softmax(tanh(p))))

-- Values of SciPy 1.17.1 at other points, most in the tails.
test "values of SciPy" within 1e-12 = (
  normal_logpdf(-8.0, 1.0, 0.5) == -162.22579135264473,
  laplace_logpdf(-7.0, 1.0, 0.5) == -15.999999999999998,
  laplace_cdf(3.0, 1.0, 0.5) == 0.9908421805556329,
  logistic_logpdf(30.0, 1.0, 0.5) == -57.30685281944005,
  cauchy_logpdf(9.0, 1.0, 0.5) == -6.000658790184674,
  student_t_logpdf(4.0, 2.5, 1.0, 0.5) == -5.108635554384776,
  gamma_logpdf(0.1, 4.5, 2.0) == -7.593622083801849,
  inverse_gamma_logpdf(0.2, 4.5, 2.0) == -0.48266573993513784,
  beta_logpdf(0.99, 0.5, 7.0) == -27.243247866177864,
  weibull_logpdf(5.0, 0.5, 2.0) == -3.425578557141158,
  poisson_logpmf(40, 10.0) == -28.217235994995548,
  binomial_logpmf(90, 100, 0.3) == -81.44197846644293,
  geometric_logpmf(20, 0.2) == -5.849165387404086,
  lognormal_logpdf(9.0, 0.5, 2.0) == -4.169381699340101,
  moments([1.0, 2.0, 4.0, 9.0]).skewness == 0.7684172579878226,
  moments([1.0, 2.0, 4.0, 9.0]).kurtosis == -1.0
)
test "outside the support the derivative is zero" = (
  grad(\x => exponential_logpdf(x, 1.0))(-1.0) == 0.0,
  grad(\x => gamma_logpdf(x, 2.0, 1.0))(-1.0) == 0.0,
  grad(\p => binomial_logpmf(9, 5, p))(0.5) == 0.0,
  grad(\b => uniform_logpdf(3.0, 0.0, b))(2.0) == 0.0
)
test "at the edge of the support" = (
  gamma_logpdf(0.0, 1.0, 2.0) == log(2.0),
  beta_logpdf(0.0, 1.0, 1.0) == 0.0,
  poisson_logpmf(0, 0.0) == 0.0,
  binomial_logpmf(5, 5, 1.0) == 0.0,
  exponential_logpdf(0.0, 1.0) == 0.0
)
test "densities of discrete distributions sum to 1" within 1e-12 = (
  sum(for k < 6 => exp(binomial_logpmf(k, 5, 0.3))) == 1.0,
  sum(for k < 60 => exp(poisson_logpmf(k, 4.0))) == 1.0,
  sum(for k < 3 => exp(categorical_logpmf(k, [0.5, -1.0, 2.0]))) == 1.0
)
test "single precision" = (
  variance([1.0f32, 3.0]) == 1.0,
  normal_cdf(0.0f32, 0.0, 1.0) == 0.5,
  bernoulli_logpmf(1, 1.0f32) == 0.0
)
test "shape gradient" gradient (x: [4]f64) =
  let y = x + [0.0, 1.0, 3.0, 7.0]
  in (skew(y), kurtosis(y), nan_mean(y))
test "normal_ppf gradient" gradient (x: f64, m: f64, s: f64) =
  normal_ppf(sigmoid(tanh(x)), m, 1.0 + s * s)
test "quantiles are those of the distribution" within 1e-12 =
  let p = [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999]
  in (for q in p => normal_cdf(normal_ppf(q, 1.0, 2.0), 1.0, 2.0)) == p
test "distribution functions gradient" gradient (x: f64, a: f64, b: f64) =
  let (y, s, k) = (_scale(x), _scale(a), 0.5 + _scale(b))
  in (
    gamma_cdf(y, s, k),
    chi2_cdf(y, s),
    beta_cdf(_inside(x), s, k),
    poisson_cdf(2, y),
    binomial_cdf(2, 5, _inside(x))
  )
test "their inverses gradient" gradient (x: f64, a: f64, b: f64) =
  let (p, s, k) = (_inside(x), _scale(a), 0.5 + _scale(b))
  in (gamma_ppf(p, s, k), chi2_ppf(p, s), beta_ppf(p, s, k))
test "student_t_cdf gradient" gradient (x: f64, f: f64, m: f64, s: f64) =
  (student_t_cdf(x, _scale(f), m, _scale(s)), student_t_ppf(_inside(x), _scale(f), m, _scale(s)))
test "weighted_mean gradient" gradient (x: [4]f64, w: [4]f64, p: f64) =
  (weighted_mean(x, exp(tanh(w))), percentile(x + [0.0, 9.0, 20.0, 30.0], 50.0 + tanh(p)))
test "t_test gradient" gradient (x: [4]f64, y: [3]f64) =
  let (x, y) = (tanh(x) + [1.0, 3.0, 2.0, 7.0], tanh(y) + [9.0, 6.0, 12.0])
  in (t_test(x, 0.5), t_test_independent(x, y))
test "kde gradient" gradient (x: [4]f64, at: [2]f64) = kde(x, at, 1.0 + scott_bandwidth(x))
test "distribution functions of SciPy" within 1e-13 = (
  student_t_cdf([-30.0, -1.5, 0.25, 3.0], [2.5, 40.0, 0.5, 1e6], 0.0, 1.0)
    / [0.00014553235457869768, 0.07073338843957408, 0.5654401151575746, 0.9986500687292891]
    == ones(4),
  student_t_ppf([1e-12, 0.15, 0.4, 0.999], [2.5, 40.0, 0.5, 1e6], 0.0, 1.0)
    / [-55306.17407651582, -1.0500457784051418, -0.3979754267847907, 3.09024045631652]
    == ones(4),
  (gamma_cdf(0.1, 4.5, 2.0), gamma_ppf(1e-9, 4.5, 2.0))
    == (1.1612156881894697e-05, 0.012101764609072337),
  (chi2_cdf(0.001, 3.0), chi2_ppf(0.001, 3.0)) == (8.40791905804616e-06, 0.024297585815692732),
  (beta_cdf(0.9, 0.5, 7.0), beta_ppf(0.9, 0.5, 7.0)) == (0.9999999780702157, 0.18139250884345676),
  poisson_cdf([0, 30, 500], [0.5, 50.0, 450.0])
    == [0.6065306597126334, 0.0015940273186063067, 0.9905054945220275],
  binomial_cdf([0, 20, 90], 100, [0.001, 0.3, 0.95])
    == [0.904792147113709, 0.01646285324186938, 0.028188294163416307]
)
test "tests and densities of SciPy" within 1e-12 =
  let x = [1.2, 3.4, 2.2, 5.1, 4.0]
  let y = [2.0, 7.5, 6.1, 4.4]
  in (
    t_test(x, 2.0) == { statistic = 1.73155344910706, dof = 4.0, p_value = 0.15839452542047228 },
    t_test_independent(x, y)
      == { statistic = -1.3323177392775984, dof = 4.91277103677055, p_value = 0.24121008171073904 },
    kde(x, [0.0, 3.0], scott_bandwidth(x)) == [0.050706904098630295, 0.20217285748522268],
    percentile(x, [0.0, 17.0, 100.0]) == [1.2, 1.8800000000000001, 5.1],
    weighted_mean(x, [1.0, 2.0, 0.0, 1.0, 0.5]) == 3.3555555555555556
  )
test "distribution functions at their ends" = (
  (gamma_cdf(-1.0, 2.0, 1.0), beta_cdf(2.0, 2.0, 1.0), poisson_cdf(0, 0.0)) == (0.0, 1.0, 1.0),
  (binomial_cdf(-1, 5, 0.5), binomial_cdf(2, 5, 0.0), binomial_cdf(2, 5, 1.0)) == (0.0, 1.0, 0.0),
  (student_t_ppf(0.5, 3.0, 1.0, 2.0), student_t_ppf(1.0, 3.0, 0.0, 1.0)) == (1.0, math.inf),
  is_nan(student_t_ppf(1.5, 3.0, 0.0, 1.0)),
  is_nan(weighted_mean(zeros(0), zeros(0))) and is_nan(t_test([1.0], 0.0).p_value),
  length(kde(zeros(0), zeros(0), 1.0)) == 0 and is_nan(scott_bandwidth([1.0]))
)
test "second derivatives of distribution functions" within 1e-10 = (
  hessian[x, freedom](student_t_cdf)(0.0, 2.0, 0.0, 1.0).0 == (0.0, 0.0201005070778186),
  hessian[x](student_t_cdf)(1.0, 3.0, 0.0, 1.0) == -0.206748335783172,
  hessian[freedom](student_t_ppf)(0.5, 3.0, 0.0, 1.0) == 0.0,
  hessian[x](gamma_cdf)(2.0, 1.0, 1.0) == -exp(-2.0)
)
test "distribution functions in single precision" within 1e-5 = (
  student_t_cdf(-1.5f32, 40.0, 0.0, 1.0) == 0.07073338843957408,
  student_t_ppf(0.15f32, 40.0, 0.0, 1.0) == -1.0500457784051418,
  poisson_cdf(30, 50.0f32) == 0.0015940273186063067
)
