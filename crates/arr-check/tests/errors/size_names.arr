def k = if true then 2 else 3
def w = 2i32
def h = 2.5
def ok = 1 + 1
type Row = [w]f64
def first(x: [k]f64) -> i64 = k
def main() = first([1.0, 2.0, 3.0, 4.0])
def row(x: Row) -> f64 = sum(x)
def result(x: f64) -> [h]f64 = [x]
def fine(x: [ok]f64) -> f64 = sum(x)
def float(n: f64, x: [n]f64) = (n, x)
def of_result(n: i32) -> [n]f64 = [1.0]
def truth(n: bool, x: [2*n+1]f64) = n
def array(n: [m]i64, x: [n]f64) = x
def type_parameter[t: any](x: [t]f64, y: t) = (x, y)
type Pair[t: any] = [t]f64
def part((n, m): (i64, i64), x: [n]f64) = (n, m, x)
def inside(a: f64, x: [n]f64) = let b = a in x :> [b]f64
def constant(x: [n]f64) = x :> [k]f64
def type_inside[t: num](x: [n]t) = x :> [t]t
def two() = for i < 2, i < 3 => i
def pairs(x: [n](i64, i64)) = for (a, b) in x, a < 2 => a
def excluded(x: [n]f64) = if n > 2 then x[n - 3] else 0.0
