-- Where NaNs and infinities come from.

def ratio(x: [n]f64, y: [n]f64) -> [n]f64 = for i => x[i] / y[i]
def entropy(p: [n][m]f64) -> f64 = -sum(for row in p => sum(row * log(row)))
def length(x: [n]f64) -> f64 = sqrt(sum(x * x))
def direction(x: [n]f64) = grad(length)(x)

-- What is not chosen has no effect, on derivatives either.
def root(x: f64) -> f64 = if x > 0.0 then sqrt(x) else 0.0
def roots(x: [n]f64) = grad(\y => sum(for v in y => root(v)))(x)
def greatest(x: [n]f64) = grad(\y => maximum(for v in y => sqrt(v)))(x)

def newton(a: f64, k: i64) -> f64 = loop x = 0.0 for step < k do 0.5 * (x + a / x)
def descent(x: [n]f64, k: i64) -> [n]f64 =
  loop y = x for step < k do y - 0.5 * grad(length)(y) * length(y)
def curvature(x: f64) = hessian(\y => y ** 1.5)(x)
def slope(x: f64) = jvp(sqrt, x, 1.0).1
