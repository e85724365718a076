import random

--| A pendulum that is slowed by air. The steps are those of a symplectic method.
--| - `time`: time in s
--| - `angle`: angle in rad
--| - `speed`: speed in rad/s
def main(n: i64) -> { time: [n]f64, angle: [n]f64, speed: [n]f64 } =
  let step = 0.05
  let (last, angle, speed) = loop ((a, v), angle, speed) = ((1.5, 0.0), zeros(n), zeros(n))
      for i < n do
    let v' = v - step * (9.81 * sin(a) + 0.3 * v)
    let a' = a + step * v'
    in ((a', v'), angle with [i] = a, speed with [i] = v)
  in { time = for i < n => step * f64(i), angle, speed }

--| The error of Newton's method for the root of 2, in digits.
def digits(n: i64) -> [n]f64 =
  let (last, digits) = loop (x, digits) = (1.0, zeros(n)) for i < n do
    (0.5 * (x + 2.0 / x), digits with [i] = log(abs(x - sqrt(2.0)) + 1e-16) / log(10.0))
  in digits

def ring(r: f64, angle: [n]f64, noise: [n]f64) -> [n][2]f64 =
  for i, k < 2 => (r + 0.1 * noise[i]) * (if k == 0 then cos(angle[i]) else sin(angle[i]))

--| Points of two rings.
def rings(n: i64) -> { inner: [n][2]f64, outer: [n][2]f64 } =
  let angle = 6.283 * random.uniform(random.key(1), n)
  let noise = random.normal(random.key(2), n)
  in { inner = ring(0.5, angle, noise), outer = ring(1.2, angle, noise) }

def wave(x: f64, y: f64) -> f64 = let r = sqrt(x * x + y * y) in cos(40.0 * r) / (1.0 + 8.0 * r)

--| Ripples of two drops.
def ripples(n: i64) -> [n][n]f64 =
  let at = for i < n => f64(i) / f64(n)
  in for x in at, y in at => wave(x - 0.4, y - 0.3) + wave(x - 0.6, y - 0.7)
