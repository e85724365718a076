-- A derivative under a `for`, of code that has kernels within kernels.
def f(x: [n]f64) -> f64 = sum(for k => x[k] * sum(x))
def scaled(x: [n]f64) -> [n]f64 = for i => x[i] * sum(x)
derivative scaled(x, y, dy) = for i => dy[i] * sum(x) + sum(dy * x)

-- > for i < 2 => grad(f)([1.0, f64(i)])
-- [[2.0, 2.0], [4.0, 4.0]]
-- > hessian(f)([1.0, 2.0])
-- [[2.0, 2.0], [2.0, 2.0]]
-- > for i < 2 => grad(\x => sum(scaled(x)))([1.0, f64(i)])
-- [[2.0, 2.0], [4.0, 4.0]]
-- > hessian(\x => sum(scaled(x)))([1.0, 2.0])
-- [[2.0, 2.0], [2.0, 2.0]]
