def branches(x: f64) -> f64 = if x > 0.0 and x < 1.0 then sqrt(x) else 0.0

def arrays(c: bool, x: [n]f64) -> [n]f64 = if c then x else -x

def fibonacci(n: i64) -> i64 =
  let (a, _) = loop (a, b) = (0, 1) for i < n do (b, a + b)
  in a

def power(a: [n][n]f64, k: i64) -> [n][n]f64 =
  loop p = (for i < n, j < n => f64(i == j)) for i < k do p @ a

def horner(c: [n]f64, x: f64) -> f64 = loop y = 0.0 for a in c do y * x + a

def fold(xs: [n]f64) -> f64 = reduce(\(a, b) => max(a, b), 0.0, xs)

def running(xs: [n]f64) -> [n]f64 = cumsum(xs)

def newton(f: f64 -> f64, x: f64, k: i64) -> f64 = iterate(k, \x => x - f(x) / grad(f)(x), x)

def root(a: f64, k: i64) -> f64 = newton(\x => x * x - a, 1.0, k)

def square[t: num](x: t) -> t = x * x

def squares(x: f64, i: i32) -> (f64, i32) = (square(x), square(i))

def threshold = 0.5

def weights = [0.25, 0.5, 0.25]

def smooth(x: [n+2]f64) -> [n]f64 = for i < n => sum(for j => weights[j] * x[i + j]) + threshold
