-- E2: one program with sharing at two levels; its derivative is exp(x) + 1 / cos(x)^2.
def f(x: f64) -> f64 =
  let y = exp(x)
  let z = log(y)
  in y + sin(z) / cos(z)

-- > value_and_grad(f)(0.5)
-- (2.1950237605, 2.9471676811)
-- > grad(f)(0.5) - (exp(0.5) + 1.0 / cos(0.5) ** 2)
-- 0.0
-- check-grad: f at 0.5
