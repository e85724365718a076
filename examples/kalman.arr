-- A Kalman filter: where something is and how fast it moves, from positions that are measured with errors. The size of
-- the errors is not known; it is found by climbing the gradient of the likelihood, through every step of the filter.
--
-- $ arr run examples/kalman.arr
-- $ arr test examples/kalman.arr
-- $ arr check-grad examples/kalman.arr --entry likelihood "{process = -1.0, measured = -1.5}" [[0.0,0.1],[0.2,0.3],[0.5,0.1]]

import linalg
import random
import stats

--| The logarithms of the standard deviations: of the random part of the acceleration, and of the measurements.
type Noise = { process: f64, measured: f64 }

--| What is known of `d` numbers: a normal distribution.
type Belief[d] = { mean: [d]f64, covariance: [d][d]f64 }

--| The state is position and velocity in the plane, `[x, y, dx, dy]`; a step takes one second.
def motion: [4][4]f64 = for i < 4, j < 4 => f64(i == j) + f64(i + 2 == j)
def seen: [2][4]f64 = for i < 2, j < 4 => f64(i == j)

--| An acceleration `a` during one second changes the position by `a / 2` and the velocity by `a`.
def disturbance(p: Noise) -> [4][4]f64 =
  let push = for i < 4, j < 2 => if i == j then 0.5 else f64(i == j + 2)
  in exp(2.0 * p.process) * push @ transpose(push)

def predict(p: Noise, b: Belief[4]) -> Belief[4] = {
  mean = motion @ b.mean,
  covariance = motion @ b.covariance @ transpose(motion) + disturbance(p)
}

--| The belief after a measurement, and the logarithm of the density that the measurement had before.
def update(p: Noise, b: Belief[4], y: [2]f64) -> (Belief[4], f64) =
  let expected = seen @ b.mean
  let spread = seen @ b.covariance @ transpose(seen) + exp(2.0 * p.measured) * linalg.identity(2)
  let gain = transpose(linalg.solve_many(spread, seen @ b.covariance))
  let mean = b.mean + gain @ (y - expected)
  let covariance = linalg.symmetrize(b.covariance - gain @ seen @ b.covariance)
  in ({ mean, covariance }, stats.multivariate_normal_logpdf(y, expected, spread))

--| The logarithm of the density of all measurements.
def likelihood(p: Noise, ys: [n][2]f64) -> f64 =
  let start = { mean = zeros(4), covariance = 10.0 * linalg.identity(4) }
  let (last, total) = loop (b, total) = (start, 0.0) for y in ys do
    let (next, score) = update(p, predict(p, b), y)
    in (next, total + score)
  in total

--| A path that begins at rest, and what is measured of it.
def generate(p: Noise, n: i64) -> [n][2]f64 =
  let draws = reshape(random.normal(random.key(1), 4 * n), (n, 2, 2))
  let (x, ys) = loop (x, ys) = (zeros(4), zeros(n, 2)) for i < n do
    let push = exp(p.process) * draws[i, 0]
    let next = motion @ x + concat(0.5 * push, push)
    in (next, ys with [i] = seen @ next + exp(p.measured) * draws[i, 1])
  in ys

--| `steps` steps uphill, each at most 0.2 long.
def fit(start: Noise, ys: [n][2]f64, steps: i64) -> Noise =
  loop p = start for i < steps do
    let g = grad(likelihood)(p, ys)
    let rate = min(0.004, 0.2 / sqrt(g.process ** 2 + g.measured ** 2))
    in { process = p.process + rate * g.process, measured = p.measured + rate * g.measured }

--| The noise of 100 measurements, what was found from them, its likelihood, and the slope there.
def main() -> { used: Noise, found: Noise, likelihood: f64, slope: Noise } =
  let used = { process = log(0.1), measured = log(0.5) }
  let ys = generate(used, 100)
  let found = fit({ process = 0.0, measured = 0.0 }, ys, 40)
  let (likelihood, slope) = value_and_grad(likelihood)(found, ys)
  in { used, found, likelihood, slope }

test "one exact measurement says where it is" within 1e-6 =
  let (b, _) = update(
    { process = 0.0, measured = -20.0 },
    { mean = zeros(4), covariance = linalg.identity(4) },
    [3.0, 4.0]
  )
  in b.mean == [3.0, 4.0, 0.0, 0.0]
test "slopes of the noise" gradient (process: f64, measured: f64, ys: [n][2]f64) =
  likelihood({ process = tanh(process), measured = tanh(measured) }, ys)
