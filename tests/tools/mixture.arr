-- Log-densities of mixtures of Gaussians.

--| A mixture of `k` Gaussians in one dimension.
type Mixture[k] = { logw: [k]f64, mean: [k]f64, scale: [k]f64 }

--| The logarithm of the sum of exponentials, which does not overflow: see *log-sum-exp*.
--|
--| > logsumexp([0.0, 0.0])
--| 0.6931471805599453
--| > logsumexp([1000.0,
--| .            1000.0]) -- within 1e-12
--| 1000.693147180559
--|
--| There is none of an empty array:
--|
--| > logsumexp([])
--| error E0606
def logsumexp(x: [n]f64) -> f64 =
  let m = maximum(x)
  in m + log(sum(exp(x - m)))

--| The log-density of a [`Mixture`](#Mixture) at `x`.
--|
--| > density({ logw = [0.0], mean = [0.0], scale = [1.0] }, 0.0)
--| -0.9189385332046727
def density(p: Mixture[k], x: f64) -> f64 =
  let score = for j =>
    let z = (x - p.mean[j]) / p.scale[j]
    in p.logw[j] - 0.5 * z * z - log(p.scale[j]) - half_log_tau
  in logsumexp(score)

def half_log_tau = 0.5 * log(6.283185307179586)

test "of one number" = logsumexp([3.0]) == 3.0
test "shifts" within 1e-12 (x: [n+1]f64, c: f64) = logsumexp(x + c) == logsumexp(x) + c
test "no less than the maximum"(x: [n+1]f64) = logsumexp(x) >= maximum(x)
test "slopes" gradient (x: [n]f64) = logsumexp(x)
test "slopes of both" gradient (p: { logw: [2]f64, mean: [2]f64 }, xs: [m]f64) =
  for x in xs => density({ logw = p.logw, mean = p.mean, scale = [1.0, 2.0] }, x)
