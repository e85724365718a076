-- What cannot be differentiated.
def a(x: [n]f64) -> [n]f64 = grad(\y => y * y)(x)
def b(n: i64) -> f64 = grad(\m => f64(m))(n)
def c(x: f64) -> f64 = grad(x)
def d(x: f64) -> f64 = jvp(\y => y * y, x, 1).1
