-- E22: the gradient has the structure of the argument; integers and booleans have no gradient.
def f(p: ((f64, f64), f64)) -> f64 = p.0.0 * p.0.1 + sin(p.1)
def g(p: { a: f64, b: (f64, [n]f64) }) -> f64 = p.a * p.b.0 * sum(p.b.1)
def h(p: { x: f64, k: i64 }) -> f64 = p.x ** p.k

-- > grad(f)(((7.0, 3.0), 0.0))
-- ((3.0, 7.0), 1.0)
-- > grad(g)({ a = 2.0, b = (3.0, [1.0, 4.0]) })
-- {a = 15.0, b = (10.0, [6.0, 6.0])}
-- > grad(h)({ x = 3.0, k = 2 }).x
-- 6.0
-- check-grad: f at ((7.0, 3.0), 0.5)
-- check-grad: g at { a = 2.0, b = (3.0, [1.0, 4.0]) }
