-- Loops that carry scalars, arrays, tuples and records.
def newton(a: f64) -> f64 = loop x = a for i < 30 do 0.5 * (x + a / x)
def sieve(n: i64) -> [n]bool =
  loop prime = (for i < n => i > 1) for p < n do
    if p > 1 and prime[p] then (for k < n => prime[k] and (k == p or k % p != 0)) else prime
def prefix(x: [n]f64) -> [n]f64 =
  let (s, out) = loop (s, out) = (0.0, x) for i < n do (s + x[i], out with [i] = s + x[i])
  in out
def descend(start: { x: f64, y: f64 }, steps: i64) -> { x: f64, y: f64 } =
  loop p = start for i < steps do
    let g = grad(\q => (q.x - 1.0) ** 2 + 10.0 * (q.y + 2.0) ** 2)(p)
    in { x = p.x - 0.05 * g.x, y = p.y - 0.05 * g.y }
def nested(n: i64) -> i64 = loop s = 0 for i < n do loop t = s for j < i do t + i * j
def none(x: f64) -> f64 = loop y = x for i < 0 do y / 0.0

-- > newton(2.0)
-- 1.414213562373095
-- > sieve(12)
-- [false, false, true, true, false, true, false, true, false, false, false, true]
-- > prefix([1.0, 2.0, 3.0])
-- [1.0, 3.0, 6.0]
-- > descend({ x = 0.0, y = 0.0 }, 200)
-- {x = 0.9999999992944922, y = -2.0}
-- > nested(5)
-- 35
-- > none(3.0)
-- 3.0
-- > grad(newton)(2.0)
-- 0.35355339059327373
-- check-grad: prefix at [1.0, 2.0, 3.0]
-- check-grad: newton at 3.0

-- States that an iteration updates in place in a branch, or keeps; several of them, with rows, and branches in branches.
def chosen_places(x: [n]f64) -> f64 =
  let (a, b, k) = loop (a, b, k) = (x, zeros(n, 2), 0) for i < n do
    if x[i] > 0.0 then
      let c = if x[i] > 1.0 then a with [(k * 5 + 1) % n] = a[i] * x[k] else a with [k] = sin(a[i])
      in (c, b with [k] = [c[i], x[i] * b[k, 1]] with [i, 1] = c[k] * c[k], k + 1)
    else (a with [n - 1 - i] = a[k] * a[i], b, k)
  in sum(a) + sum(flatten(b * b)) + f64(k)
def kept_or_cleared(x: [n]f64) -> f64 =
  let (a, b) = loop (a, b) = (x, x * x) for i < n - 1 do
    if x[i] > 0.5 then (a with [i + 1] = a[i] * b[i], b) else (b, a with [i] = a[i + 1])
  in sum(a * b)
def while_chosen(x: [n]f64) -> f64 =
  let (a, i) = loop (a, i) = (x, 0) while i < n - 1 do
    (if a[i] > 0.3 then a with [i + 1] = a[i] * a[i + 1] with [i] = sin(a[i]) else a, i + 1)
  in sum(a * a)

-- check-grad: chosen_places at [0.5, -0.3, 1.2, 0.8, -0.1, 1.5, 0.9]
-- check-grad: kept_or_cleared at [0.6, 0.4, 0.7, 0.9, 0.2]
-- check-grad: while_chosen at [0.6, 0.8, 0.1, 0.9, 0.2]
-- check-grad: \x => sum(grad(chosen_places)(x) * x) at [0.5, -0.3, 1.2, 0.8, -0.1, 1.5, 0.9]
-- check-grad: \x => sum(grad(while_chosen)(x) * x) at [0.6, 0.8, 0.1, 0.9, 0.2]
