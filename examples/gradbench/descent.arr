-- Gradient descent as GradBench's `particle` and `saddle` ask for it: the step doubles after ten steps that went well, and
-- is halved after one that did not.

--| The length of a vector.
--| > norm([3.0, 4.0])
--| 5.0
def norm(v: [n]f64) -> f64 = sqrt(sum(v * v))

--| A point from `start` on where `f` is least. `slope` is the gradient of `f`.
--| > norm(lowest_point(\x => sum((x - 1.0) ** 2), \x => 2.0 * (x - 1.0), [0.0, 3.0]) - 1.0) < 1e-2
--| true
def lowest_point(f: [n]f64 -> f64, slope: [n]f64 -> [n]f64, start: [n]f64) -> [n]f64 =
  let begin = { x = start, fx = f(start), gx = slope(start), eta = 1e-5, good = 0, done = false }
  let end = loop s = begin while not s.done do
    if norm(s.gx) <= 1e-5 then { s with done = true }
    else if s.good == 10 then { s with eta = 2.0 * s.eta, good = 0 }
    else
      let x = s.x - s.eta * s.gx
      in if norm(s.x - x) <= 1e-5 then { s with done = true }
         else
           let fx = f(x)
           in if fx < s.fx then { s with x = x, fx = fx, gx = slope(x), good = s.good + 1 }
              else { s with eta = s.eta / 2.0, good = 0 }
  in end.x

--| A point from `start` on where `f` is greatest.
def highest_point(f: [n]f64 -> f64, slope: [n]f64 -> [n]f64, start: [n]f64) -> [n]f64 =
  lowest_point(\x => -f(x), \x => -slope(x), start)

--| The greatest value of `f` from `start` on.
--| > greatest(\x => 2.0 - sum(x * x), \x => -2.0 * x, [1.0]) > 1.99
--| true
def greatest(f: [n]f64 -> f64, slope: [n]f64 -> [n]f64, start: [n]f64) -> f64 =
  f(highest_point(f, slope, start))

--| The gradient by reverse mode.
--| > reverse_mode(\x => sum(x * x), [1.0, 2.0])
--| [2.0, 4.0]
def reverse_mode(f: [n]f64 -> f64, x: [n]f64) -> [n]f64 = grad(f)(x)

--| The gradient by forward mode, a pass an element.
--| > forward_mode(\x => sum(x * x), [1.0, 2.0])
--| [2.0, 4.0]
def forward_mode(f: [n]f64 -> f64, x: [n]f64) -> [n]f64 =
  for i < n => let (y, dy) = jvp(f, x, onehot(n, i)) in dy
