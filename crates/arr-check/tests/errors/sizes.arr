def add(x: [n]f64, y: [m]f64) -> [n]f64 = x + y
def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)
def call(a: [n]f64, b: [m]f64) -> f64 = dot(a, b)
def matmul(a: [n][m]f64, b: [n][k]f64) -> [n][k]f64 = a @ b
def rows(a: [n][m]f64, v: [n]f64) -> [n][m]f64 = a + v
def result(x: [n]f64) -> [n]f64 = x[1:]
def window(x: [n]f64, i: i64) -> [3]f64 = x[i:i+2]
def unknown(x: [n]i64) -> [n]i64 = iota(x[0])
def irregular(n: i64) -> [n][n]f64 = for i < n => for j < i + 1 => 1.0
def inside(x: [n]i64) -> f64 = sum(sum(for i => zeros(x[i])))
def branch(c: bool, x: [n]f64) -> [n]f64 = if c then x else x[1:]
def state(x: [n]f64) -> [n]f64 = loop a = x for i < 3 do a[1:]
def noextent(x: [n]f64) -> [n]f64 = for i => x[i + 1]
def conflict(a: [n][m]f64) -> f64 = sum(for i => a[i, i])
def free(x: f64) -> [k]f64 = zeros(3)
def product(x: [n*m]f64) -> f64 = sum(x)
def never(x: [3]f64) -> [4]f64 = x :> [4]f64
def reshaped(x: [n]f64) -> [2][n]f64 = reshape(x, (2, n))
def ragged() -> [2][2]f64 = [[1, 2], [3]]
def opaque(x: [n]i64) -> i64 = sum(iota(x[0]) + iota(x[1]))
def apply(f: i64 -> [m]f64, n: i64) -> f64 = sum(f(n))
def unseen(n: i64) -> f64 = apply(\k => zeros(k), n)
def asked(x: [?n]f64) -> f64 = sum(x)
def annotated(x: [n]f64) -> [?k]f64 = let y: [?m]f64 = x in y
def of_function(f: [n]f64 -> [?k]f64, x: [n]f64) -> f64 = sum(f(x))
def two_lengths(x: [n]f64) -> ([?k]f64, [?k]f64) = (x, concat(x, [1.0]))
def no_half(x: [n]f64) -> [2*?k]f64 = x
def wrong_element(x: [n]f64) -> [?k]i64 = x
def some(x: [n]f64) -> [?k]f64 = x
def sum_of_some(x: [n]f64) -> [n]f64 = x + some(x)
