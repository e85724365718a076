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

-- ---- Events

--| The end of an integration that an event may stop: the state, the time that was reached, whether that is an event,
--| how many steps were taken and rejected, and whether an event or the last time was reached.
type Event[n, t: float] =
  { y: [n]t, at: t, found: bool, steps: i64, rejected: i64, finished: bool }

--| The first time and state at which `g(t, y)` changes its sign, by the method of `dopri5`, or those at `to` where
--| there is none. With a `direction` of 1 only a rise of `g` from below 0 counts, with -1 only a fall, with 0 either.
--| A zero at the start does not count, so that one integration can begin where another ended. `g` is compared at the
--| ends of steps: two changes within one step are missed. The time is found along the continuous extension, and made
--| that of a step which ends at the event, by Newton's method. Its derivatives are those of the implicit function,
--| the second ones too; where `g` touches 0 without slope they do not exist, and are those of a step of fixed length.
--| Hairer, Nørsett and Wanner, section II.6.
--| > odeint_event(\(t, y) => [y[1], -10.0], \(t, y) => y[0], [0.0, 5.0], 0.0, 9.0, 0, 1e-8, 1e-8, 100).at
--| . -- within 1e-12
--| 1.0
--| > odeint_event(\(t, y) => [1.0], \(t, y) => y[0], [1.0], 0.0, 9.0, 0, 1e-8, 1e-8, 100).found
--| false
def odeint_event[t: float](
  f: (t, [n]t) -> [n]t,
  g: (t, [n]t) -> t,
  y: [n]t,
  from: t,
  to: t,
  direction: i64,
  relative: t,
  absolute: t,
  most: i64
) -> Event[n, t] =
  let k = f(from, y)
  let h = _first_step(f, from, to, y, k, relative, absolute)
  let start = {
    at = from,
    y = y,
    k = k,
    h = h,
    sign = stop_gradient(g(from, y)),
    steps = 0,
    rejected = 0,
    stuck = false,
    found = false
  }
  let end = loop s = start
      while s.at != to and not s.stuck and not s.found and s.steps + s.rejected < most do
    let (h, last) = _last_step(s.h, s.at, to)
    let step = _step(f, s.at, s.y, s.k, h)
    let error = _error(step, s.y, h, relative, absolute)
    let next = stop_gradient(h) * _factor(error)
    let at = if last then to else s.at + h
    let sign = stop_gradient(g(at, step.y))
    let rises = s.sign < 0 and sign >= 0 and direction >= 0
    let falls = s.sign > 0 and sign <= 0 and direction <= 0
    in if not (error <= 1) then
         { s with h = next, rejected = s.rejected + 1, stuck = s.at + next == s.at }
       else if rises or falls then { s with h = h, found = true }
       else { s with at = at, y = step.y, k = step.k7, h = next, sign = sign, steps = s.steps + 1 }
  let h = if end.found then _event_step(f, g, end.at, end.y, end.k, end.h, end.sign) else 0
  let y = if end.found then _step(f, end.at, end.y, end.k, h).y else end.y
  in {
    y = y,
    at = end.at + h,
    found = end.found,
    steps = if end.found then end.steps + 1 else end.steps,
    rejected = end.rejected,
    finished = end.found or end.at == to
  }

-- The length of the step that ends where `g`, of this sign before, changes it: by bisection along the continuous
-- extension, then by two steps of Newton's method with one slope, which give the first and second derivatives.
def _event_step[t: float](
  f: (t, [n]t) -> [n]t,
  g: (t, [n]t) -> t,
  at: t,
  y: [n]t,
  k: [n]t,
  h: t,
  sign: t
) -> t =
  let (at0, y0, k0, h0) =
    (stop_gradient(at), stop_gradient(y), stop_gradient(k), stop_gradient(h))
  let parts = _parts(_step(f, at0, y0, k0, h0), y0, k0, h0)
  let (_, share) = loop (low, high): (t, t) = (0, 1) for i < 50 do
    let middle = 0.5 * (low + high)
    let before = sign * g(at0 + middle * h0, _inside(y0, parts, middle)) > 0
    in if before then (middle, high) else (low, middle)
  let length = stop_gradient(share) * h0
  let (_, slope) = jvp(\h => g(at0 + h, _step(f, at0, y0, k0, h).y), length, 1)
  let slope = stop_gradient(slope)
  in loop length = length for i < 2 do
    let change = g(at + length, _step(f, at, y, k, length).y) / slope
    in if abs(change) <= 0.1 * abs(h0) then length - change else length

-- ---- Stiff systems

--| The state at `to` of a stiff system, in which some parts decay much faster than the solution changes, by the
--| implicit method Radau IIA of order 5. It is stable for steps of any length, where those of `dopri5` are as short
--| as the fastest decay. Other arguments and the result are as for `dopri5`. The derivative of `f` is taken by
--| forward mode. The estimate of the error is of order 3, so that results are mostly more exact than demanded. The
--| three stages are solved for at once: about `20 n^3` for a step.
--|
--| The equations of the stages are solved by a simplified Newton method, then by two steps of Newton's method with
--| one matrix, through which derivatives go: those of the implicit function, and those of second order too. A step
--| whose equations are not solved after 10 iterations is halved, and counts as rejected. Hairer and Wanner, Solving
--| Ordinary Differential Equations II, 2nd edition, sections IV.5 and IV.8.
--| > radau(\(t, y) => 1e6 * (cos(t) - y), [0.0], 0.0, 1.0, 1e-8, 1e-8, 1000).y  -- within 1e-6
--| [0.5403031473385843]
--| > radau(\(t, y) => 1e6 * (cos(t) - y), [0.0], 0.0, 1.0, 1e-6, 1e-6, 1000).steps < 100
--| true
def radau[t: float](
  f: (t, [n]t) -> [n]t,
  y: [n]t,
  from: t,
  to: t,
  relative: t,
  absolute: t,
  most: i64
) -> Solution[n, t] =
  let h = _first_step(f, from, to, y, f(from, y), relative, absolute)
  let start = { at = from, y = y, h = h, steps = 0, rejected = 0, stuck = false }
  let end = _radau_to(f, start, to, relative, absolute, most)
  in {
    y = end.y,
    at = end.at,
    steps = end.steps,
    rejected = end.rejected,
    finished = end.at == to
  }

--| The states at the times `ts`, of which `y` is the first, of a stiff system: the method of `radau`, in steps that
--| end at these times. They may go forwards and backwards. States that were not reached after `most` steps in all are
--| NaN.
--| > radau_path(\(t, y) => 1e6 * (cos(t) - y), [1.0], [0.0, 0.5, 1.0], 1e-8, 1e-8, 1000)  -- within 1e-6
--| [[1.0], [0.8775830413150338], [0.5403031473385843]]
def radau_path[t: float](
  f: (t, [n]t) -> [n]t,
  y: [n]t,
  ts: [m]t,
  relative: t,
  absolute: t,
  most: i64
) -> [m][n]t =
  if m == 0 then zeros(m, n)
  else
    let (from, to) = (ts[0], ts[min(1, m - 1)])
    let h = _first_step(f, from, to, y, f(from, y), relative, absolute)
    let start = { at = from, y = y, h = h, steps = 0, rejected = 0, stuck = false }
    let path = for i < m, j < n => if i == 0 then y[j] else t(0) / t(0)
    let (_, path) = loop (s, path): (_Stiff[n, t], [m][n]t) = (start, path) for i < m - 1 do
      let s = _radau_to(f, s, ts[i + 1], relative, absolute, most)
      let row = for v in s.y => if s.at == ts[i + 1] then v else t(0) / t(0)
      in (s, path with [i + 1] = row)
    in path

-- How far an integration of a stiff system has come, and how long its next step is.
type _Stiff[n, t: float] =
  { at: t, y: [n]t, h: t, steps: i64, rejected: i64, stuck: bool }

def _radau_to[t: float](
  f: (t, [n]t) -> [n]t,
  s: _Stiff[n, t],
  to: t,
  relative: t,
  absolute: t,
  most: i64
) -> _Stiff[n, t] =
  let way: t = if to < s.at then -1 else 1
  let start = { s with h = way * stop_gradient(abs(s.h)) }
  in loop s = start while s.at != to and not s.stuck and s.steps + s.rejected < most do
    let (h, last) = _last_step(s.h, s.at, to)
    let (at, y, length) = (stop_gradient(s.at), stop_gradient(s.y), stop_gradient(h))
    let try = _stages(f, at, y, length, relative, absolute)
    let next = length * try.factor
    in if try.error <= 1 then {
         at = if last then to else s.at + h,
         y = s.y + _polished(f, s.at, s.y, h, try.z),
         h = if last and abs(next) < abs(s.h) then s.h else next,
         steps = s.steps + 1,
         rejected = s.rejected,
         stuck = false
       }
       else { s with h = next, rejected = s.rejected + 1, stuck = s.at + next == s.at }

-- The coefficients of Radau IIA of order 5: what each stage takes of the derivatives at all stages, and where the
-- stages are.
def _radau_a[t: float]() -> [3][3]t =
  let r = sqrt(t(6))
  in [
    [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (3 * r - 2) / 225],
    [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, -(2 + 3 * r) / 225],
    [(16 - r) / 36, (16 + r) / 36, 1.0 / 9.0]
  ]
def _radau_c[t: float]() -> [3]t = let r = sqrt(t(6)) in [(4 - r) / 10, (4 + r) / 10, 1]

-- What the equations of the stages lack to be solved, where `z` is how far the stages are from `y`.
def _radau_rest[t: float](
  f: (t, [n]t) -> [n]t,
  at: t,
  y: [n]t,
  h: t,
  z: [3][n]t
) -> [3*n]t =
  let c = _radau_c()
  let ks = for i => f(at + c[i] * h, y + z[i])
  in flatten(z - h * (_radau_a() @ ks))

-- The derivative of that with respect to `z`, where that of `f` is `j` at each stage.
def _radau_matrix[t: float](h: t, j: [3][n][n]t) -> [3*n][3*n]t =
  let a = _radau_a()
  let parts = for i < 3, p < n, k < 3, q < n => t(i == k and p == q) - h * a[i, k] * j[k, p, q]
  in reshape(parts, (3 * n, 3 * n))

-- The stages by the simplified Newton method, whose matrix is that of the first state, the error of the step over what
-- is allowed, infinite where the method does not converge, and by how much the next step is longer. The estimate of
-- the error is made once more, from a better state, where it is too large.
def _stages[t: float](
  f: (t, [n]t) -> [n]t,
  at: t,
  y: [n]t,
  h: t,
  relative: t,
  absolute: t
) -> { z: [3][n]t, error: t, factor: t } =
  let j = jacfwd(\v => f(at, v))(y)
  let lu = linalg.lu(_radau_matrix(h, for i < 3 => j))
  let scale = for i => absolute + relative * abs(y[i])
  let (z, _, _, tries, done) =
    loop (z, size, rate, tries, done): ([3][n]t, t, t, i64, bool) = (zeros(3, n), 0, 0, 0, false)
        while not done and tries < 10 and rate < 1 do
      let step = linalg.lu_solve(lu, -_radau_rest(f, at, y, h, z))
      let step = reshape(step, (3, n))
      let next = _size(flatten(for i => step[i] / scale))
      let rate = if tries == 0 then 0 else if is_finite(next) then next / size else 1
      let left = if tries == 0 then next else rate / (1 - rate) * next
      in (z + step, next, rate, tries + 1, rate < 1 and left <= 0.01)
  let gamma = 3 + t(3) ** (t(2) / t(3)) - t(3) ** (t(1) / t(3))
  let r = sqrt(t(6))
  let across = [-(13 + 7 * r) / 3, (7 * r - 13) / 3, -1.0 / 3.0] @ z
  let smooth = linalg.lu(linalg.identity(n) - h / gamma * j)
  let estimate = \v: [n]t => linalg.lu_solve(smooth, (h * f(at, v) + across) / gamma)
  let e = estimate(y)
  let over =
    \e => _size(for i => e[i] / (absolute + relative * max(abs(y[i]), abs(y[i] + z[2, i]))))
  let error = if over(e) <= 1 then over(e) else over(estimate(y + e))
  in if not done then { z = z, error = 1 / t(0), factor = 0.5 }
     else {
       z = z,
       error = error,
       factor =
         if is_finite(error) then max(0.2, min(8, 0.9 * max(error, 1e-8) ** t(-0.25))) else 0.2
     }

-- How far the end of a step is from its beginning, from stages that are nearly right.
def _polished[t: float](f: (t, [n]t) -> [n]t, at: t, y: [n]t, h: t, z: [3][n]t) -> [n]t =
  let (y0, at0, h0) = (stop_gradient(y), stop_gradient(at), stop_gradient(h))
  let c = _radau_c()
  let js = for i => jacfwd(\v => f(at0 + c[i] * h0, v))(y0 + z[i])
  let lu = linalg.lu(stop_gradient(_radau_matrix(h0, js)))
  let z = loop z = stop_gradient(z) for i < 2 do
    z - reshape(linalg.lu_solve(lu, _radau_rest(f, at, y, h, z)), (3, n))
  in z[2]

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
  abs(radau(\(t, y) => -1000.0 * (y - 1.0), [0.0f32], 0.0, 1.0, 1e-4, 1e-4, 100).y[0] - 1.0) < 1e-4,
  abs(
    odeint_event(\(t, y) => y, \(t, y) => y[0] - 2.0, [1.0f32], 0.0, 1.0, 0, 1e-5, 1e-5, 99).at
      - 0.6931472
  )
    < 1e-4,
  abs(dopri5(\(t, y) => -y, [1.0f32], 0.0, 1.0, 1e-4, 1e-4, 100).y[0] - 0.36787944) < 1e-3,
  abs(rk4(\(t, y) => -y, [1.0f32], 0.0, 1.0, 10)[0] - 0.36787944) < 1e-4
)
-- An oscillator whose limit cycle has fast and slow parts, and a reaction of three substances.
def _van_der_pol(p: f64, y: [2]f64) -> [2]f64 = [y[1], p * ((1.0 - y[0] * y[0]) * y[1] - y[0])]
def _robertson(_t: f64, y: [3]f64) -> [3]f64 =
  let (slow, back, fast) = (0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1])
  in [back - slow, slow - back - fast, fast]

-- The values are those of SciPy's `solve_ivp` with Radau and tolerances of 1e-12 and 1e-16.
test "a stiff reaction by radau" within 1e-9 =
  let s = radau(_robertson, [1.0, 0.0, 0.0], 0.0, 40.0, 1e-8, 1e-12, 1000)
  in (
    s.y[0] == 0.7158270687194137,
    1e5 * s.y[1] == 0.9185534764558203,
    s.y[2] == 0.2841637457458199,
    s.finished,
    s.steps + s.rejected < 250
  )
-- The first step is so long that the simplified Newton method fails.
test "a loose tolerance of radau" within 1e-3 =
  let s = radau(_robertson, [1.0, 0.0, 0.0], 0.0, 40.0, 1e-4, 1e-8, 1000)
  in (s.y[0] == 0.7158270687194137, s.steps + s.rejected < 40)
test "radau at its edges" = (
  radau(_oscillator, [1.0, 2.0], 3.0, 3.0, 1e-6, 1e-6, 10).y == [1.0, 2.0],
  radau(\(t, y) => y, zeros(0), 0.0, 1.0, 1e-6, 1e-6, 10).finished,
  radau(\(t, y) => y * y, [1.0], 0.0, 2.0, 1e-6, 1e-6, 500).finished == false,
  radau(\(t, y) => y, [1.0], 0.0, 1.0, 1e-6, 1e-6, 1).finished == false
)
test "stiff paths" within 1e-9 =
  let ys = radau_path(_robertson, [1.0, 0.0, 0.0], [0.0, 0.4, 40.0], 1e-8, 1e-12, 1000)
  let zs = radau_path(_oscillator, [1.0, 0.0], [0.0, 1.0, 0.0], 1e-10, 1e-10, 500)
  let ws = radau_path(\(t, y) => y * y, [1.0], [0.0, 0.5, 2.0, 3.0], 1e-9, 1e-9, 300)
  in (
    ys[0] == [1.0, 0.0, 0.0],
    ys[1, 0] == 0.9851721138609896,
    ys[2, 0] == 0.7158270687194137,
    zs == [[1.0, 0.0], [cos(1.0), -sin(1.0)], [1.0, 0.0]],
    abs(ws[1, 0] - 2.0) < 1e-7,
    is_nan(ws[2, 0]) and is_nan(ws[3, 0]),
    length(radau_path(_oscillator, [1.0, 2.0], zeros(0), 1e-6, 1e-6, 10)) == 0,
    radau_path(_oscillator, [1.0, 2.0], [3.0], 1e-6, 1e-6, 10) == [[1.0, 2.0]]
  )
test "radau gradient" gradient (y: [2]f64, p: f64, to: f64) =
  radau_path(
    \(t, y) => _van_der_pol(2.0 + tanh(p), y) + sin(t),
    tanh(y),
    [0.0, 0.2, 0.5 + 0.1 * tanh(to)],
    1e-8,
    1e-8,
    200
  )
-- The values are those of the variational equations, by SciPy's DOP853 with tolerances of 1e-12 and 1e-14.
test "second derivatives of radau" within 1e-5 =
  let end = \p => radau(\(t, y) => _van_der_pol(p, y), [2.0, 0.0], 0.0, 2.0, 1e-8, 1e-8, 1000).y[0]
  let (first, second) = jvp(grad(end), 10.0, 1.0)
  in (first == 0.04271658175057, 100.0 * second == -0.437192427614)
test "events" within 1e-9 =
  let crossing = \direction => odeint_event(
    _oscillator,
    \(t, y) => y[0],
    [1.0, 0.0],
    0.0,
    20.0,
    direction,
    1e-11,
    1e-11,
    1000
  )
  let (fall, rise) = (crossing(-1), crossing(1))
  in (
    fall.at == 1.5707963267948966,
    fall.y == [0.0, -1.0],
    crossing(0).at == fall.at,
    rise.at == 4.71238898038469,
    rise.found and rise.finished
  )
test "no events" within 1e-7 =
  let s = odeint_event(_oscillator, \(t, y) => 2.0 + y[0], [1.0, 0.0], 0.0, 2.0, 0, 1e-9, 1e-9, 200)
  in (
    s.y == [cos(2.0), -sin(2.0)],
    s.at == 2.0,
    s.finished and not s.found,
    odeint_event(_oscillator, \(t, y) => y[0], [1.0, 0.0], 0.0, 2.0, 0, 1e-9, 1e-9, 2).finished
      == false,
    odeint_event(\(t, y) => y, \(t, y) => t - 0.5, zeros(0), 0.0, 1.0, 0, 1e-9, 1e-9, 99).at == 0.5
  )
-- A stone thrown upwards at the speed `v` in the gravity `a` is back after `2 v / a`.
test "derivatives of events" within 1e-9 =
  let land = \((v, a)) =>
    odeint_event(
      \(t, y) => [y[1], -a],
      \(t, y) => y[0],
      [0.0, v],
      0.0,
      9.0,
      -1,
      1e-9,
      1e-9,
      100
    ).at
  let ((dv, da), (dva, daa)) = jvp(grad(land), (5.0, 10.0), (0.0, 1.0))
  in (dv == 0.2, da == -0.1, dva == -0.02, daa == 0.02)
test "event gradient" gradient (y: [2]f64, p: f64) =
  let f = \(t, y) => (2.0 + tanh(p)) * [y[1], -y[0]]
  let s = odeint_event(
    f,
    \(t, y) => y[0] - 0.1 * t,
    [1.0, 0.0] + 0.2 * tanh(y),
    0.0,
    5.0,
    -1,
    1e-9,
    1e-9,
    200
  )
  in (s.at, s.y)
