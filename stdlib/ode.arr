-- Ordinary differential equations `y' = f(t, y)`, with the state `y` in a vector.
--
-- All methods have derivatives with respect to the first state, the times, and whatever `f` reads from around it:
-- those of the steps that were taken. Lengths that were chosen, all but that of the last step, count as constants.
-- Long integrations keep less going backwards in `checkpoint(\y => rk4(f, y, from, to, steps))(y)`. Times may go
-- backwards too, `to` before `from`.

import linalg

-- ---- Fixed steps

--| The state at `to` by `steps` steps of Euler's method, of order 1.
--| > euler(\(t, y) => -y, [1.0], 0.0, 1.0, 2)
--| [0.25]
def euler[t: float](f: (t, [n]t) -> [n]t, y: [n]t, from: t, to: t, steps: i64) -> [n]t =
  let h = (to - from) / t(steps)
  in loop y = y for i < steps do y + h * f(from + t(i) * h, y)

--| The state at `to` by `steps` steps of the classical method of Runge and Kutta, of order 4.
--| > rk4(\(t, y) => -y, [1.0], 0.0, 1.0, 10)  -- within 1e-6
--| [0.36787944117144233]
def rk4[t: float](f: (t, [n]t) -> [n]t, y: [n]t, from: t, to: t, steps: i64) -> [n]t =
  let h = (to - from) / t(steps)
  in loop y = y for i < steps do _rk4_step(f, from + t(i) * h, y, h)

def _rk4_step[t: float](f: (t, [n]t) -> [n]t, at: t, y: [n]t, h: t) -> [n]t =
  let k1 = f(at, y)
  let k2 = f(at + 0.5 * h, y + 0.5 * h * k1)
  let k3 = f(at + 0.5 * h, y + 0.5 * h * k2)
  let k4 = f(at + h, y + h * k3)
  in y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

--| The states at the times `ts`, of which `y` is the first, with one step of Euler's method from each to the next.
--| > euler_path(\(t, y) => [2.0 * t], [0.0], [0.0, 1.0, 2.0])
--| [[0.0], [0.0], [2.0]]
def euler_path[t: float](f: (t, [n]t) -> [n]t, y: [n]t, ts: [m]t) -> [m][n]t =
  _path(\(at, y, h) => y + h * f(at, y), y, ts)

--| The states at the times `ts`, of which `y` is the first, with one step of `rk4` from each to the next.
--| > rk4_path(\(t, y) => [2.0 * t], [0.0], [0.0, 1.0, 2.0])
--| [[0.0], [1.0], [4.0]]
def rk4_path[t: float](f: (t, [n]t) -> [n]t, y: [n]t, ts: [m]t) -> [m][n]t =
  _path(\(at, y, h) => _rk4_step(f, at, y, h), y, ts)

def _path[t: float](step: (t, [n]t, t) -> [n]t, y: [n]t, ts: [m]t) -> [m][n]t =
  let (_, path) = loop (y, path): ([n]t, [m][n]t) = (y, for i < m => y) for i < m - 1 do
    let next = step(ts[i], y, ts[i + 1] - ts[i])
    in (next, path with [i + 1] = next)
  in path

--| Positions and velocities after `steps` steps of length `h` under an acceleration that depends on the position:
--| Störmer's method, of order 2, which keeps energies bounded over long times (the leapfrog, or velocity Verlet).
--| > leapfrog(\x => [-1.0], [0.0], [1.0], 0.5, 2)
--| ([0.5], [0.0])
def leapfrog[t: float](
  acceleration: [n]t -> [n]t,
  x: [n]t,
  v: [n]t,
  h: t,
  steps: i64
) -> ([n]t, [n]t) =
  loop (x, v) = (x, v) for i < steps do
    let half = v + 0.5 * h * acceleration(x)
    let x = x + h * half
    in (x, half + 0.5 * h * acceleration(x))

-- ---- Adaptive steps

--| The end of an adaptive integration: the state, the time that was reached, how many steps were taken and rejected,
--| and whether the end was reached.
type Solution[n, t: float] = { y: [n]t, at: t, steps: i64, rejected: i64, finished: bool }

--| The state at `to` by the method of Dormand and Prince, of order 5. The error of each step, estimated by one of
--| order 4, is at most `absolute + relative * |y|` for each element, in the root mean square. It ends unfinished
--| after `most` steps, taken or rejected, or when steps become too small to tell times apart. Hairer, Nørsett and
--| Wanner, Solving Ordinary Differential Equations I, 2nd edition, sections II.4 and II.5.
--| > dopri5(\(t, y) => -y, [1.0], 0.0, 1.0, 1e-8, 1e-8, 1000).y  -- within 1e-7
--| [0.36787944117144233]
def dopri5[t: float](
  f: (t, [n]t) -> [n]t,
  y: [n]t,
  from: t,
  to: t,
  relative: t,
  absolute: t,
  most: i64
) -> Solution[n, t] =
  let k = f(from, y)
  let h = _first_step(f, from, to, y, k, relative, absolute)
  let (at, y, _, _, steps, rejected, _) =
    loop (at, y, k, h, steps, rejected, stuck): (t, [n]t, [n]t, t, i64, i64, bool) = (
      from,
      y,
      k,
      h,
      0,
      0,
      false
    ) while at != to and not stuck and steps + rejected < most do
      let (h, last) = _last_step(h, at, to)
      let s = _step(f, at, y, k, h)
      let error = _error(s, y, h, relative, absolute)
      let next = stop_gradient(h) * _factor(error)
      in if error <= 1 then
           (if last then to else at + h, s.y, s.k7, next, steps + 1, rejected, false)
         else (at, y, k, next, steps, rejected + 1, at + next == at)
  in { y = y, at = at, steps = steps, rejected = rejected, finished = at == to }

--| The states at the times `ts`, of which `y` is the first, by the method of `dopri5` with its continuous extension
--| of order 4: the steps do not depend on the times between the first and the last. The times must ascend, or
--| descend: the state at a time out of order is NaN. So are states that were not reached after `most` steps.
--| > odeint(\(t, y) => -y, [1.0], [0.0, 0.5, 1.0], 1e-8, 1e-8, 1000)  -- within 1e-6
--| [[1.0], [0.6065306597126334], [0.36787944117144233]]
def odeint[t: float](
  f: (t, [n]t) -> [n]t,
  y: [n]t,
  ts: [m]t,
  relative: t,
  absolute: t,
  most: i64
) -> [m][n]t =
  if m == 0 then zeros(m, n)
  else
    let (from, to) = (ts[0], ts[m - 1])
    let k = f(from, y)
    let h = _first_step(f, from, to, y, k, relative, absolute)
    let path = for i < m, j < n => if i == 0 then y[j] else t(0) / t(0)
    let still: [4][n]t = zeros(4, n)
    let start = {
      at = from,
      y = y,
      k = k,
      h = h,
      from = from,
      length = t(1),
      first = y,
      parts = still,
      path = path,
      next = 1,
      tries = 0,
      stuck = false
    }
    let end = loop s = start while s.next < m and not s.stuck and s.tries < most do
      if (ts[s.next] - s.at) * (to - from) <= 0 then
        let row = _inside(s.first, s.parts, (ts[s.next] - s.from) / s.length)
        let known = _is_behind(s.from, ts[s.next], to - from)
        let row = for v in row => if known then v else t(0) / t(0)
        in { s with path = s.path with [s.next] = row, next = s.next + 1 }
      else
        let (h, last) = _last_step(s.h, s.at, to)
        let step = _step(f, s.at, s.y, s.k, h)
        let error = _error(step, s.y, h, relative, absolute)
        let next = stop_gradient(h) * _factor(error)
        in if error <= 1 then { s with
             at = if last then to else s.at + h,
             y = step.y,
             k = step.k7,
             h = next,
             from = s.at,
             length = h,
             first = s.y,
             parts = _parts(step, s.y, s.k, h),
             tries = s.tries + 1
           }
           else { s with h = next, tries = s.tries + 1, stuck = s.at + next == s.at }
    in end.path

-- Whether one time is not before another, on the way in a direction. Where there is no way, all times are one.
def _is_behind[t: float](early: t, late: t, direction: t) -> bool =
  if direction > 0 then late >= early else if direction < 0 then late <= early else late == early

-- A step of Dormand and Prince: the next state and its derivative, the difference to the method of order 4 over the
-- length, and what the continuous extension needs.
type _Step[n, t: float] = { y: [n]t, k7: [n]t, difference: [n]t, middle: [n]t }

def _step[t: float](f: (t, [n]t) -> [n]t, at: t, y: [n]t, k1: [n]t, h: t) -> _Step[n, t] =
  let k2 = f(at + 0.2 * h, y + h * (0.2 * k1))
  let k3 = f(at + 0.3 * h, y + h * (0.075 * k1 + 0.225 * k2))
  let k4 = f(
    at + 0.8 * h,
    y + h * (44.0 / 45.0 * k1 - 56.0 / 15.0 * k2 + 32.0 / 9.0 * k3)
  )
  let k5 = f(
    at + 8.0 / 9.0 * h,
    y
      + h * (19372.0 / 6561.0 * k1 - 25360.0 / 2187.0 * k2 + 64448.0 / 6561.0 * k3
         - 212.0 / 729.0 * k4)
  )
  let k6 = f(
    at + h,
    y
      + h * (9017.0 / 3168.0 * k1 - 355.0 / 33.0 * k2 + 46732.0 / 5247.0 * k3 + 49.0 / 176.0 * k4
         - 5103.0 / 18656.0 * k5)
  )
  let next =
    y
      + h * (35.0 / 384.0 * k1 + 500.0 / 1113.0 * k3 + 125.0 / 192.0 * k4
         - 2187.0 / 6784.0 * k5 + 11.0 / 84.0 * k6)
  let k7 = f(at + h, next)
  in {
    y = next,
    k7 = k7,
    difference =
      71.0 / 57600.0 * k1 - 71.0 / 16695.0 * k3 + 71.0 / 1920.0 * k4
        - 17253.0 / 339200.0 * k5 + 22.0 / 525.0 * k6 - 0.025 * k7,
    middle =
      -1.1270175653862835 * k1 + 2.675424484351598 * k3 - 5.685526961588504 * k4
        + 3.5219323679207912 * k5 - 1.7672812570757455 * k6 + 2.382468931778144 * k7
  }

-- The parts of the continuous extension, behind the first state.
def _parts[t: float](s: _Step[n, t], y: [n]t, k1: [n]t, h: t) -> [4][n]t =
  let whole = s.y - y
  let rise = h * k1 - whole
  in [whole, rise, whole - h * s.k7 - rise, h * s.middle]

-- The state at the share `x` of a step.
def _inside[t: float](y: [n]t, p: [4][n]t, x: t) -> [n]t =
  y + x * (p[0] + (1 - x) * (p[1] + x * (p[2] + (1 - x) * p[3])))

-- The error of a step over what is allowed. It decides about lengths of steps, which have no derivative.
def _error[t: float](s: _Step[n, t], y: [n]t, h: t, relative: t, absolute: t) -> t =
  let (y, next, difference) = (stop_gradient(y), stop_gradient(s.y), stop_gradient(s.difference))
  in abs(stop_gradient(h)) * _size(for i =>
    difference[i] / (absolute + relative * max(abs(y[i]), abs(next[i]))))

-- The root mean square.
def _size[t: float](x: [n]t) -> t = if n == 0 then 0 else linalg.norm(x) / sqrt(t(n))

-- By how much the next step is longer. An error that is no number makes it shorter.
def _factor[t: float](error: t) -> t =
  if error <= 1 then min(5, 0.9 * max(error, 1e-6) ** t(-0.2))
  else if is_finite(error) then max(0.2, 0.9 * error ** t(-0.2))
  else 0.2

-- A step that does not go past the end, and whether it reaches it.
def _last_step[t: float](h: t, at: t, to: t) -> (t, bool) =
  let rest = to - at
  in if abs(h) * 1.000001 >= abs(rest) then (rest, true) else (h, false)

-- A length for the first step: such that a step of Euler's method changes little.
def _first_step[t: float](
  f: (t, [n]t) -> [n]t,
  from: t,
  to: t,
  y: [n]t,
  k: [n]t,
  relative: t,
  absolute: t
) -> t =
  let (from, to, y, k) =
    (stop_gradient(from), stop_gradient(to), stop_gradient(y), stop_gradient(k))
  let scale = for i => absolute + relative * abs(y[i])
  let (d0, d1) = (_size(y / scale), _size(k / scale))
  let h0 = if d0 < 0.00001 or d1 < 0.00001 then 0.000001 else 0.01 * d0 / d1
  let way: t = if to < from then -1 else 1
  let d2 = _size((stop_gradient(f(from + way * h0, y + way * h0 * k)) - k) / scale) / h0
  let steep = max(d1, d2)
  let h1 = if steep <= 1e-15 then max(0.000001, 0.001 * h0) else (0.01 / steep) ** t(0.2)
  let h = min(100 * h0, h1)
  in way * min(if is_finite(h) then h else 0.000001, abs(to - from))

-- ---- Tests

def _lotka_volterra(p: [4]f64, y: [2]f64) -> [2]f64 =
  [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
def _oscillator(_t: f64, y: [2]f64) -> [2]f64 = [y[1], -y[0]]

test "a harmonic oscillator" within 1e-6 =
  let s = dopri5(_oscillator, [1.0, 0.0], 0.0, 10.0, 1e-9, 1e-9, 1000)
  in (s.y == [cos(10.0), -sin(10.0)], s.at == 10.0, s.finished, s.steps < 200, s.rejected < 20)
test "backwards in time" within 1e-6 = (
  dopri5(_oscillator, [cos(2.0), -sin(2.0)], 2.0, 0.0, 1e-9, 1e-9, 1000).y == [1.0, 0.0],
  odeint(_oscillator, [1.0, 0.0], [2.0, 1.0], 1e-9, 1e-9, 1000)[1] == [cos(1.0), sin(1.0)],
  rk4(_oscillator, [1.0, 0.0], 1.0, 0.0, 50) == [cos(1.0), sin(1.0)]
)
-- The values are those of SciPy's `solve_ivp` with DOP853 and tolerances of 1e-13.
test "Lotka and Volterra" within 1e-6 =
  let f = \(t: f64, y: [2]f64) => _lotka_volterra([1.5, 1.0, 1.0, 3.0], y)
  in odeint(f, [10.0, 5.0], [0.0, 1.0, 5.0, 10.0], 1e-10, 1e-10, 2000)
    == [
      [10.0, 5.0],
      [0.21853893223229867, 1.3765927010134467],
      [0.264186772118661, 3.134133161070135],
      [0.2872129642021143, 0.44977746350621006]
    ]
test "orders" =
  let error = \n: i64 => abs(rk4(_oscillator, [1.0, 0.0], 0.0, 1.0, n)[0] - cos(1.0))
  let slow = \n: i64 => abs(euler(_oscillator, [1.0, 0.0], 0.0, 1.0, n)[0] - cos(1.0))
  in (error(10) / error(20) > 14.0, slow(50) / slow(100) > 1.9, slow(50) / slow(100) < 2.1)
test "the continuous extension is of order 4" within 1e-9 =
  let ts = for i < 11 => 0.2 * f64(i)
  let ys = odeint(_oscillator, [0.0, 1.0], ts, 1e-11, 1e-11, 1000)
  in (for i < 11 => ys[i, 0]) == sin(ts)
test "energy stays" within 1e-2 =
  let (x, v) = leapfrog(\x => -x, [1.0], [0.0], 0.1, 1000)
  in x @ x + v @ v == 1.0
test "what has no end" = (
  dopri5(\(t, y) => y * y, [1.0], 0.0, 2.0, 1e-6, 1e-6, 500).finished == false,
  dopri5(\(t, y) => y, [1.0], 0.0, 1.0, 1e-6, 1e-6, 1).finished == false,
  is_nan(odeint(\(t, y) => y * y, [1.0], [0.0, 2.0], 1e-6, 1e-6, 200)[1, 0])
)
test "what has no beginning" = (
  dopri5(_oscillator, [1.0, 2.0], 3.0, 3.0, 1e-6, 1e-6, 10).y == [1.0, 2.0],
  dopri5(\(t, y) => y, zeros(0), 0.0, 1.0, 1e-6, 1e-6, 10).finished,
  odeint(_oscillator, [1.0, 2.0], [3.0, 3.0], 1e-6, 1e-6, 10) == [[1.0, 2.0], [1.0, 2.0]],
  length(odeint(_oscillator, [1.0, 2.0], zeros(0), 1e-6, 1e-6, 10)) == 0
)
test "fixed steps" gradient (y: [2]f64, p: f64) = (
  rk4(\(t, y) => p * tanh(y) + t, y, 0.0, 1.0, 3),
  euler(\(t, y) => p * tanh(y) + t, y, 0.0, 1.0, 3),
  rk4_path(\(t, y) => p * tanh(y), y, [0.0, 0.1, 0.3]),
  leapfrog(\x => -p * x, y, y, 0.1, 3)
)
test "adaptive steps" gradient (y: [2]f64, p: [4]f64) =
  dopri5(
    \(t, y) => _lotka_volterra(1.0 + 0.5 * tanh(p), y),
    1.0 + 0.5 * tanh(y),
    0.0,
    1.0,
    1e-9,
    1e-9,
    200
  ).y
test "dense output" gradient (y: [2]f64, p: f64) =
  odeint(\(t, y) => tanh(p) * [y[1], -y[0]], y, [0.0, 0.3, 1.0], 1e-9, 1e-9, 200)
-- The derivative of y(1) = y0 exp(p) with respect to p and y0.
test "the derivative of an exponential" within 1e-7 =
  let end = \(y, p) => dopri5(\(t, y) => p * y, [y], 0.0, 1.0, 1e-10, 1e-10, 500).y[0]
  in (grad(end)(2.0, 0.5) == exp(0.5), grad(\p => end(2.0, p))(0.5) == 2.0 * exp(0.5))
-- The solution of y' = t is y0 + (to^2 - from^2) / 2, and that of y' = y is y0 exp(to - from).
test "the derivative with respect to times" within 1e-6 =
  let square = \((from, to)) => dopri5(\(t, y) => [t], [1.0], from, to, 1e-8, 1e-8, 500).y[0]
  let power = \((from, to)) => dopri5(\(t, y) => y, [1.0], from, to, 1e-9, 1e-9, 500).y[0]
  let dense = \x => odeint(\(t, y) => y, [1.0], [0.0, x, 3.0], 1e-10, 1e-10, 500)[1, 0]
  let (a, b) = grad(square)((1.0, 3.0))
  let (c, d) = grad(power)((0.0, 1.0))
  in (a == -1.0, b == 3.0, c == -exp(1.0), d == exp(1.0), grad(dense)(1.0) == exp(1.0))
test "single precision" = (
  abs(dopri5(\(t, y) => -y, [1.0f32], 0.0, 1.0, 1e-4, 1e-4, 100).y[0] - 0.36787944) < 1e-3,
  abs(rk4(\(t, y) => -y, [1.0f32], 0.0, 1.0, 10)[0] - 0.36787944) < 1e-4
)
