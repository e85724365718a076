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
-- A minimum found by iteration has no useful derivative of its own: `implicit_minimum`, `implicit_bounded_minimum` and
-- `implicit_root` give that of the point with respect to whatever the function reads from around it. `brentq`, `brent`,
-- `curve_fit` and `linprog` have such derivatives already.

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

--| A step of gradient descent with the momentum of Nesterov: the gradient is followed and then the new velocity, which
--| is kept as in `momentum_step`. It is the form that PyTorch has, in which the gradient is that at the point itself.
--| Sutskever et al., On the importance of initialization and momentum in deep learning (2013).
--| > nesterov_step([1.0], [2.0], [10.0], 0.1, 0.5)
--| ([-0.55], [11.0])
def nesterov_step[t: float](
  x: [n]t,
  velocity: [n]t,
  gradient: [n]t,
  rate: t,
  decay: t
) -> ([n]t, [n]t) =
  let velocity = decay * velocity + gradient
  in (x - rate * (gradient + decay * velocity), velocity)

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
  let (step, s) = _adam_direction(s, gradient, 1e-8)
  in (x - rate * step - rate * decay * x, s)

-- The mean of the gradients over the root of that of their squares, both without the bias of their start at zero.
def _adam_direction[t: float](s: Adam[n, t], gradient: [n]t, eps: t) -> ([n]t, Adam[n, t]) =
  let mean = 0.9 * s.mean + 0.1 * gradient
  let square = 0.999 * s.square + 0.001 * gradient * gradient
  let steps = s.steps + 1
  let scale = sqrt(1 - t(0.999) ** steps) / (1 - t(0.9) ** steps)
  let step = for i => scale * mean[i] / (sqrt(square[i]) + eps * sqrt(1 - t(0.999) ** steps))
  in (step, { mean = mean, square = square, steps = steps })

--| A step of LAMB: the direction of Adam, with 1e-6 for `eps`, and `decay` times the point are added, and the step is
--| as long as `rate` times the point. Where the point or the direction is zero it is `rate` times the direction. The
--| length is that of the whole vector: a layer is a vector of its own. You et al., Large batch optimization for deep
--| learning (2020).
--| > lamb_step(adam_init([3.0, 4.0]), [3.0, 4.0], [0.0, 2.0], 0.1, 0.0).0  -- within 1e-6
--| [3.0, 3.5]
def lamb_step[t: float](
  s: Adam[n, t],
  x: [n]t,
  gradient: [n]t,
  rate: t,
  decay: t
) -> ([n]t, Adam[n, t]) =
  let (direction, s) = _adam_direction(s, gradient, 1e-6)
  let direction = direction + decay * x
  let (size, length) = (linalg.norm(x), linalg.norm(direction))
  let ratio = if size > 0 and length > 0 then size / length else 1
  in (x - rate * ratio * direction, s)

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
    let alpha = if _bends(ss[at], ys[at]) then (ss[at] @ q) / (ss[at] @ ys[at]) else 0
    in (q - alpha * ys[at], alphas with [at] = alpha)
  let last = (taken - 1) % m
  let scale =
    if taken > 0 and _bends(ss[last], ys[last]) then (ss[last] @ ys[last]) / (ys[last] @ ys[last])
    else 1
  in loop r = scale * q for k < known do
    let at = (taken - known + k) % m
    let beta = if _bends(ss[at], ys[at]) then (ys[at] @ r) / (ss[at] @ ys[at]) else 0
    in r + (alphas[at] - beta) * ss[at]

-- Whether the slope rises along a step, by more than rounding.
def _bends[t: float](s: [n]t, y: [n]t) -> bool = s @ y > _epsilon() * (y @ y)

-- The distance from 1 to the next number.
def _epsilon[t: float]() -> t = if t(1) + 1e-10 > 1 then 2.220446049250313e-16 else 1.1920929e-7

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
--| Marquardt. It ends when no element of the gradient is larger than `tolerance`, or after `steps` trials of a step, or
--| when the value can fall by no more than rounding and no step makes the gradient smaller. The Jacobian is taken by
--| forward mode. Damping after Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05.
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
  let start = {
    x = x,
    r = r,
    a = a,
    g = g,
    damping = damping,
    grow = t(2),
    taken = 0,
    stuck = not is_finite(damping)
  }
  let end = loop s = start
      while s.taken < steps and not s.stuck and not (_largest(s.g) <= tolerance) do
    let step = linalg.solve_spd(s.a + s.damping * linalg.identity(n), -s.g)
    let trial = residual(s.x + step)
    let value = 0.5 * (s.r @ s.r)
    let expected = 0.5 * (step @ (s.damping * step - s.g))
    let gain = (value - 0.5 * (trial @ trial)) / expected
    -- Where the value cannot tell which point is better the gradient does.
    let level = expected <= 4 * _epsilon() * value
    let shrink = if level then t(1) / 3 else max(t(1) / 3, 1 - (2 * gain - 1) ** 3)
    let worse = { s with
      damping = s.damping * s.grow,
      grow = 2 * s.grow,
      taken = s.taken + 1,
      stuck = level or not is_finite(s.damping)
    }
    in if gain > 0 or level then
         let (r, a, g) = _normal_equations(residual, s.x + step)
         let next = {
           x = s.x + step,
           r = r,
           a = a,
           g = g,
           damping = s.damping * shrink,
           grow = t(2),
           taken = s.taken + 1,
           stuck = false
         }
         in if not level or _largest(g) < _largest(s.g) then next else worse
       else worse
  in _minimum(end.x, 0.5 * (end.r @ end.r), end.g, end.taken, tolerance)

-- The residual, the product of its Jacobian with itself, and the gradient.
def _normal_equations[t: float](residual: [n]t -> [m]t, x: [n]t) -> ([m]t, [n][n]t, [n]t) =
  let (r, j) = (residual(x), jacfwd(residual)(x))
  in (r, transpose(j) @ j, transpose(j) @ r)

--| A local minimum with each element between those of `low` and `high`, which may be infinite: L-BFGS on the elements
--| that are free, along a path that is brought between the bounds. Elements near a bound that the gradient points to
--| follow the gradient alone. The `gradient` of the result is that of the bounded problem: how far `x - gradient`,
--| brought between the bounds, is from `x`. It ends when no element of that is larger than `tolerance`, after `steps`
--| steps, or when no step lowers the value. A first point outside is brought between the bounds. For derivatives of the
--| point give it to `implicit_bounded_minimum`. Bertsekas, Projected Newton methods for optimization problems with
--| simple constraints, SIAM Journal on Control and Optimization 20 (1982).
--| > lbfgsb(\x => sum((x - 3.0) ** 2), [0.0, 0.0], [0.0, 0.0], [2.0, 5.0], 50, 1e-8).x  -- within 1e-8
--| [2.0, 3.0]
def lbfgsb[t: float](
  f: [n]t -> t,
  x: [n]t,
  low: [n]t,
  high: [n]t,
  steps: i64,
  tolerance: t
) -> Minimum[n, t] =
  let x = _between(x, low, high)
  let (value, g) = value_and_grad(f)(x)
  let (x, value, _, size, _, _, taken, _) =
    loop (x, value, g, size, ss, ys, taken, stuck): (
      [n]t,
      t,
      [n]t,
      t,
      [10][n]t,
      [10][n]t,
      i64,
      bool
    ) = (
      x,
      value,
      g,
      _largest(_between(x - g, low, high) - x),
      zeros(10, n),
      zeros(10, n),
      0,
      false
    ) while not stuck and taken < steps and not (size <= tolerance) do
      let edge = min(0.01, size)
      let held = for i =>
        (x[i] <= low[i] + edge and g[i] > 0) or (x[i] >= high[i] - edge and g[i] < 0)
      let free = for i => if held[i] then 0 else t(1)
      let along = _two_loops(free * ss, free * ys, free * g, taken)
      let d = for i => if held[i] then g[i] else along[i]
      let first = if taken == 0 then min(1, 1 / linalg.norm(g)) else 1
      let (rate, tries) = loop (rate, tries): (t, i64) = (first, 0)
          while tries < 60 and not _falls(f, x, value, g, _between(x - rate * d, low, high)) do
        (0.5 * rate, tries + 1)
      let next = _between(x - rate * d, low, high)
      let (next_value, next_g) = value_and_grad(f)(next)
      let (s, at) = (next - x, taken % 10)
      in if tries == 60 or _largest(s) == 0 then (x, value, g, size, ss, ys, taken, true)
         else (
           next,
           next_value,
           next_g,
           _largest(_between(next - next_g, low, high) - next),
           ss with [at] = s,
           ys with [at] = next_g - g,
           taken + 1,
           false
         )
  in { x = x, value = value, gradient = size, steps = taken, converged = size <= tolerance }

def _between[t: float](x: [n]t, low: [n]t, high: [n]t) -> [n]t = min(max(x, low), high)

-- Whether the value at another point is lower by enough.
def _falls[t: float](f: [n]t -> t, x: [n]t, value: t, g: [n]t, next: [n]t) -> bool =
  f(next) <= value + 0.0001 * (g @ (next - x))

--| Where `nelder_mead` stopped: the best point and its value, the number of steps taken, and whether the simplex is as
--| small as demanded.
type Simplex[n, t: float] = { x: [n]t, value: t, steps: i64, converged: bool }

--| A local minimum by the method of Nelder and Mead, which compares values and needs no slopes: for functions that
--| have kinks or steps, of few variables. A simplex of `n + 1` points is reflected, expanded, contracted or shrunk.
--| It ends when no element of a point, and no value, differs from the best by more than `tolerance`, or after `steps`
--| steps; a step evaluates once or twice, and `n` times more where it shrinks. The first simplex has the elements of
--| `x` one after the other longer by a twentieth, or 0.00025 where they are 0. A value that is NaN counts as
--| infinite. The point has no derivatives: give it to `implicit_minimum`. Nelder and Mead, A simplex method for
--| function minimization, Computer Journal 7 (1965).
--| > nelder_mead(\x => abs(x[0] - 1.0) + abs(x[1] - x[0]), [0.0, 3.0], 500, 1e-8).x  -- within 1e-7
--| [1.0, 1.0]
def nelder_mead[t: float](f: [n]t -> t, x: [n]t, steps: i64, tolerance: t) -> Simplex[n, t] =
  let x = stop_gradient(x)
  let value = \x: [n]t => let v = stop_gradient(f(x)) in if is_nan(v) then t(1) / 0 else v
  let points = for k < n + 1, i < n =>
    if k != i + 1 then x[i] else if x[i] == 0 then 0.00025 else 1.05 * x[i]
  let (points, values, taken, done) =
    loop (points, values, taken, done): ([n+1][n]t, [n+1]t, i64, bool) = (
      points,
      for k < n + 1 => value(points[k]),
      0,
      false
    ) while taken <= steps and not done do
      let order = argsort(values)
      let (points, values) = (gather(points, order), gather(values, order))
      let spread = _largest(flatten(for k < n + 1 => points[k] - points[0]))
      let small = spread <= tolerance and values[n] - values[0] <= tolerance
      in if small or taken == steps then (points, values, taken + 1, small)
         else
           let centre = sum(points[:n]) / t(n)
           let at = \share: t => centre + share * (points[n] - centre)
           let first = value(at(t(-1)))
           let share: t =
             if first < values[0] then -2
             else if first < values[n - 1] then -1
             else if first < values[n] then -0.5
             else 0.5
           let second = if share == -1 then first else value(at(share))
           let (share, best) =
             if share == -2 and first <= second then (t(-1), first) else (share, second)
           in if best <= min(first, values[n]) and best < values[n] then
                (points with [n] = at(share), values with [n] = best, taken + 1, false)
              else
                let points = for k < n + 1 => 0.5 * (points[0] + points[k])
                in (points, for k < n + 1 => value(points[k]), taken + 1, false)
  in { x = points[0], value = values[0], steps = taken - 1, converged = done }

--| A curve fitted to points: the parameters, their covariance, half the sum of squares, the number of steps taken, and
--| whether `levenberg_marquardt` converged.
type Fit[n, t: float] =
  { p: [n]t, covariance: [n][n]t, value: t, steps: i64, converged: bool }

--| The parameters `p` with which `model(x, p)` is nearest to `ys` at the places `xs`, which may be of any type, by
--| `levenberg_marquardt` from a first guess, and their covariance if the errors of `ys` are independent and of one
--| variance, estimated from what is left: `s^2` times the inverse of the product of the Jacobian with itself, where
--| `s^2` is the sum of squares over `m - n`. It is infinite where there are no more points than parameters, and
--| infinite or NaN where they do not determine the parameters. For other variances divide `ys` and the model by the
--| standard deviations. The derivatives with respect to `ys`, `xs` and what the model reads from around it are those
--| of the implicit function. SciPy has it under the same name.
--| > let s = curve_fit(\(x, p) => p[0] * exp(p[1] * x), [1.0, 1.0], [0.0, 1.0, 2.0], [1.0, 2.0, 4.0], 50, 1e-12)
--| . in s.p  -- within 1e-10
--| [1.0, 0.6931471805599453]
def curve_fit[x: any, t: float](
  model: (x, [n]t) -> t,
  p: [n]t,
  xs: [m]x,
  ys: [m]t,
  steps: i64,
  tolerance: t
) -> Fit[n, t] =
  let residual = \p: [n]t => for i < m => model(xs[i], p) - ys[i]
  let best = levenberg_marquardt(
    residual,
    stop_gradient(p),
    steps,
    tolerance
  )
  let found = implicit_minimum(\p => let r = residual(p) in 0.5 * (r @ r), best.x)
  let found = if is_finite(sum(found)) then found else stop_gradient(best.x)
  let r = residual(found)
  let value = 0.5 * (r @ r)
  let covariance =
    if m <= n then for i < n, j < n => t(1) / 0
    else
      let across = linalg.inverse(linalg.qr(jacfwd(residual)(found)).r)
      in 2 * value / t(m - n) * (across @ transpose(across))
  in {
    p = found,
    covariance = covariance,
    value = value,
    steps = best.steps,
    converged = best.converged
  }

--| The minimum `x` of `f` between bounds, as `lbfgsb` finds it, with its derivatives with respect to the bounds and to
--| what `f` reads from around it, by the implicit function theorem: two steps of Newton's method with one matrix, which
--| give the first and the second derivatives. Elements at a bound that the gradient points to stay there, and have the
--| bound's derivatives; they must be there exactly. `n^3 / 3` and `n` products with the second derivative.
--| > let best = \a => implicit_bounded_minimum(\x => sum((x - a) ** 2), [1.0, 2.0], [0.0, 2.0], [9.0, 9.0])
--| . in jacrev(best)([1.0, 1.0])
--| [[1.0, 0.0], [0.0, 0.0]]
def implicit_bounded_minimum[t: float](
  f: [n]t -> t,
  x: [n]t,
  low: [n]t,
  high: [n]t
) -> [n]t =
  let x = stop_gradient(x)
  let (g, h) = (stop_gradient(grad(f)(x)), stop_gradient(jacfwd(grad(f))(x)))
  let below = for i => x[i] <= low[i] and g[i] > 0
  let above = for i => x[i] >= high[i] and g[i] < 0
  let lu = linalg.lu(for i < n, j < n => if below[i] or above[i] then t(i == j) else h[i, j])
  in loop x = x for i < 2 do
    let g = grad(f)(x)
    let rest =
      for i => if below[i] then x[i] - low[i] else if above[i] then x[i] - high[i] else g[i]
    in x - linalg.lu_solve(lu, rest)

--| The minimum `x` of `f`, with its derivatives with respect to what `f` reads from around it, by the implicit
--| function theorem: two steps of Newton's method from `x` with one matrix, through the gradient alone, which give the
--| first and the second derivatives. `n^3 / 3` and `n` products with the second derivative.
--| > let best = \a => implicit_minimum(\x => sum((x * x - a) ** 2), stop_gradient(sqrt(a))) in jacrev(best)([4.0])
--| [[0.25]]
def implicit_minimum[t: float](f: [n]t -> t, x: [n]t) -> [n]t =
  let x = stop_gradient(x)
  let h = linalg.lu(stop_gradient(jacfwd(grad(f))(x)))
  in loop x = x for i < 2 do x - linalg.lu_solve(h, grad(f)(x))

-- ---- Linear programs

--| The solution of a linear program: the point, the value, the derivative of the value with respect to each right side
--| (none is positive), the number of steps taken, and a status: 0 for a solution, 1 where `steps` were not enough, 2
--| where no point keeps the bounds, 3 where the value has no bound, 4 where rounding stopped the method before.
type Linear[n, m, t: float] =
  { x: [n]t, value: t, marginals: [m]t, status: i64, steps: i64 }

--| The minimum of `c @ x` over all `x` with `a @ x <= b` and `x >= 0`. Equations are two inequalities, and a number
--| of any sign is the difference of two elements of `x`. Where there is no such point (status 2) the value is
--| infinite, where there are points of any value (status 3) it is `-inf`, and `x` and `marginals` are NaN. 20 to 30
--| steps are mostly enough, of `m^2 n` each. The statuses are those of SciPy's `linprog`.
--|
--| The method is of interior points, for the homogeneous and self-dual form of the problem, with the predictor and
--| corrector of Mehrotra: Andersen and Andersen, The MOSEK interior point optimizer for linear programming (2000).
--| Values are right to about 1e-12 of their size, and to 1e-8 where two inequalities make an equation or two elements
--| a number of any sign. Where several points are best it is one amid them. The derivatives are those of the
--| conditions of optimality. Those of the value are right wherever they exist; those of `x` and `marginals` are where
--| one point alone is best and just `n` bounds hold it, and are not defined elsewhere.
--| > linprog([-1.0, -2.0], [[1.0, 1.0], [1.0, 3.0]], [4.0, 6.0], 50).x  -- within 1e-9
--| [3.0, 1.0]
--| > linprog([-1.0], [[-1.0]], [1.0], 50).status
--| 3
--| > grad(\b => linprog([-1.0, -2.0], [[1.0, 1.0], [1.0, 3.0]], b, 50).value)([4.0, 6.0])  -- within 1e-9
--| [-0.5, -0.5]
def linprog[t: float](c: [n]t, a: [m][n]t, b: [m]t, steps: i64) -> Linear[n, m, t] =
  let (c, a, b) = (stop_gradient(c), stop_gradient(a), stop_gradient(b))
  let exact: t = 16 * _epsilon()
  let start = {
    x = ones(n + m) :> [n+m]t,
    y = zeros(m) :> [m]t,
    z = ones(n + m) :> [n+m]t,
    tau = t(1),
    kappa = t(1),
    steps = 0,
    stuck = false
  }
  let end = loop s = start
      while not s.stuck and s.steps < steps and _lp_error(c, a, b, s) > exact
        and s.tau > exact * max(1, s.kappa) do
    let next = _lp_step(c, a, b, s)
    let good = is_finite(next.tau) and is_finite(sum(next.x)) and is_finite(sum(next.z))
    let error = _lp_error(c, a, b, s)
    let better = error > 1e-6 or _lp_error(c, a, b, next) < error
    in if good and better then next else { s with stuck = true }
  let none = end.tau <= sqrt(exact) * min(1, end.kappa)
  let nan = t(0) / 0
  let status =
    if _lp_error(c, a, b, end) <= sqrt(exact) then 0
    else if none and b @ end.y > -(c @ end.x[:n]) then 2
    else if none then 3
    else if end.steps < steps then 4
    else 1
  let x = end.x[:n] / end.tau
  let empty = status == 2 or status == 3
  in {
    x = for i < n => if empty then nan else x[i],
    value = if status == 2 then 1 / t(0) else if status == 3 then -1 / t(0) else c @ x,
    marginals = for i < m => if empty then nan else min(0, end.y[i] / end.tau),
    status = status,
    steps = end.steps
  }

derivative linprog(c, a, b, steps, y, dy) =
  let (x, l) = (y.x, -y.marginals)
  -- How much each bound is one of `x` and how much one of its multiplier: one of both is zero.
  let z = for i => max(0, c[i] + sum(for k < m => a[k, i] * l[k]))
  let s = for k => max(0, b[k] - sum(for i < n => a[k, i] * x[i]))
  let (of_x, of_l) = (x / (x + z), l / (l + s))
  let matrix = for i < n + m, j < n + m =>
    if i < n then
      if j < n then (1 - of_x[i]) * t(i == j) else of_x[i] * a[j - n, i]
    else if j < n then -of_l[i - n] * a[i - n, j]
    else (1 - of_l[i - n]) * t(i == j)
  let lu = linalg.lu(transpose(matrix))
  let single = y.status == 0 and all(for i < n + m => abs(lu.factors[i, i]) > 1e-10)
  let all_d = linalg.lu_solve(lu, concat(dy.x, -dy.marginals))
  let d = for i < n + m => if single then all_d[i] else 0
  let p = for i < n => of_x[i] * d[i]
  let q = for k < m => of_l[k] * d[n + k]
  let value = dy.value
  in (
    value * x - p,
    for k < m, i < n => l[k] * (value * x[i] - p[i]) + q[k] * x[i],
    -value * l - q,
    ()
  )

-- The iterate of an interior point method: `x` with what the inequalities leave, the multipliers `y`, those of the
-- bounds `z`, and the two numbers that make the form homogeneous.
type _Interior[n, m, t: float] =
  { x: [n+m]t, y: [m]t, z: [n+m]t, tau: t, kappa: t, steps: i64, stuck: bool }

-- The inequalities as equations, from the left and from the right.
def _lp_left[t: float](a: [m][n]t, x: [n+m]t) -> [m]t = a @ x[:n] + x[n:]
def _lp_right[t: float](a: [m][n]t, y: [m]t) -> [n+m]t = concat(y @ a, y)

-- How far the conditions of optimality are from being kept.
def _lp_error[t: float](c: [n]t, a: [m][n]t, b: [m]t, s: _Interior[n, m, t]) -> t =
  let primal = linalg.norm(b - _lp_left(a, s.x) / s.tau) / (1 + linalg.norm(b))
  let dual =
    linalg.norm(concat(c, zeros(m)) - (_lp_right(a, s.y) + s.z) / s.tau) / (1 + linalg.norm(c))
  let value = c @ s.x[:n]
  in max(max(primal, dual), abs(value - b @ s.y) / (s.tau + abs(value)))

def _lp_step[t: float](
  c: [n]t,
  a: [m][n]t,
  b: [m]t,
  s: _Interior[n, m, t]
) -> _Interior[n, m, t] =
  let { x, y, z, tau, kappa } = s
  let costs = concat(c, zeros(m))
  let ratio = x / z
  let normal = (a * ratio[:n]) @ transpose(a) + linalg.diag(ratio[n:])
  let l = linalg.cholesky(normal)
  let solve = \(r: [n+m]t, e: [m]t) =>
    let v = linalg.cholesky_solve(l, e + _lp_left(a, ratio * r))
    in (ratio * (_lp_right(a, v) - r), v)
  let (p, q) = solve(costs, b)
  let primal = tau * b - _lp_left(a, x)
  let dual = tau * costs - _lp_right(a, y) - z
  let gap = costs @ x - b @ y + kappa
  let mean = (x @ z + tau * kappa) / t(n + m + 1)
  let (dx, dy, dz, dtau, dkappa, _, length) =
    loop (dx, dy, dz, dtau, dkappa, centre, length): ([n+m]t, [m]t, [n+m]t, t, t, t, t) = (
      zeros(n + m),
      zeros(m),
      zeros(n + m),
      0,
      0,
      0,
      0
    ) for i < 2 do
      let goal = centre * mean
      let products = goal - x * z - dx * dz
      let product = goal - tau * kappa - dtau * dkappa
      let (u, v) = solve((1 - centre) * dual - products / x, (1 - centre) * primal)
      let dtau =
        ((1 - centre) * gap + product / tau + costs @ u - b @ v)
          / (kappa / tau - costs @ p + b @ q)
      let dx = u + dtau * p
      let dz = (products - z * dx) / x
      let dkappa = (product - kappa * dtau) / tau
      let worst = reduce(
        \(a, b) => max(a, b),
        max(max(-dtau / tau, -dkappa / kappa), 1),
        for i => max(-dx[i] / x[i], -dz[i] / z[i])
      )
      let length = 1 / worst
      in (
        dx,
        v + dtau * q,
        dz,
        dtau,
        dkappa,
        (1 - length) ** 2 * min(0.1, 1 - length),
        0.99995 * length
      )
  in {
    x = x + length * dx,
    y = y + length * dy,
    z = z + length * dz,
    tau = tau + length * dtau,
    kappa = kappa + length * dkappa,
    steps = s.steps + 1,
    stuck = false
  }

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

--| A zero of a continuous function with values of different signs at `low` and `high`, by Brent's method: inverse
--| quadratic interpolation or secants, and halving where these do not shorten the interval. It is left by no more than
--| `tolerance` and a few rounding errors, in about 10 evaluations for smooth functions, and after 1000 at the latest.
--| NaN where the signs are the same. The derivatives, first and second, are those of the implicit function, with
--| respect to what `f` reads from around it; they are zero where the slope is zero or not finite. Brent, Algorithms for
--| Minimization without Derivatives (1973), chapter 4.
--| > brentq(\x => x * x - 2.0, 0.0, 2.0, 1e-12)  -- within 1e-15
--| 1.4142135623730951
--| > brentq(\x => x * x + 2.0, 0.0, 2.0, 1e-12)
--| nan
--| > grad(\a => brentq(\x => x ** 3 - a, 0.0, 5.0, 1e-12))(8.0)  -- within 1e-14
--| 0.08333333333333333
def brentq[t: float](f: t -> t, low: t, high: t, tolerance: t) -> t =
  let (low, high) = (stop_gradient(low), stop_gradient(high))
  -- The best point so far is `b`, the one before it `a`; the zero is between `b` and `c`.
  let start = _brent_order({
    a = low,
    b = high,
    c = low,
    fa = f(low),
    fb = f(high),
    fc = f(low),
    d = high - low,
    e = high - low,
    steps = 0
  })
  let width = \b => 2 * _epsilon() * abs(b) + 0.5 * tolerance
  let differ = (start.fb <= 0 and start.fc >= 0) or (start.fb >= 0 and start.fc <= 0)
  let end = loop s = start
      while differ and s.steps < 1000 and s.fb != 0 and abs(s.c - s.b) > 2 * width(s.b) do
    let least = width(s.b)
    let middle = 0.5 * (s.c - s.b)
    let ratio = s.fb / s.fa
    let (q, r) = (s.fa / s.fc, s.fb / s.fc)
    let (over, under) =
      if s.a == s.c then (2 * middle * ratio, 1 - ratio)
      else (
        ratio * (2 * middle * q * (q - r) - (s.b - s.a) * (r - 1)),
        (q - 1) * (r - 1) * (ratio - 1)
      )
    let under = if over > 0 then -under else under
    let over = abs(over)
    let short = 2 * over < min(3 * middle * under - abs(least * under), abs(s.e * under))
    let curved = abs(s.e) >= least and abs(s.fa) > abs(s.fb) and short
    let (d, e) = if curved then (over / under, s.d) else (middle, middle)
    let b = s.b + (if abs(d) > least then d else if middle > 0 then least else -least)
    in _brent_order({ s with
      a = s.b,
      fa = s.fb,
      b = b,
      fb = f(b),
      d = d,
      e = e,
      steps = s.steps + 1
    })
  in if differ then _settled(f, end.b, 2 * width(end.b)) else t(0) / t(0)

type _Bracket[t: float] = { a: t, b: t, c: t, fa: t, fb: t, fc: t, d: t, e: t, steps: i64 }

-- The zero between `b` and `c`, of which `b` has the smaller value.
def _brent_order[t: float](s: _Bracket[t]) -> _Bracket[t] =
  let s =
    if (s.fb > 0) == (s.fc > 0) then { s with c = s.a, fc = s.fa, d = s.b - s.a, e = s.b - s.a }
    else s
  in if abs(s.fc) < abs(s.fb) then
       { s with a = s.b, b = s.c, c = s.b, fa = s.fb, fb = s.fc, fc = s.fb }
     else s

-- The zero of `f` that is no further than `far` from `x`, with its first and second derivatives. Where Newton's method
-- goes further its steps have derivatives, but do not change the value.
def _settled[t: float](f: t -> t, x: t, far: t) -> t =
  let x = stop_gradient(x)
  let (_, slope) = jvp(f, x, 1)
  let slope = stop_gradient(slope)
  in if slope == 0 or not is_finite(slope) then x
     else loop x = x for i < 2 do
       let step = f(x) / slope
       in if abs(step) <= far then x - step else x - (step - stop_gradient(step))

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
--| theorem: two steps of Newton's method from `x` with one slope, through the value alone, which give the first and the
--| second derivatives.
--| > grad(\a => implicit_root(\x => x * x - a, 2.0))(4.0)
--| 0.25
--| > grad(\a => implicit_root(\x => x ** 3 - a, bisect(\x => x ** 3 - a, 0.0, 5.0, 1e-10)))(8.0)  -- within 1e-8
--| 0.08333333333333333
def implicit_root[t: float](f: t -> t, x: t) -> t =
  let x = stop_gradient(x)
  let (_, slope) = jvp(f, x, 1)
  let slope = stop_gradient(slope)
  in loop x = x for i < 2 do x - f(x) / slope

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

--| The minimum of a function that falls and then rises on `low .. high`, by Brent's method: parabolas through three
--| points, and golden sections where these do not help. It ends when the interval is no longer than `tolerance`, or
--| than what values can tell apart (about 3e-8 of `x` for `f64`), and after 1000 evaluations at the latest. Where the
--| second derivative is positive there, two steps of Newton's method on the slope follow, if they stay that near:
--| they make the point as exact as the derivative is, and give its first and second derivatives with respect to what
--| `f` reads from around it. Where the slope at an end of the interval says that the minimum is there, it is that
--| end, and has its derivatives; other minima have none. A value that is NaN counts as high. SciPy has it as
--| `minimize_scalar` with bounds. Brent, Algorithms for Minimization without Derivatives (1973), chapter 5.
--| > brent(\x => (x - 1.0) ** 4 + x, 0.0, 3.0, 1e-8)  -- within 1e-15
--| 0.3700394750525634
--| > grad(\a => brent(\x => (x * x - a) ** 2, 0.0, 9.0, 1e-8))(4.0)  -- within 1e-14
--| 0.25
def brent[t: float](f: t -> t, low: t, high: t, tolerance: t) -> t =
  let (first, last) = (stop_gradient(min(low, high)), stop_gradient(max(low, high)))
  let golden = t(0.3819660112501051)
  let root: t = sqrt(_epsilon())
  let width = \x => root * abs(x) + tolerance / 3
  let x = first + golden * (last - first)
  let start = _valley(first, last, x, f(x))
  let end = loop s = start
      while s.steps < 1000
        and abs(s.x - 0.5 * (s.low + s.high)) > 2 * width(s.x) - 0.5 * (s.high - s.low) do
    let least = width(s.x)
    let middle = 0.5 * (s.low + s.high)
    -- The vertex of the parabola through the three points is `over / under` away.
    let r = (s.x - s.w) * (s.fx - s.fv)
    let q = (s.x - s.v) * (s.fx - s.fw)
    let under = 2 * (q - r)
    let over = (s.x - s.v) * q - (s.x - s.w) * r
    let over = if under > 0 then -over else over
    let under = abs(under)
    let inside = over > under * (s.low - s.x) and over < under * (s.high - s.x)
    let curved = abs(s.e) > least and abs(over) < abs(0.5 * under * s.e) and inside
    let rest = if s.x < middle then s.high - s.x else s.low - s.x
    let (d, e) = if curved then (over / under, s.d) else (golden * rest, rest)
    let near = curved and (s.x + d - s.low < 2 * least or s.high - s.x - d < 2 * least)
    let d = if near then (if middle >= s.x then least else -least) else d
    let u = s.x + (if abs(d) >= least then d else if d < 0 then -least else least)
    in _narrowed({ s with d = d, e = e, steps = s.steps + 1 }, u, f(u))
  let slope = \x => let (_, dy) = jvp(f, x, 1) in dy
  let x = stop_gradient(end.x)
  let (rise, bend) = stop_gradient(jvp(slope, x, 1))
  let far = 2 * width(x)
  in if x - first <= far and rise > 0 then min(low, high)
     else if last - x <= far and rise < 0 then max(low, high)
     else if bend > 0 then _settled(slope, x, far + 4 * root * sqrt(abs(end.fx) / bend))
     else x

-- An interval around a minimum: the best point `x`, the next best `w`, the one that was `w` before, `v`, and their
-- values; the last step `d` and the one before it.
type _Valley[t: float] =
  { low: t, high: t, x: t, w: t, v: t, fx: t, fw: t, fv: t, d: t, e: t, steps: i64 }

def _valley[t: float](low: t, high: t, x: t, fx: t) -> _Valley[t] = {
  low = low,
  high = high,
  x = x,
  w = x,
  v = x,
  fx = fx,
  fw = fx,
  fv = fx,
  d = 0,
  e = 0,
  steps = 1
}

-- The interval with another point `u`.
def _narrowed[t: float](s: _Valley[t], u: t, fu: t) -> _Valley[t] =
  if fu <= s.fx or is_nan(s.fx) then { s with
    low = if u >= s.x then s.x else s.low,
    high = if u >= s.x then s.high else s.x,
    x = u,
    fx = fu,
    w = s.x,
    fw = s.fx,
    v = s.w,
    fv = s.fw
  }
  else
    let s = { s with low = if u < s.x then u else s.low, high = if u < s.x then s.high else u }
    in if fu <= s.fw or s.w == s.x then { s with w = u, fw = fu, v = s.w, fv = s.fw }
       else if fu <= s.fv or s.v == s.x or s.v == s.w then { s with v = u, fv = fu }
       else s

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
  abs(bisect(\x => x - 1.0, 0.0f32, 3.0, 1e-9) - 1.0) < 1e-6,
  abs(brentq(\x => x - 1.0, 0.0f32, 3.0, 1e-9) - 1.0) < 1e-6,
  abs(brent(\x => (x - 1.0) ** 2, 0.0f32, 3.0, 1e-9) - 1.0) < 1e-6,
  lbfgsb(\x => sum((x - 1.0) ** 2), [0.0f32, 3.0], [0.0, 2.0], [9.0, 9.0], 20, 1e-4).x[1] == 2.0,
  nelder_mead(\x => sum((x - 1.0) ** 2), [0.0f32, 3.0], 200, 1e-4).converged,
  abs(curve_fit(\(x, p) => p[0] * x, [1.0f32], [1.0f32, 2.0], [3.0, 6.0], 9, 1e-4).p[0] - 3.0)
    < 1e-4
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
-- The values are those of SciPy 1.17.1, or in closed form.
test "roots by brentq" within 1e-15 = (
  brentq(\x => x ** 3 - 2.0 * x - 5.0, 2.0, 3.0, 1e-12) == 2.0945514815423265,
  brentq(\x => cos(x) - x, 1.0, 0.0, 0.0) == 0.7390851332151607,
  brentq(\x => exp(x) - 1e-10, -50.0, 10.0, 1e-12) == -23.025850929940457,
  brentq(\x => x, 0.0, 1.0, 1e-12) == 0.0,
  brentq(\x => x, -1.0, 0.0, 1e-12) == 0.0,
  abs(brentq(\x => x ** 9, -1.0, 1.5, 1e-12)) < 1e-12,
  abs(brentq(\x => if x < 0.3 then -1.0 else 1.0, 0.0, 1.0, 1e-12) - 0.3) < 1e-12
)
test "minima by brent" within 1e-14 = (
  brent(\x => (x - 2.0) * x * (x + 2.0) ** 2, 0.0, 3.0, 1e-8) == (1.0 + sqrt(17.0)) / 4.0,
  brent(\x => -exp(-(x - 0.7) ** 2), -5.0, 10.0, 1e-8) == 0.7,
  abs(brent(\x => abs(x - 1.3), 0.0, 3.0, 1e-10) - 1.3) < 1e-7,
  abs(brent(\x => (x - 1.0) ** 4, 0.0, 3.0, 1e-10) - 1.0) < 1e-7,
  brent(\x => x, 1.0, 3.0, 1e-10) == 1.0,
  brent(\x => -x, 3.0, 1.0, 1e-10) == 3.0,
  brent(\x => x * x, 1.0, 1.0, 1e-10) == 1.0
)
test "roots and minima gradient" gradient (a: f64, b: f64) =
  let (p, q) = (1.0 + a * a, tanh(b))
  in (
    brentq(\x => p * x + tanh(x - q), -9.0, 9.0, 1e-12),
    brent(\x => p * x * x + cosh(x - q), -9.0, 9.0, 1e-8),
    brent(\x => x, q, 9.0, 1e-8)
  )
test "second derivatives of roots and minima" within 1e-8 =
  let root = \a => brentq(\x => x * x - a, 0.0, 5.0, 1e-12)
  let point = \a => brent(\x => (x * x - a) ** 2, 0.0, 5.0, 1e-8)
  let known = \a => implicit_root(\x => x * x - a, 2.0)
  let many = \a => implicit_minimum(\x => sum((x * x - a) ** 2), [2.0])[0]
  in (
    jvp(grad(root), 4.0, 1.0) == (0.25, -0.03125),
    jvp(grad(point), 4.0, 1.0) == (0.25, -0.03125),
    jvp(grad(known), 4.0, 1.0) == (0.25, -0.03125),
    jvp(grad(many), 4.0, 1.0) == (0.25, -0.03125)
  )
test "Rosenbrock between bounds" within 1e-8 =
  let inf = 1.0 / 0.0
  let m = lbfgsb(
    _rosenbrock,
    [-1.2, 1.0, 2.0, 5.0, 0.3],
    [-2.0, 1.5, -2.0, 0.0, 0.0],
    [0.9, 2.0, 2.0, inf, 2.0],
    200,
    1e-8
  )
  in (
    m.x == [-1.221026242108864, 1.5, 1.339083585268061, 1.4542841570132123, 2.0],
    m.value == 101.29328511265442,
    m.converged,
    lbfgsb(_rosenbrock, _start, [-2.0, -2.0], [0.5, 2.0], 100, 1e-8).x == [0.5, 0.25],
    lbfgsb(_rosenbrock, _start, [-inf, -inf], [inf, inf], 100, 1e-8).x == [1.0, 1.0],
    lbfgsb(_rosenbrock, [3.0, 3.0], [1.5, 1.0], [1.5, 1.0], 9, 1e-8).x == [1.5, 1.0],
    lbfgsb(\x => sum(x), zeros(0), zeros(0), zeros(0), 9, 1e-8).converged
  )
test "bounded gradient" gradient (a: [3]f64, low: f64, high: f64) =
  let (a, low, high) = (
    [3.0, 0.2, -2.0] + 0.5 * tanh(a),
    [0.0, -5.0, -0.5] + 0.1 * tanh(low),
    [1.0, 5.0, 3.0] + 0.1 * tanh(high)
  )
  let f = \x: [3]f64 => sum((x - a) ** 2) + exp(0.1 * x[0] + 0.2 * x[1] * x[2])
  in implicit_bounded_minimum(f, lbfgsb(f, zeros(3), low, high, 100, 1e-12).x, low, high)
test "by nelder_mead" within 1e-7 =
  let m = nelder_mead(_rosenbrock, _start, 500, 1e-9)
  in (
    m.x == [1.0, 1.0],
    m.converged and m.steps < 200,
    nelder_mead(\x => x[0] ** 2, [3.0], 100, 1e-9).x == [0.0],
    nelder_mead(\x => sum(x), zeros(0), 10, 1e-9).converged,
    nelder_mead(\x => sum(x), zeros(1), 10, 1e-9).steps == 10,
    nelder_mead(\x => sqrt(x[0]), [1.0], 0, 1e-9).x == [1.0],
    nelder_mead(\x => log(x[0]) / 0.0, [-1.0], 10, 1e-9).converged == false
  )
test "a curve and its covariance" within 1e-8 =
  let ts = for i < 20 => 0.2 * f64(i)
  let ys = 2.0 * exp(-0.7 * ts) + 0.5 + 0.1 * sin(37.0 * ts)
  let s = curve_fit(\(x, p) => p[0] * exp(-p[1] * x) + p[2], [1.0, 1.0, 0.0], ts, ys, 100, 1e-12)
  in (
    s.p == [1.99501115134917, 0.7610323412756955, 0.5546708480763177],
    s.covariance[0] == [0.003945740868596, -0.001377583604963, -0.002272918001663],
    s.converged,
    curve_fit(\(x, _p: [0]f64) => x, zeros(0), [1.0, 2.0], [1.0, 3.0], 10, 1e-12).value == 0.5,
    is_finite(curve_fit(\(x, p) => p[0] * x, [1.0], [2.0], [6.0], 9, 1e-12).covariance[0, 0])
      == false
  )
test "curve_fit gradient" gradient (ys: [4]f64, k: f64) =
  let s = curve_fit(
    \(x, p) => p[0] * exp(-p[1] * x) + tanh(k) * x,
    [1.0, 1.0],
    for i < 4 => 0.4 * f64(i),
    [2.0, 1.6, 0.9, 0.6] + 0.1 * tanh(ys),
    100,
    1e-12
  )
  in (s.p, s.covariance, s.value)
-- What has converged to the last bit does not go on.
test "levenberg_marquardt stops where rounding does" =
  let ts = for i < 20 => 0.2 * f64(i)
  let ys = 2.0 * exp(-0.7 * ts) + 0.5 + 0.1 * sin(37.0 * ts)
  let m = levenberg_marquardt(\p => p[0] * exp(-p[1] * ts) + p[2] - ys, [1.0, 1.0, 0.0], 999, 0.0)
  in (
    m.steps < 30,
    m.gradient < 1e-13,
    levenberg_marquardt(\x => x / 0.0, [0.0], 999, 1e-8).steps == 0
  )
-- SciPy 1.17.1, by HiGHS.
test "linear programs" within 1e-12 =
  let s = linprog(
    [-3.0, -1.0, -4.0, 1.0],
    [[1.0, 2.0, 1.0, 0.0], [0.0, 1.0, 3.0, -1.0], [2.0, 0.0, 1.0, 1.0]],
    [10.0, 12.0, 9.0],
    50
  )
  in (
    s.status == 0,
    s.x == [2.8181818181818183, 1.9090909090909092, 3.3636363636363633, 0.0],
    s.value == -23.818181818181817,
    s.marginals == [-0.09090909090909095, -0.8181818181818181, -1.4545454545454546]
  )
test "linear programs at their edges" = (
  linprog([1.0, 1.0], [[1.0, 1.0], [-1.0, -1.0]], [1.0, -2.0], 50).status == 2,
  linprog([-1.0, 1.0], [[-1.0, -1.0]], [2.0], 50).value == -1.0 / 0.0,
  linprog([1.0], zeros(0, 1), zeros(0), 50).status == 0,
  linprog([-1.0], zeros(0, 1), zeros(0), 50).status == 3,
  linprog(zeros(0), [for i < 0 => 1.0], [1.0], 50).status == 0,
  linprog(zeros(0), [for i < 0 => 1.0], [-1.0], 50).status == 2,
  linprog([-1.0], [[1.0]], [1.0], 0).status == 1,
  linprog([0.0 / 0.0], [[1.0]], [1.0], 9).status == 4,
  abs(linprog([-1.0f32, -2.0], [[1.0, 1.0], [1.0, 3.0]], [4.0, 6.0], 50).value + 5.0) < 1e-4
)
-- A degenerate vertex: the value still has its derivative.
test "a linear program with several solutions" within 1e-9 =
  grad(\c => linprog(c, [[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0], 50).value)([-1.0, -2.0]) == [0.0, 1.0]
test "linprog gradient" gradient (c: [2]f64, a: [2][2]f64, b: [2]f64) =
  let s = linprog(
    [-1.0, -2.0] + 0.2 * tanh(c),
    [[1.0, 1.0], [1.0, 3.0]] + 0.1 * tanh(a),
    [4.0, 6.0] + 0.5 * tanh(b),
    50
  )
  in (s.x, s.value, s.marginals)
test "large steps gradient" gradient (x: [2]f64, g: [2]f64) =
  let (x, g) = (x + [2.0, -3.0], g + [2.0, -3.0])
  in (
    lamb_step(adam_init(x), x, g, 0.1, 0.01).0,
    nesterov_step(x, [1.0, 2.0], g, 0.1, 0.9),
    lamb_step(adam_init([0.0, 0.0]), [0.0, 0.0], g, 0.1, 0.0).0
  )
