-- Optimisation: minima of functions, least squares and roots of equations.
--
-- What is minimised is a function of a vector, `[n]t -> t`; gradients, Jacobians and products with second derivatives
-- are taken from it here. Parameters in a record are brought into a vector by two definitions of one's own, and the
-- loss is composed with the second:
--
--     def pack(p: Layer) -> [6]f64 = concat(flatten(p.w), p.b)
--     def unpack(x: [6]f64) -> Layer = { w = reshape(x[:4], (2, 2)), b = x[4:] }
--     unpack(optim.minimize_adam(\x => loss(unpack(x)), pack(p), 1000, 0.01))
--
-- Or, as it takes a step elementwise, `adam_step` is called for each field.
--
-- A minimum found by iteration has no useful derivative of its own: `implicit_minimum` and `implicit_root` give that
-- of the point with respect to whatever the function reads from around it.

import linalg

-- ---- Steps of gradient descent

--| A step of gradient descent.
--| > sgd_step([1.0, 2.0], [10.0, 0.0], 0.1)
--| [0.0, 2.0]
def sgd_step[t: float](x: [n]t, gradient: [n]t, rate: t) -> [n]t = x - rate * gradient

--| A step of gradient descent with momentum: the new point and the new velocity, from a velocity that is zero at
--| first. The velocity decays by `decay`, then the gradient is added. Polyak (1964).
--| > momentum_step([1.0], [2.0], [10.0], 0.1, 0.5)
--| ([-0.10000000000000009], [11.0])
def momentum_step[t: float](
  x: [n]t,
  velocity: [n]t,
  gradient: [n]t,
  rate: t,
  decay: t
) -> ([n]t, [n]t) =
  let velocity = decay * velocity + gradient
  in (x - rate * velocity, velocity)

--| The state of Adam: running means of the gradients and of their squares, and the number of steps.
type Adam[n, t: float] = { mean: [n]t, square: [n]t, steps: i64 }

--| The state of Adam before its first step, for vectors like `x`.
--| > adam_init([1.0, 2.0])
--| {mean = [0.0, 0.0], square = [0.0, 0.0], steps = 0}
def adam_init[t: float](x: [n]t) -> Adam[n, t] = { mean = zeros(n), square = zeros(n), steps = 0 }

--| A step of Adam: the new point and the new state, with the decays 0.9 and 0.999 and 1e-8 for `eps`. Kingma and Ba,
--| Adam: a method for stochastic optimization (2015).
--| > adam_step(adam_init([1.0]), [1.0], [10.0], 0.5).0  -- within 1e-8
--| [0.5]
def adam_step[t: float](s: Adam[n, t], x: [n]t, gradient: [n]t, rate: t) -> ([n]t, Adam[n, t]) =
  adamw_step(s, x, gradient, rate, 0)

--| A step of Adam that also shrinks the point by `rate * decay` of it. Loshchilov and Hutter, Decoupled weight decay
--| regularization (2019).
--| > adamw_step(adam_init([1.0]), [1.0], [0.0], 0.5, 0.1).0
--| [0.95]
def adamw_step[t: float](
  s: Adam[n, t],
  x: [n]t,
  gradient: [n]t,
  rate: t,
  decay: t
) -> ([n]t, Adam[n, t]) =
  let mean = 0.9 * s.mean + 0.1 * gradient
  let square = 0.999 * s.square + 0.001 * gradient * gradient
  let steps = s.steps + 1
  let scale = sqrt(1 - t(0.999) ** steps) / (1 - t(0.9) ** steps)
  let step = for i => scale * mean[i] / (sqrt(square[i]) + 1e-8 * sqrt(1 - t(0.999) ** steps))
  in (x - rate * step - rate * decay * x, { mean = mean, square = square, steps = steps })

--| A step of RMSprop: the new point, and the new running mean of squared gradients, which is zero at first and decays by
--| `decay`. Tieleman and Hinton (2012).
--| > rmsprop_step([1.0], [0.0], [2.0], 0.1, 0.75)  -- within 1e-7
--| ([0.8], [1.0])
def rmsprop_step[t: float](
  x: [n]t,
  square: [n]t,
  gradient: [n]t,
  rate: t,
  decay: t
) -> ([n]t, [n]t) =
  let square = ema(square, gradient * gradient, decay)
  in (for i => x[i] - rate * gradient[i] / (sqrt(square[i]) + 1e-8), square)

--| A step of Adagrad: the new point, and the new sum of squared gradients, which is zero at first. Duchi, Hazan and
--| Singer, Adaptive subgradient methods (2011).
--| > adagrad_step([1.0], [5.0], [2.0], 0.3)  -- within 1e-7
--| ([0.8], [9.0])
def adagrad_step[t: float](x: [n]t, total: [n]t, gradient: [n]t, rate: t) -> ([n]t, [n]t) =
  let total = total + gradient * gradient
  in (for i => x[i] - rate * gradient[i] / (sqrt(total[i]) + 1e-8), total)

--| A step of Lion: the new point, and the new running mean of gradients, with the decays 0.9 and 0.99. Chen et al.,
--| Symbolic discovery of optimization algorithms (2023).
--| > lion_step([1.0], [0.0], [5.0], 0.25).0
--| [0.75]
def lion_step[t: float](x: [n]t, mean: [n]t, gradient: [n]t, rate: t) -> ([n]t, [n]t) =
  (x - rate * sign(0.9 * mean + 0.1 * gradient), 0.99 * mean + 0.01 * gradient)

--| The gradient, shortened to the length `limit` where it is longer. For several arrays of parameters their gradients
--| are joined first: `concat(flatten(g.w), g.b)`.
--| > clip_by_global_norm([3.0, 4.0], 1.0)
--| [0.6000000000000001, 0.8]
def clip_by_global_norm[t: float](gradient: [n]t, limit: t) -> [n]t =
  let length = linalg.norm(gradient)
  in if length > limit then (limit / length) * gradient else gradient

--| An exponential moving average: `decay` times the mean so far and the rest of the new value.
--| > ema([1.0], [3.0], 0.75)
--| [1.5]
def ema[t: float](mean: [n]t, x: [n]t, decay: t) -> [n]t = decay * mean + (1 - decay) * x

-- ---- Rates that change from step to step

--| The rate at a step that falls from `rate` to 0 along half a wave of the cosine, in `steps` steps. Loshchilov and
--| Hutter, SGDR (2017).
--| > for step in [0, 5, 10, 20] => cosine_decay(step, 10, 0.5)  -- within 1e-15
--| [0.5, 0.25, 0.0, 0.0]
def cosine_decay[t: float](step: i64, steps: i64, rate: t) -> t =
  0.5 * rate * (1 + cos(3.141592653589793 * t(min(step, steps)) / t(steps)))

--| The rate at a step that rises evenly to `rate` in `steps` steps, and stays there.
--| > for step in [0, 4, 9] => warmup(step, 5, 1.0)
--| [0.2, 1.0, 1.0]
def warmup[t: float](step: i64, steps: i64, rate: t) -> t =
  rate * t(min(step + 1, steps)) / t(steps)

--| The rate at a step that is multiplied by `factor` in every `steps` steps, evenly.
--| > exponential_decay(20, 10, 0.5, 1.0)
--| 0.25
def exponential_decay[t: float](step: i64, steps: i64, factor: t, rate: t) -> t =
  rate * factor ** (t(step) / t(steps))

-- ---- Minimisation by a number of steps

--| Where `steps` steps of gradient descent lead from `x`.
--| > minimize_sgd(\x => sum(x * x), [1.0, -2.0], 2, 0.25)
--| [0.25, -0.5]
def minimize_sgd[t: float](f: [n]t -> t, x: [n]t, steps: i64, rate: t) -> [n]t =
  loop x = x for step < steps do sgd_step(x, grad(f)(x), rate)

--| Where `steps` steps of gradient descent with momentum lead from `x`.
--| > minimize_momentum(\x => sum(x * x), [1.0], 2, 0.25, 0.5)
--| [0.0]
def minimize_momentum[t: float](f: [n]t -> t, x: [n]t, steps: i64, rate: t, decay: t) -> [n]t =
  let (x, _) = loop (x, velocity): ([n]t, [n]t) = (x, zeros(n)) for step < steps do
    momentum_step(x, velocity, grad(f)(x), rate, decay)
  in x

--| Where `steps` steps of Adam lead from `x`.
--| > minimize_adam(\x => sum((x - 3.0) ** 2), [0.0], 300, 0.1)  -- within 1e-4
--| [3.0]
def minimize_adam[t: float](f: [n]t -> t, x: [n]t, steps: i64, rate: t) -> [n]t =
  let (x, _) = loop (x, s) = (x, adam_init(x)) for step < steps do
    adam_step(s, x, grad(f)(x), rate)
  in x

-- ---- Minimisation to a tolerance

--| Where a method stopped: the point, the value and the largest absolute element of the gradient there, the number of
--| steps taken, and whether that element is at most the tolerance.
type Minimum[n, t: float] =
  { x: [n]t, value: t, gradient: t, steps: i64, converged: bool }

--| A local minimum by the method of Broyden, Fletcher, Goldfarb and Shanno with limited memory: the last 10 steps,
--| `O(n)` numbers each. It ends when no element of the gradient is larger than `tolerance`, after `steps` steps, or
--| when no step lowers the value. Each step must lower the value and the slope enough (the weak conditions of Wolfe,
--| by bisection: Lewis and Overton, Nonsmooth optimization via quasi-Newton methods, Mathematical Programming 141,
--| 2013). Nocedal and Wright, Numerical Optimization, 2nd edition, algorithm 7.5.
--| > lbfgs(\x => (x[0] - 1.0) ** 2 + 10.0 * x[1] ** 4, [0.0, 1.0], 100, 1e-8).converged
--| true
def lbfgs[t: float](f: [n]t -> t, x: [n]t, steps: i64, tolerance: t) -> Minimum[n, t] =
  let (value, g) = value_and_grad(f)(x)
  let (x, value, g, _, _, taken, _) =
    loop (x, value, g, ss, ys, taken, stuck): ([n]t, t, [n]t, [10][n]t, [10][n]t, i64, bool) = (
      x,
      value,
      g,
      zeros(10, n),
      zeros(10, n),
      0,
      false
    ) while not stuck and taken < steps and not (_largest(g) <= tolerance) do
      let d = -_two_loops(ss, ys, g, taken)
      let first = if taken == 0 then min(1, 1 / linalg.norm(g)) else 1
      let (rate, next, next_g) = _line_search(f, x, value, g, d, first)
      let (s, at) = (rate * d, taken % 10)
      in if rate == 0 then (x, value, g, ss, ys, taken, true)
         else (x + s, next, next_g, ss with [at] = s, ys with [at] = next_g - g, taken + 1, false)
  in _minimum(x, value, g, taken, tolerance)

def _minimum[t: float](x: [n]t, value: t, g: [n]t, steps: i64, tolerance: t) -> Minimum[n, t] = {
  x = x,
  value = value,
  gradient = _largest(g),
  steps = steps,
  converged = _largest(g) <= tolerance
}

def _largest[t: float](g: [n]t) -> t = linalg.norm_inf(g)

-- The inverse of the approximate second derivative times `g`, from the last steps and changes of the gradient.
def _two_loops[t: float](ss: [m][n]t, ys: [m][n]t, g: [n]t, taken: i64) -> [n]t =
  let known = min(taken, m)
  let (q, alphas) = loop (q, alphas): ([n]t, [m]t) = (g, zeros(m)) for k < known do
    let at = (taken - 1 - k) % m
    let alpha = (ss[at] @ q) / (ss[at] @ ys[at])
    in (q - alpha * ys[at], alphas with [at] = alpha)
  let last = (taken - 1) % m
  let scale = if taken == 0 then 1 else (ss[last] @ ys[last]) / (ys[last] @ ys[last])
  in loop r = scale * q for k < known do
    let at = (taken - known + k) % m
    let beta = (ys[at] @ r) / (ss[at] @ ys[at])
    in r + (alphas[at] - beta) * ss[at]

-- How far to go along `d`, and the value and gradient there; 0 if nothing was found.
def _line_search[t: float](
  f: [n]t -> t,
  x: [n]t,
  value: t,
  g: [n]t,
  d: [n]t,
  first: t
) -> (t, t, [n]t) =
  let slope = g @ d
  let (rate, next, next_g, _, _, _, found) =
    loop (rate, next, next_g, low, high, tries, found): (t, t, [n]t, t, t, i64, bool) = (
      first,
      value,
      g,
      0,
      -1,
      0,
      false
    ) while not found and tries < 60 do
      let (v, dv) = value_and_grad(f)(x + rate * d)
      let lower = v <= value + 0.0001 * rate * slope
      let flatter = dv @ d >= 0.9 * slope
      let low = if lower then rate else low
      let high = if lower then high else rate
      let next_rate = if high < 0 then 2 * rate else 0.5 * (low + high)
      in if lower and flatter then (rate, v, dv, low, high, tries, true)
         else (next_rate, value, g, low, high, tries + 1, false)
  in if found then (rate, next, next_g) else (0, value, g)

--| A local minimum by Newton's method, whose equations are solved by conjugate gradients with products of the second
--| derivative and a vector, forward over reverse: a product costs a few evaluations of `f`, and the second derivative
--| is never formed. Where it is not positive the search follows the direction found so far. It ends like `lbfgs`.
--| Nocedal and Wright, Numerical Optimization, 2nd edition, algorithm 7.1.
--| > newton_cg(\x => (x[0] - 1.0) ** 2 + 10.0 * x[1] ** 4, [0.0, 1.0], 100, 1e-8).converged
--| true
def newton_cg[t: float](f: [n]t -> t, x: [n]t, steps: i64, tolerance: t) -> Minimum[n, t] =
  let (value, g) = value_and_grad(f)(x)
  let (x, value, g, taken, _) =
    loop (x, value, g, taken, stuck): ([n]t, t, [n]t, i64, bool) = (x, value, g, 0, false)
        while not stuck and taken < steps and not (_largest(g) <= tolerance) do
      let d = _newton_direction(f, x, g)
      let rate = _backtrack(f, x, value, g @ d, d)
      let (next, next_g) = value_and_grad(f)(x + rate * d)
      in if rate == 0 then (x, value, g, taken, true)
         else (x + rate * d, next, next_g, taken + 1, false)
  in _minimum(x, value, g, taken, tolerance)

-- The product of the second derivative of `f` at `x` and `v`.
def _curvature[t: float](f: [n]t -> t, x: [n]t, v: [n]t) -> [n]t =
  let (_, product) = jvp(grad(f), x, v) in product

-- Conjugate gradients for the Newton step, as exact as the gradient is small.
def _newton_direction[t: float](f: [n]t -> t, x: [n]t, g: [n]t) -> [n]t =
  let size = linalg.norm(g)
  let goal = min(0.5, sqrt(size)) * size
  let (z, _, _, _, _) =
    loop (z, r, d, k, done): ([n]t, [n]t, [n]t, i64, bool) = (zeros(n), g, -g, 0, false)
        while not done and k < 2 * n + 10 do
      let hd = _curvature(f, x, d)
      let bend = d @ hd
      in if not (bend > 0) then (if k == 0 then -g else z, r, d, k, true)
         else
           let along = (r @ r) / bend
           let rest = r + along * hd
           let next = -rest + (rest @ rest) / (r @ r) * d
           in (z + along * d, rest, next, k + 1, linalg.norm(rest) <= goal)
  in z

-- The first of 1, 1/2, 1/4, .. at which the value is lowered enough; 0 if none of 60 does.
def _backtrack[t: float](f: [n]t -> t, x: [n]t, value: t, slope: t, d: [n]t) -> t =
  let (rate, tries) = loop (rate, tries): (t, i64) = (1, 0)
      while tries < 60 and not (f(x + rate * d) <= value + 0.0001 * rate * slope) do
    (0.5 * rate, tries + 1)
  in if tries == 60 then 0 else rate

--| A local minimum of half the sum of squares of `residual`, which is the `value`, by the method of Levenberg and
--| Marquardt. It ends when no element of the gradient is larger than `tolerance`, or after `steps` trials of a step.
--| The Jacobian is taken by forward mode. Damping after Nielsen, Damping parameter in Marquardt's method,
--| IMM-REP-1999-05.
--| > levenberg_marquardt(\x => [x[0] - 1.0, 10.0 * (x[1] - x[0] ** 2)], [-1.0, 1.0], 100, 1e-10).x  -- within 1e-8
--| [1.0, 1.0]
def levenberg_marquardt[t: float](
  residual: [n]t -> [m]t,
  x: [n]t,
  steps: i64,
  tolerance: t
) -> Minimum[n, t] =
  let (r, a, g) = _normal_equations(residual, x)
  let damping = if n == 0 then 0 else 0.001 * maximum(linalg.diagonal(a))
  let (x, r, _, g, _, _, taken) =
    loop (x, r, a, g, damping, grow, taken): ([n]t, [m]t, [n][n]t, [n]t, t, t, i64) = (
      x,
      r,
      a,
      g,
      damping,
      2,
      0
    ) while taken < steps and not (_largest(g) <= tolerance) do
      let step = linalg.solve_spd(a + damping * linalg.identity(n), -g)
      let trial = residual(x + step)
      let expected = 0.5 * (step @ (damping * step - g))
      let gain = (0.5 * (r @ r) - 0.5 * (trial @ trial)) / expected
      in if gain > 0 then
           let (r, a, g) = _normal_equations(residual, x + step)
           in (x + step, r, a, g, damping * max(t(1) / 3, 1 - (2 * gain - 1) ** 3), 2, taken + 1)
         else (x, r, a, g, damping * grow, 2 * grow, taken + 1)
  in _minimum(x, 0.5 * (r @ r), g, taken, tolerance)

-- The residual, the product of its Jacobian with itself, and the gradient.
def _normal_equations[t: float](residual: [n]t -> [m]t, x: [n]t) -> ([m]t, [n][n]t, [n]t) =
  let (r, j) = (residual(x), jacfwd(residual)(x))
  in (r, transpose(j) @ j, transpose(j) @ r)

--| The minimum `x` of `f`, with its derivatives with respect to what `f` reads from around it, by the implicit
--| function theorem: a Newton step from `x`, through the gradient alone. `n^3 / 3` and `n` products with the second
--| derivative.
--| > let best = \a => implicit_minimum(\x => sum((x * x - a) ** 2), stop_gradient(sqrt(a))) in jacrev(best)([4.0])
--| [[0.25]]
def implicit_minimum[t: float](f: [n]t -> t, x: [n]t) -> [n]t =
  let x = stop_gradient(x)
  let h = stop_gradient(jacfwd(grad(f))(x))
  in x - linalg.solve(h, grad(f)(x))

-- ---- Functions of one number

--| A zero of a continuous function with values of different signs at `low` and `high`, halving the interval until it
--| is no longer than `tolerance` or than what the numbers can tell apart: its middle. NaN where the signs are the
--| same.
--| > bisect(\x => x * x - 2.0, 0.0, 2.0, 1e-12)  -- within 1e-11
--| 1.4142135623730951
--| > bisect(\x => x * x + 2.0, 0.0, 2.0, 1e-12)
--| nan
def bisect[t: float](f: t -> t, low: t, high: t, tolerance: t) -> t =
  let (at_low, at_high) = (f(low), f(high))
  let rising: t = if at_high >= 0 then 1 else -1
  let (low, high) = loop (low, high): (t, t) = (low, high)
      while abs(high - low) > tolerance and _is_between(low, high) do
    let middle = low + 0.5 * (high - low)
    in if rising * f(middle) < 0 then (middle, high) else (low, middle)
  in if (at_low <= 0 and at_high >= 0) or (at_low >= 0 and at_high <= 0) then
       low + 0.5 * (high - low)
     else t(0) / t(0)

-- Whether there is a number between these.
def _is_between[t: float](low: t, high: t) -> bool =
  let middle = low + 0.5 * (high - low) in middle != low and middle != high

--| A zero of `f` by Newton's method from `x`: until a step is no longer than `tolerance`, or for `steps` steps.
--| > newton_root(\x => x * x - 2.0, 1.0, 50, 1e-12)  -- within 1e-15
--| 1.4142135623730951
def newton_root[t: float](f: t -> t, x: t, steps: i64, tolerance: t) -> t =
  let (x, _, _) = loop (x, size, taken): (t, t, i64) = (x, 2 * tolerance + 1, 0)
      while taken < steps and size > tolerance do
    let (y, slope) = jvp(f, x, 1)
    let step = y / slope
    in (x - step, abs(step), taken + 1)
  in x

--| The zero `x` of `f`, with its derivatives with respect to what `f` reads from around it, by the implicit function
--| theorem: a Newton step from `x`, through the value alone.
--| > grad(\a => implicit_root(\x => x * x - a, 2.0))(4.0)
--| 0.25
--| > grad(\a => implicit_root(\x => x ** 3 - a, bisect(\x => x ** 3 - a, 0.0, 5.0, 1e-10)))(8.0)  -- within 1e-8
--| 0.08333333333333333
def implicit_root[t: float](f: t -> t, x: t) -> t =
  let x = stop_gradient(x)
  let (_, slope) = jvp(f, x, 1)
  in x - f(x) / stop_gradient(slope)

--| The minimum of a function that falls and then rises on `low .. high`, narrowed to an interval no longer than
--| `tolerance`: its middle. Below about the square root of the precision (1e-8 for `f64`) the values no longer tell
--| which side is lower. Kiefer (1953).
--| > golden_section(\x => (x - 1.0) ** 2, 0.0, 3.0, 1e-6)  -- within 1e-6
--| 1.0
def golden_section[t: float](f: t -> t, low: t, high: t, tolerance: t) -> t =
  let ratio = t(0.6180339887498949)
  let (p, q) = (high - ratio * (high - low), low + ratio * (high - low))
  let (low, high, _, _, _, _) =
    loop (low, high, p, q, at_p, at_q): (t, t, t, t, t, t) = (low, high, p, q, f(p), f(q))
        while abs(high - low) > tolerance and _is_between(low, high) do
      if at_p < at_q then
        let next = q - ratio * (q - low)
        in (low, q, next, p, f(next), at_p)
      else
        let next = p + ratio * (high - p)
        in (p, high, q, next, at_q, f(next))
  in low + 0.5 * (high - low)

-- ---- Tests

-- Functions to test with, from Moré, Garbow and Hillstrom, Testing unconstrained optimization software, ACM
-- Transactions on Mathematical Software 7 (1981).
def _rosenbrock(x: [n]f64) -> f64 =
  sum(for i < n - 1 => 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2)
def _powell(x: [4]f64) -> f64 =
  (x[0] + 10.0 * x[1]) ** 2 + 5.0 * (x[2] - x[3]) ** 2 + (x[1] - 2.0 * x[2]) ** 4
    + 10.0 * (x[0] - x[3]) ** 4
def _beale(x: [2]f64) -> [3]f64 =
  for i < 3 => [1.5, 2.25, 2.625][i] - x[0] * (1.0 - x[1] ** (i + 1))
def _helical(x: [3]f64) -> [3]f64 =
  let turn = atan2(x[1], x[0]) / 6.283185307179586
  in [10.0 * (x[2] - 10.0 * turn), 10.0 * (sqrt(x[0] ** 2 + x[1] ** 2) - 1.0), x[2]]
def _start = [-1.2, 1.0]

test "Rosenbrock by lbfgs" within 1e-6 =
  let m = lbfgs(_rosenbrock, _start, 100, 1e-8)
  in (m.x == [1.0, 1.0], m.value == 0.0, m.converged, m.steps < 50)
test "Rosenbrock in ten dimensions by lbfgs" within 1e-6 =
  let m = lbfgs(_rosenbrock, for i < 10 => _start[i % 2], 200, 1e-8)
  in (m.converged, m.value == 0.0)
test "Powell's singular function by lbfgs" =
  let m = lbfgs(_powell, [3.0, -1.0, 0.0, 1.0], 200, 1e-6)
  in (m.converged, m.value < 1e-6)
test "Rosenbrock by newton_cg" within 1e-6 =
  let m = newton_cg(_rosenbrock, _start, 100, 1e-8)
  in (m.x == [1.0, 1.0], m.converged, m.steps < 80)
test "Powell's singular function by newton_cg" =
  let m = newton_cg(_powell, [3.0, -1.0, 0.0, 1.0], 100, 1e-6)
  in (m.converged, m.value < 1e-6)
test "Beale by levenberg_marquardt" within 1e-6 =
  let m = levenberg_marquardt(_beale, [1.0, 1.0], 100, 1e-10)
  in (m.x == [3.0, 0.5], m.converged)
test "the helical valley by levenberg_marquardt" within 1e-6 =
  let m = levenberg_marquardt(_helical, [-1.0, 0.001, 0.0], 100, 1e-10)
  in (m.x == [1.0, 0.0, 0.0], m.converged)
test "Rosenbrock by Adam" within 1e-2 = minimize_adam(_rosenbrock, _start, 3000, 0.02) == [1.0, 1.0]
-- An exponential curve through its own points.
test "a curve fitted" within 1e-8 =
  let ts = for i < 8 => 0.5 * f64(i)
  let ys = 2.0 * exp(-0.7 * ts) + 0.5
  let m = levenberg_marquardt(\p => p[0] * exp(-p[1] * ts) + p[2] - ys, [1.0, 1.0, 0.0], 100, 1e-12)
  in m.x == [2.0, 0.7, 0.5]
test "it stops" = (
  lbfgs(\x => x[0], [0.0], 5, 1e-8).converged == false,
  lbfgs(\x => sum(x) / 0.0, [1.0], 5, 1e-8).converged == false,
  newton_cg(\x => -sum(x * x), [1.0], 3, 1e-8).steps == 3,
  lbfgs(\x => sum(x * x), [0.0], 5, 1e-8).steps == 0,
  lbfgs(\x => sum(x * x), zeros(0), 5, 1e-8).converged,
  levenberg_marquardt(\x => x - x + 1.0, [1.0], 5, 1e-8).converged
)
type _Line = { slope: f64, shift: [2]f64 }
def _unpack(x: [3]f64) -> _Line = { slope = x[0], shift = x[1:] }
test "parameters in a record" within 1e-6 =
  let loss = \p: _Line => (p.slope - 2.0) ** 2 + sum((p.shift - p.slope) ** 2)
  let p = _unpack(lbfgs(\x => loss(_unpack(x)), [0.0, 0.0, 0.0], 50, 1e-10).x)
  in (p.slope == 2.0, p.shift == [2.0, 2.0])
test "a training loop has derivatives" gradient (rate: f64, x: [2]f64) = (
  minimize_adam(\y => sum(y ** 4), 2.0 + tanh(x), 3, 0.1 * tanh(rate)),
  minimize_momentum(\y => sum(y ** 4), tanh(x), 3, 0.1 * tanh(rate), 0.5),
  minimize_sgd(\y => sum(y ** 4), tanh(x), 3, 0.1 * tanh(rate))
)
test "implicit derivatives" within 1e-6 =
  let ridge = \l => implicit_minimum(
    \x => sum((x - [1.0, 2.0]) ** 2) + l * sum(x * x),
    lbfgs(\x => sum((x - [1.0, 2.0]) ** 2) + l * sum(x * x), [0.0, 0.0], 50, 1e-10).x
  )
  in jacrev(ridge)(1.0) == [-0.25, -0.5]
test "roots" within 1e-9 = (
  bisect(\x => cos(x), 0.0, 3.0, 1e-12) == 1.5707963267948966,
  bisect(\x => -x, -1.0, 2.0, 0.0) == 0.0,
  newton_root(\x => exp(x) - 2.0, 0.0, 50, 1e-14) == 0.6931471805599453
)
test "single precision" = (
  lbfgs(\x => sum((x - 1.0) ** 2), [0.0f32, 3.0], 20, 1e-4).converged,
  newton_cg(\x => sum((x - 1.0) ** 2), [0.0f32, 3.0], 20, 1e-4).converged,
  levenberg_marquardt(\x => x - 1.0, [0.0f32, 3.0], 20, 1e-4).converged,
  abs(bisect(\x => x - 1.0, 0.0f32, 3.0, 1e-9) - 1.0) < 1e-6
)
test "more steps gradient" gradient (x: [2]f64, g: [2]f64) =
  let g = g + [2.0, -3.0]
  in (
    rmsprop_step(x, [1.0, 2.0], g, 0.1, 0.9),
    adagrad_step(x, [1.0, 2.0], g, 0.1),
    clip_by_global_norm(g, 0.5),
    ema(x, g, 0.9)
  )
test "rates gradient" gradient (rate: f64) =
  (cosine_decay(3, 10, rate), warmup(2, 5, rate), exponential_decay(3, 10, 0.5, rate))
test "a gradient that is short enough" = (
  clip_by_global_norm([0.3, 0.4], 1.0) == [0.3, 0.4],
  clip_by_global_norm([0.0, 0.0], 1.0) == [0.0, 0.0]
)
test "every step goes downhill" =
  let f = \x => sum(x * x)
  let x = [1.0, -2.0]
  let g = grad(f)(x)
  in [
    f(rmsprop_step(x, [0.0, 0.0], g, 0.1, 0.9).0) < f(x),
    f(adagrad_step(x, [0.0, 0.0], g, 0.1).0) < f(x),
    f(lion_step(x, [0.0, 0.0], g, 0.1).0) < f(x)
  ]
