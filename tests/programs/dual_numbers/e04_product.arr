-- E4: the derivative of a product: y * dx + x * dy.
def f(x: f64, y: f64) -> f64 = x * y

-- > jvp(\((x, y)) => f(x, y), (3.0, 4.0), (0.5, 0.25))
-- (12.0, 2.75)
-- > grad(\((x, y)) => f(x, y))((3.0, 4.0))
-- (4.0, 3.0)
-- > grad(f)(3.0, 4.0)
-- 4.0
-- check-grad: \((x, y)) => f(x, y) at (3.0, 4.0)
