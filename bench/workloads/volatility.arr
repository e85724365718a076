-- Stochastic volatility: how likely returns are whose variance wanders. The model of Kim, Shephard and Chib, Stochastic
-- volatility (1998), in the form in which the guide of Stan writes it, with standard normal shocks.

import stats

--| `theta` is the mean of the logarithm of the variance, how long it remembers, and how far a shock moves it, the last two
--| transformed to all of the line.
def value(theta: [3]f64, shocks: [n]f64, returns: [n]f64) -> f64 =
  let mean = theta[0]
  let keep = tanh(theta[1])
  let size = exp(theta[2])
  let prior =
    stats.normal_logpdf(mean, 0.0, 5.0)
      + stats.normal_logpdf(theta[1], 1.5, 1.0)
      + stats.normal_logpdf(theta[2], -1.0, 1.0)
      + sum(for z in shocks => stats.normal_logpdf(z, 0.0, 1.0))
  let first = mean + size / sqrt(1.0 - keep * keep) * shocks[0]
  let (_, seen) = loop (h, total) = (first, stats.normal_logpdf(returns[0], 0.0, exp(0.5 * first)))
      for t < n - 1 do
    let h = mean + keep * (h - mean) + size * shocks[t + 1]
    in (h, total + stats.normal_logpdf(returns[t + 1], 0.0, exp(0.5 * h)))
  in prior + seen

def gradient(theta: [3]f64, shocks: [n]f64, returns: [n]f64) -> ([3]f64, [n]f64) =
  grad(\((theta, shocks)) => value(theta, shocks, returns))((theta, shocks))
