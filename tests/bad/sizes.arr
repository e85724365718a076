-- Sizes that differ: both are named, with where each comes from and the equation between them.
def same(x: [n]f64, y: [n]f64) -> f64 = x @ y
def pairs(x: [2*n]f64) -> [n]f64 = x[:n] + x[n:]
def first(x: [n]f64) = for i < n / 2 => x[i]
def one(x: [n]f64) -> [n+1]f64 = x
def odd(x: [n]f64) -> f64 = pairs(x)[0]
def five(x: [5]f64) -> f64 = pairs(x)[0]
def tail(x: [n]f64) -> f64 = same(x, x[1:])
def half(x: [n]f64) -> f64 = same(x, first(x))
def twice(x: [n]f64) -> f64 = sum(first(x) + first(x))
def rest(x: [n]f64) -> f64 = let k = n / 2 in x[:k] @ x[k:]
def cut(x: [n]f64, k: i64) -> [n]f64 = x[k:]
def branches(x: [n]f64) -> [n]f64 = if n > 2 then x else x[:2]
def shrinks(x: [n]f64) -> [n]f64 = loop y = x for i < 3 do y[1:]
def elements(x: [n]f64) -> f64 = sum([x, x[1:]][0])
def callback(x: [n]f64, f: [n]f64 -> [n]f64) -> [n]f64 = f(x)
def given(x: [n]f64) -> [n]f64 = callback(x, \y => y[1:])
def square(x: [n][m]f64, y: [m][n]f64) -> [n][n]f64 = y @ x
def field(x: { a: [n]f64, b: [n]f64 }) -> f64 = x.a @ x.b
def record() -> f64 = field({ a = [1.0], b = [1.0, 2.0] })
def never(x: [n]f64) -> [n]f64 = x :> [n+1]f64
def product(x: [n*m]f64) -> f64 = sum(x)
