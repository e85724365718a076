-- E18: a value used twice is computed once (the cost tests count it), and its cotangents are added.
def expensive(x: [n]f64) -> f64 = sum(sin(x) * exp(x))
def f(x: [n]f64) -> f64 = let e = expensive(x) in e * e + cos(e)

-- > f([0.5, 1.0])
-- 8.474852606703507
-- > grad(f)([0.5, 1.0]) / grad(expensive)([0.5, 1.0])
-- [6.091833727632063, 6.091833727632063]
-- check-grad: f at [0.5, 1.0, -0.3]
