-- What nothing uses, and what hides a built-in function. The program runs.
import linalg
import stats

def _unused(x: f64) -> f64 = 2.0 * x
def _scale = 2.0

--| The sum, twice. The example uses what nothing else does.
--| > stats.mean([1.0, 3.0])
--| 2.0
def sum(x: [n]f64, steps: i64, _meant: f64) -> f64 =
  let first = x[0]
  let (last, _) = (x[n - 1], 0.0)
  let (value, index) = (1.0, 2)
  in last + _scale

-- `like` says how long the result is, and `t` is for the caller to say.
def main(like: [n]f64) -> [n]f64 = map(\t => 1.0, iota(n))

-- The first exponent is 0.
def root(x: f64) -> f64 = x ** (1 / 2) + x ** (4 / 2)
