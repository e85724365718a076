-- E24: rounding has derivative zero, and no derivative flows through an integer.
def f(x: f64) -> f64 = x * f64(i64(round(x)))
def g(x: f64) -> f64 = x * round(x)
def h(a: [n]f64, x: f64) -> f64 = a[i64(x)]

-- > value_and_grad(f)(2.6)
-- (7.800000000000001, 3.0)
-- > grad(g)(2.6)
-- 3.0
-- > grad(\x => h([5.0, 6.0, 7.0], x))(1.5)
-- 0.0
-- > grad(\a => h(a, 1.5))([5.0, 6.0, 7.0])
-- [0.0, 1.0, 0.0]
-- check-grad: f at 2.6
