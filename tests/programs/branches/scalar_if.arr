-- The branch not taken has an infinite or undefined derivative at the point: it adds exactly zero, in both modes.
def root(x: f64) -> f64 = if x > 0.0 then sqrt(x) else 0.0
def logarithm(x: f64) -> f64 = if x > 0.0 then x * log(x) else 0.0
def reciprocal(x: f64) -> f64 = if x != 0.0 then 1.0 / x else 7.0 * x
def power(x: f64) -> f64 = if x > 0.0 then x ** 0.5 else x
def sinc(x: f64) -> f64 = if x == 0.0 then 1.0 else sin(x) / x
def arc(x: f64) -> f64 = if x < 1.0 then asin(x) else 2.0 * x
def gamma(x: f64) -> f64 = if x > 0.0 then lgamma(x) else 3.0 * x
def one_minus(x: f64) -> f64 = if x > -1.0 then log1p(x) else x * x
def angle(x: f64, y: f64) -> f64 = if x == 0.0 and y == 0.0 then 0.0 else atan2(y, x)
def overflow(x: f64) -> f64 = if x < 1.0 then exp(x) else log(exp(800.0 * x) - exp(800.0 * x))
def length(x: [n]f64) -> f64 = let s = sum(x * x) in if s == 0.0 then 0.0 else sqrt(s)

-- > (grad(root)(0.0), jvp(root, 0.0, 1.0), grad(root)(4.0))
-- (0.0, (0.0, 0.0), 0.25)
-- > (grad(logarithm)(0.0), jvp(logarithm, 0.0, 1.0), grad(logarithm)(1.0))
-- (0.0, (0.0, 0.0), 1.0)
-- > (grad(reciprocal)(0.0), jvp(reciprocal, 0.0, 1.0), grad(reciprocal)(2.0))
-- (7.0, (0.0, 7.0), -0.25)
-- > (grad(power)(0.0), jvp(power, 0.0, 1.0), grad(power)(4.0))
-- (1.0, (0.0, 1.0), 0.25)
-- > (grad(sinc)(0.0), jvp(sinc, 0.0, 1.0))
-- (0.0, (1.0, 0.0))
-- > (grad(arc)(1.0), jvp(arc, 1.0, 1.0), grad(arc)(0.0))
-- (2.0, (2.0, 2.0), 1.0)
-- > (grad(gamma)(0.0), jvp(gamma, 0.0, 1.0), grad(gamma)(-2.0))
-- (3.0, (0.0, 3.0), 3.0)
-- > (grad(one_minus)(-1.0), jvp(one_minus, -1.0, 1.0), grad(one_minus)(0.0))
-- (-2.0, (1.0, -2.0), 1.0)
-- > grad(\((x, y)) => angle(x, y))((0.0, 0.0))
-- (0.0, 0.0)
-- > jvp(\((x, y)) => angle(x, y), (0.0, 0.0), (1.0, 1.0))
-- (0.0, 0.0)
-- > (grad(overflow)(0.0), jvp(overflow, 0.0, 2.0))
-- (1.0, (1.0, 2.0))
-- > (grad(length)([0.0, 0.0]), jvp(length, [0.0, 0.0], [1.0, 1.0]), grad(length)([3.0, 4.0]))
-- ([0.0, 0.0], (0.0, 0.0), [0.6, 0.8])
