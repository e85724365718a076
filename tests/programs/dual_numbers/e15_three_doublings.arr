-- E15: three doublings; eight paths, one sweep.
def f(a: f64) -> f64 =
  let x = a + a
  let y = x + x
  let z = y + y
  in z

-- > value_and_grad(f)(1.5)
-- (12.0, 8.0)
-- check-grad: f at 1.5
