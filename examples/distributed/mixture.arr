-- A mixture of Gaussians, to be fitted to more points than a device holds: `fit.py` spreads the rows of `xs` over devices
-- and processes.
--
-- $ arr test examples/distributed/mixture.arr

import stats

--| `k` Gaussians in `d` dimensions. Component `j` has the weight `exp(logw[j])` up to scale, and along axis `a` the standard
--| deviation `exp(-logscale[j, a])`.
type Mixture[k, d] = { logw: [k]f64, mean: [k][d]f64, logscale: [k][d]f64 }

def tau = 6.283185307179586

--| Minus the mean logarithm of the density of the points `xs` under the mixture `p`.
--| > loss({ logw = [0.0], mean = [[0.0]], logscale = [[0.0]] }, [[1.0], [-1.0]])  -- within 1e-12
--| 1.4189385332046727
def loss(p: Mixture[k, d], xs: [n][d]f64) -> f64 =
  let score = for x in xs =>
    stats.logsumexp(for j < k =>
      let r = exp(p.logscale[j]) * (x - p.mean[j])
      in p.logw[j] + sum(p.logscale[j]) - 0.5 * sum(r * r))
  in stats.logsumexp(p.logw) + 0.5 * f64(d) * log(tau) - mean(score)

test "the gradient" gradient (logw: [2]f64, mean: [2][3]f64, logscale: [2][3]f64, xs: [4][3]f64) =
  loss({ logw, mean, logscale }, xs)
