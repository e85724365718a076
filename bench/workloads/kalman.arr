-- A Kalman filter: the likelihood of a series of observations of a hidden state that moves linearly. Kalman, A new approach
-- to linear filtering and prediction problems (1960); Särkkä, Bayesian filtering and smoothing (2013), theorems 4.2 and 12.3.

import linalg
import stats

--| `move` takes the state one step on, `observe` shows it. `drift` and `noise` are the logarithms of the variances of what is
--| added to the state and to what is seen of it.
def value(
  move: [d][d]f64,
  observe: [p][d]f64,
  drift: [d]f64,
  noise: [p]f64,
  seen: [steps][p]f64
) -> f64 =
  let drift = linalg.diag(exp(drift))
  let noise = linalg.diag(exp(noise))
  let (_, _, total) =
    loop (mean, covariance, total) = (zeros(d), linalg.identity(d), 0.0) for y in seen do
      let mean = move @ mean
      let covariance = move @ covariance @ transpose(move) + drift
      let expected = observe @ mean
      let spread = observe @ covariance @ transpose(observe) + noise
      let gain = transpose(linalg.solve_many(spread, observe @ covariance))
      let score = stats.multivariate_normal_logpdf(y, expected, spread)
      in (
        mean + gain @ (y - expected),
        covariance - gain @ spread @ transpose(gain),
        total + score
      )
  in total

def gradient(
  move: [d][d]f64,
  observe: [p][d]f64,
  drift: [d]f64,
  noise: [p]f64,
  seen: [steps][p]f64
) -> ([d][d]f64, [p][d]f64, [d]f64, [p]f64) =
  grad(\((move, observe, drift, noise)) => value(move, observe, drift, noise, seen))(
    (move, observe, drift, noise)
  )
