-- E5: a linear function is its own derivative.
def f(x: f64, y: f64) -> f64 = 2.0 * x + 5.0 * y

-- > grad(\((x, y)) => f(x, y))((-1.0, 8.0))
-- (2.0, 5.0)
-- > jvp(\((x, y)) => f(x, y), (-1.0, 8.0), (10.0, 100.0))
-- (38.0, 520.0)
-- check-grad: \((x, y)) => f(x, y) at (-1.0, 8.0)
