-- Derivatives of derivatives, in every order of the two modes.
def f(x: f64) -> f64 = x ** 3 * sin(x)
def g(x: [n]f64) -> f64 = sum(x ** 3) + product(x)
def hessian(x: [n]f64) -> [n][n]f64 = for i < n => jvp(grad(g), x, for k < n => f64(k == i)).1
def hessian2(x: [n]f64) -> [n][n]f64 = for i < n => grad(\y => grad(g)(y)[i])(x)
def hessian3(x: [n]f64) -> [n][n]f64 =
  for i < n => grad(\y => jvp(g, y, for k < n => f64(k == i)).1)(x)

-- > grad(grad(grad(f)))(0.5)
-- 9.586391006542819
-- > jvp(\x => jvp(\x => jvp(f, x, 1.0).1, x, 1.0).1, 0.5, 1.0).1
-- 9.586391006542819
-- > grad(\x => jvp(grad(f), x, 1.0).1)(0.5)
-- 9.586391006542819
-- > jvp(grad(\x => jvp(f, x, 1.0).1), 0.5, 1.0).1
-- 9.586391006542819
-- > hessian([1.0, 2.0, 3.0])
-- [[6.0, 3.0, 2.0], [3.0, 12.0, 1.0], [2.0, 1.0, 18.0]]
-- > hessian2([1.0, 2.0, 3.0])
-- [[6.0, 3.0, 2.0], [3.0, 12.0, 1.0], [2.0, 1.0, 18.0]]
-- > hessian3([1.0, 2.0, 3.0])
-- [[6.0, 3.0, 2.0], [3.0, 12.0, 1.0], [2.0, 1.0, 18.0]]
-- > grad(\x => x * grad(\y => x * y ** 2)(x))(2.0)
-- 24.0
-- > grad(\x => sum(for i < 3 => grad(\y => y * x * f64(i))(x)))(2.0)
-- 3.0
-- check-grad: \x => grad(g)(x) at [1.0, 2.0, 3.0]
