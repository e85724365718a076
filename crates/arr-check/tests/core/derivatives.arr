def gradient(x: [n]f64) -> [n]f64 = grad(\y => sum(y * y))(x)

def with_value(x: f64, k: f64) -> (f64, f64) = value_and_grad(\(x, k) => x * k)(x, k)

def pulled(x: [n]f64, ct: [n]f64) -> [n]f64 =
  let (_, pull) = vjp(\y => exp(y), x) in pull(ct)

def pushed(x: f64, dx: f64) -> (f64, f64) = jvp(\y => y * y, x, dx)

def parts(p: { w: [n]f64, k: i64 }) -> { w: [n]f64 } = grad(\q => sum(q.w) * f64(q.k))(p)

def second(x: f64) -> f64 = grad(grad(\y => y ** 3))(x)

def jacobian(x: [n]f64) -> [n][n]f64 = jacrev(\y => y * y)(x)
