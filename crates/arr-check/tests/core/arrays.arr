def elementwise(x: [n]f64, y: [n]f64, a: f64) -> [n]f64 = a * x + y

def matrix(a: [n][m]f64, b: [m][k]f64) -> [n][k]f64 = a @ b

def columns(a: [n][m]f64) -> [m]f64 = sum(a)

def halves(x: [2*n]f64) -> ([n]f64, [n]f64) = (x[:n], x[n:2*n])

def tail(x: [n]f64) -> [n-1]f64 = x[1:]

def corner(a: [n][m]f64, i: i64) -> [m-1]f64 = a[i, 1:]

def table(n: i64, m: i64) -> [n][m]i64 = for i < n, j < m => i * m + j

def diagonal(a: [n][n]f64) -> [n]f64 = for i => a[i, i]

def triangle(a: [n][n]f64) -> [n]f64 = for i < n => sum(for j < i => a[i, j])

def points(ps: [n]{ x: f64, y: f64 }) -> [n](f64, f64) = for { x, y } in ps => (y, x)

def update(a: [n][m]f64, i: i64, row: [m]f64) -> [n][m]f64 = a with [i] = row

def mapped(xss: [n][m]f64) -> [n]f64 = for xs in xss => maximum(xs) - minimum(xs)

def assert(x: [n]f64, y: [m]f64) -> [n]f64 = x + (y :> [n]f64)

def literal() -> [2][2]f64 = [[1, 2], [3, 4]]

def small(x: f64) -> [3]f64 = [x, 1, x * x]

def rows(x: [n]f64) -> [2][n]f64 = [x, -x]

def shapes(x: [n][m]f64) -> ([m][n]f64, [n*m]f64, [n+n][m]f64) =
  (transpose(x), flatten(x), concat(x, x))

def bulk(dest: [n]f64, is: [k]i64, vs: [k]f64) -> [n]f64 = scatter_add(dest, is, vs)
