-- Declared derivatives and checkpoints.

import linalg

def logsumexp(x: [n]f64) -> f64 = let m = maximum(x) in m + log(sum(exp(x - m)))
derivative logsumexp(x, y, dy) = dy * exp(x - y)

-- Two steps after it is as near as `f32` can be.
def step(a: f64, x: f64) -> f64 = 0.5 * (x + a / x)
def root(a: f64) -> f64 = step(a, step(a, loop x = a while abs(x * x - a) > 1e-6 * a do step(a, x)))
derivative root(a, y, dy) = 0.5 * dy / y

-- Ten times too large, so that it shows where it is used.
def clipped(x: f64, k: i64) -> f64 = min(x, f64(k))
derivative clipped(x, k, y, dy) = (10.0 * dy, ())

def scale = [2.0, 3.0]
def weighted[t: float](p: { a: t, b: [n]t, c: i64 }, q: (t, bool)) -> (t, [n]t) =
  (p.a * q.0, p.b * q.0)
derivative weighted(p: { a: t, b: [n]t, c: i64 }, q, y: (t, [n]t), dy) =
  let da = 10.0 * dy.0 * q.0
  in ({ a = da, b = dy.1 * q.0 }, (dy.0 * p.a + dy.1 @ p.b, ()))
def scaled(x: [n]f64) -> [n]f64 = for i < n => x[i] * scale[i % 2]
derivative scaled(x, y, dy) = for i < n => dy[i] * scale[i % 2]

-- Each uses the other in its derivative.
def sine(x: f64) -> f64 = sin(x)
derivative sine(x, y, dy) = dy * cosine(x)
def cosine(x: f64) -> f64 = cos(x)
derivative cosine(x, y, dy) = -dy * sine(x)

def loss(x: [n]f64) -> f64 = logsumexp(scaled(x)) + sum(map(root, x))
-- Calls that stay calls where the gradient is printed: in a loop, in a branch, of a module, with a tuple and a record.
type Kept[n] = { a: [n][n]f64, b: f64 }
def kept(x: [n]f64, m: Kept[n]) -> f64 =
  let y = linalg.solve(m.a, x)
  let (s, v) = weighted({ a = m.b, b = y, c = 1 }, (x[0], true))
  let t = loop t = s for i < n do t + sine(v[i] * t)
  in if t > 0.0 then t * root(t) + logsumexp(v) else t
def chained(x: f64, n: i64) -> f64 =
  loop s = x for i < n do checkpoint(\t => sin(t * x) + f64(i))(s)
def plain(x: f64, n: i64) -> f64 = loop s = x for i < n do sin(s * x) + f64(i)
def captured(x: [n]f64, w: f64) -> f64 = sum(checkpoint(\v => exp(w * v) * scale[0] + x[0])(x))
def elements(x: [n]f64) -> [n]f64 = for i => checkpoint(\t => t * t * x[0])(x[i])
def in_while(x: f64) -> f64 = loop s = x while s < 10.0 do checkpoint(\t => t * t + 0.5 * x)(s)

-- > grad(logsumexp)([1.0, 2.0])[0] == exp(1.0 - logsumexp([1.0, 2.0]))
-- true
-- > grad(clipped)(3.0, 2)
-- 10.0
-- > jvp(\x => clipped(x, 2), 3.0, 1.0)
-- (2.0, 0.0)
-- > let (y, pull) = vjp(\p => weighted(p, (2.0, true)), { a = 1.0, b = [3.0], c = 2 }) in pull((1.0, [1.0]))
-- {a = 20.0, b = [2.0]}
-- > let (y, pull) = vjp(\q => weighted({ a = 1.0f32, b = [3.0f32], c = 2 }, (q, true)), 2.0f32) in pull((1.0, [1.0]))
-- 4.0
-- > grad(sine)(0.5) == cos(0.5)
-- true
-- > grad(grad(grad(grad(sine))))(0.5) == sin(0.5)
-- true
-- > round(1e6 * grad(root)(4.0))
-- 250000.0
-- > round(1e6 * grad(grad(root))(4.0))
-- -31250.0
-- > grad(chained)(0.5, 3) == grad(plain)(0.5, 3)
-- true
-- > round(1e9 * grad(grad(chained))(0.5, 3)) == round(1e9 * grad(grad(plain))(0.5, 3))
-- true
-- > jacrev(elements)([2.0, 3.0])
-- [[12.0, 0.0], [9.0, 12.0]]
-- > jacfwd(elements)([2.0, 3.0])
-- [[12.0, 0.0], [9.0, 12.0]]
-- > hessian(\x => sum(elements(x)))([2.0, 3.0])
-- [[12.0, 6.0], [6.0, 4.0]]
-- check-grad: loss at [1.5, 2.0, 0.5]
-- check-grad: root at 3.0
-- check-grad: \((x, w)) => captured(x, w) at ([1.0, 0.5], 0.3)
-- check-grad: in_while at 1.5
-- check-grad: sine at 0.3

-- The value of a function with a declared derivative, in second derivatives: reverse over reverse uses the declared
-- derivative again; forward mode derives its own, of the body and of the rule.
-- > grad(grad(\x => clipped(x, 2) ** 2))(3.0)
-- 200.0
-- > jvp(grad(\x => clipped(x, 2) ** 2), 3.0, 1.0)
-- (40.0, 0.0)
-- > jvp(grad(\x => clipped(x, 2) ** 2), 1.0, 1.0)
-- (20.0, 20.0)
-- > grad(\x => jvp(\y => clipped(y, 2) ** 2, x, 1.0).1)(3.0)
-- 0.0
-- > grad(\x => jvp(\y => clipped(y, 2) ** 2, x, 1.0).1)(1.0)
-- 2.0
-- > hessian(\x => sum(map(\e => clipped(e, 2) ** 2, x)))([3.0, 1.0])
-- [[0.0, 0.0], [0.0, 20.0]]
-- > jacrev(grad(\x => sum(map(\e => clipped(e, 2) ** 2, x))))([3.0, 1.0])
-- [[200.0, 0.0], [0.0, 200.0]]
-- > grad(grad(grad(\x => clipped(x, 2) ** 3)))(3.0)
-- 6000.0
-- > round(1e6 * grad(grad(\x => root(x) ** 3))(4.0))
-- 375000.0
-- > round(1e6 * grad(\x => loop s = x for i < 2 do root(s))(16.0))
-- 31250.0
-- > round(1e9 * grad(grad(\x => loop s = x for i < 2 do root(s)))(16.0))
-- -1464844.0
