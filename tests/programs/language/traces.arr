-- Traces change no value, in whatever way a program runs.

def squares(x: [n]f64) -> [n]f64 = for i => trace("square", x[i] ** 2)
def rows(x: [n][m]f64) -> [n]f64 =
  for row in x => sum(trace("row", for a in row => trace("a", 2.0 * a)))
def positive(x: [n]f64) -> [n]f64 =
  for a in x => if a > 0.0 then trace("positive", sqrt(a)) else trace("other", 0.0)
def doubled(x: f64) -> f64 = loop y = x while y < 10.0 do trace_grad("dy", trace("y", 2.0 * y))
def cascade(x: [n]f64) -> [n]f64 = for i => loop y = x[i] for k < i do trace("y", 2.0 * y)
def pairs(p: { w: f64, b: [n]f64 }) -> f64 =
  let q = trace("p", trace_grad("dp", p)) in q.w * sum(q.b)
def energy(x: [n]f64) -> f64 = trace("energy", sum(squares(trace_grad("dx", x))))
def kept(x: [n]f64) -> f64 = sum(checkpoint(\u => trace("u", trace_grad("du", u) ** 2))(x))
def counted(x: [n]i64) -> (i64, bool) = trace("counted", (sum(x), any(for a in x => a > 2)))

-- > squares([1.0, 2.0, 3.0])
-- [1.0, 4.0, 9.0]
-- > rows([[1.0, 2.0], [3.0, 4.0]])
-- [6.0, 14.0]
-- > positive([4.0, -1.0, 9.0])
-- [2.0, 0.0, 3.0]
-- > doubled(3.0)
-- 12.0
-- > grad(doubled)(3.0)
-- 4.0
-- > cascade([1.0, 1.0, 1.0])
-- [1.0, 2.0, 4.0]
-- > grad(pairs)({ w = 2.0, b = [1.0, 2.0] })
-- {w = 3.0, b = [2.0, 2.0]}
-- > energy([1.0, 2.0])
-- 5.0
-- > grad(energy)([1.0, 2.0])
-- [2.0, 4.0]
-- > grad(\x => sum(grad(energy)(x)))([1.0, 2.0])
-- [2.0, 2.0]
-- > jvp(energy, [1.0, 2.0], [1.0, 1.0])
-- (5.0, 6.0)
-- > grad(kept)([1.0, 2.0])
-- [2.0, 4.0]
-- > counted([1, 2, 3])
-- (6, true)

-- check-grad: energy at [1.0, 2.0]
-- check-grad: kept at [1.0, 2.0]
-- check-grad: cascade at [1.0, 1.5, 2.0]
