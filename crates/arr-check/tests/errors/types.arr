def mixed(x: f64, n: i64) -> f64 = x / n
def twice(x: i64) -> i64 = 2 * x
def arg(x: f64) -> i64 = twice(x)
def many(x: f64) -> f64 = exp(x, 1.0) + mixed(x)
def cond(x: f64) -> f64 = if x then 1.0 else 2.0
def branch(x: f64) -> f64 = if x > 0.0 then x else 0 == 1
def arrays(x: [n]f64) -> f64 = x
def scalar(x: f64) -> [3]f64 = x
def tuple(x: (f64, i64)) -> f64 = x.2
def index(x: [n]f64, i: f64) -> f64 = x[i]
def ints(n: i64) -> f64 = sqrt(n)
def bools(x: [n]bool) -> i64 = sum(x)
def logic(x: i64) -> bool = not x
def record(x: f64) -> { a: f64, b: f64 } = { a = x, c = x }
def pattern(p: (f64, f64, f64)) -> f64 = let (a, b) = p in a
def literal() -> [3]i32 = [1, 2, 3000000000]
def elements(x: f64, n: i64) -> [2]f64 = [x, n]
def call(x: [n]f64) -> f64 = x(0)
def field(ps: [n]{ x: f64 }) -> [n]f64 = ps.x
def state(n: i64, x: f64) -> f64 = loop s = 0 for i < n do x
def lambda(x: f64) -> f64 = (\(a, b) => a + b)(x)
def wrong(xs: [n]i64) -> [n]f64 = map(\x => 2 * x, xs)
def given(f: f64 -> f64, x: f64) -> f64 = f(x)
def giving(x: f64) -> f64 = given(\x => x > 0.0, x)
def giving2(x: f64) -> f64 = given(\(x, y) => x, x)
def generic[t: num](x: t) -> t = sqrt(x)
def other_fields(p: { x: f64, y: f64 }, q: { x: f64, z: f64 }) = p + q
def other_shape(p: { x: f64 }, q: { x: [3]f64 }) = p * q
def lacks(p: { x: f64, n: i64 }, q: { x: f64 }) -> bool = p == q
def no_numbers(p: (bool, bool)) = -p
def no_order(p: (f64, f64)) -> bool = p < p

type Metal = Steel | Brass
type Wood = Oak | Elm
type Disc = Round(f64) | Dot
def other_sum(m: Metal) = m == Oak
def no_order2(m: Metal) = m < Steel
def carries(d: Disc) = d == Dot
def no_tag(m: Metal, i: i64) = m == i
def other_size(m: [3]Metal, k: [2]Metal) = m == k
def same[t: any](x: t, y: t) -> bool = x == y
def of_arrays(x: [n]f64) -> bool = same(x, x)
def converted[t: any](x: t) -> t = t(x)
def of_pair(x: f64) -> (f64, f64) = converted((x, x))
def number[t: num](x: t) -> t = x
def of_record(x: f64) -> { a: f64 } = number({ a = x })
