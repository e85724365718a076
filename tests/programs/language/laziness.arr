-- `if`, `and`, `or` evaluate only what they need, inside `for` too.
def safe(x: [n]f64, i: i64) -> f64 = if i >= 0 and i < n then x[i] else -1.0
def padded(x: [n]f64) -> [n+2]f64 = for i < n + 2 => if i == 0 or i == n + 1 then 0.0 else x[i - 1]
def quotients(a: [n]i64, b: [n]i64) -> [n]i64 = for i => if b[i] == 0 then 0 else a[i] / b[i]
def either(a: i64, b: i64) -> bool = b == 0 or a / b > 1

-- > (safe([1.0, 2.0], 1), safe([1.0, 2.0], 2), safe([1.0, 2.0], -1))
-- (2.0, -1.0, -1.0)
-- > padded([1.0, 2.0])
-- [0.0, 1.0, 2.0, 0.0]
-- > quotients([7, 8], [2, 0])
-- [3, 0]
-- > (either(1, 0), either(4, 2), either(1, 2))
-- (true, true, false)
-- > if true then 1 else 1 / 0
-- 1
-- > [1, 2][if false then 5 else 1]
-- 2
-- > select(true, 1, 1 / 0)
-- error: E0602

-- A derivative in an arm that is never taken, in a `for` that makes an array for each index.
type Part[c] = Whole(f64) | Row([c]f64) | Slope(f64)
def parts(x: [c]f64, n: i64, late: bool) -> [n]f64 =
  let made =
    for i < n => let p: Part[c] = if late then Row(for l < c => x[l] * f64(i)) else Whole(2.0) in p
  in for i < n => match made[i] {
    Whole(v) => v,
    Row(r) => 0.5 * sum(r),
    Slope(v) => jvp(\z => sin(z), v, 1.0).1
  }

-- > parts([1.0, 2.0], 3, true)
-- [0.0, 1.5, 3.0]
-- > parts([1.0, 2.0], 3, false)
-- [2.0, 2.0, 2.0]
-- > (parts([], 2, true), parts([], 2, false))
-- ([0.0, 0.0], [2.0, 2.0])
-- > parts([1.0], 0, true)
-- []

-- What has a derivative of its own, or is one, gives its errors also where nothing uses its results.
def unused_slope(x: [n]f64, y: [m]f64) -> f64 =
  let slope = jvp(\z => sum(z) * y[2], x, x)
  in sum(x)
def unused_gradient(x: [n]f64, k: [n]i64) -> f64 =
  let slopes = grad(\z => sum(for i => z[k[i]] ** 2))(x)
  in sum(x)
def unused_checkpoint(x: [n]f64, k: [n]i64) -> f64 =
  let kept = checkpoint(\z => for i => z[k[i]])(x)
  in sum(for i < 0 => jvp(\z => 2.0, kept[i], 1.0).1) + sum(x)
-- > unused_slope([1.0], [1.0, 2.0])
-- error: E0601
-- > unused_slope([1.0], [1.0, 2.0, 3.0])
-- 1.0
-- > unused_gradient([1.0, 2.0], [0, 2])
-- error: E0601
-- > unused_checkpoint([1.0, 2.0], [1, 2])
-- error: E0601
-- > grad(\x => unused_checkpoint(x, [1, 2]))([1.0, 2.0])
-- error: E0601
-- > grad(\x => unused_checkpoint(x, [1, 1]))([1.0, 2.0])
-- [1.0, 1.0]

-- What fails before a branch or a loop fails whether these run or not.
def before_if(a: [n]f64, b: [n]f64, c: bool) -> f64 =
  sum(for i < n =>
    let r = a[i - 1]
    in if c then sum(for k < n => r * b[k]) else 0.0)
def before_loop(a: [n]f64, b: [n]f64, steps: i64) -> [n][n]f64 =
  for i < n =>
    let r = a[i - 1]
    in loop x = b for t < steps do for k => x[k] * r
def before_while(a: [n]f64, b: [n]f64, least: f64) -> [n][n]f64 =
  for i < n =>
    let r = a[i - 1]
    in loop x = b while sum(x) < least do for k => x[k] * r + 1.0
def never_read(xs: [n]f64, v: f64) -> f64 = 0.0 / xs[min(searchsorted(xs, v), 0) - 1]
-- > before_if([1.0, 2.0], [1.0, 2.0], false)
-- error: E0601
-- > grad(\a => before_if(a, a, false))([1.0, 2.0])
-- error: E0601
-- > before_if([], [], true)
-- 0.0
-- > before_loop([1.0, 2.0], [1.0, 2.0], 0)
-- error: E0601
-- > grad(\a => sum(flatten(before_loop(a, a, 0))))([1.0, 2.0])
-- error: E0601
-- > before_loop([], [], 0)
-- []
-- > before_while([1.0, 2.0], [1.0, 2.0], 0.0)
-- error: E0601
-- > before_while([], [], -1.0)
-- []
-- > (hessian(\xs => never_read(xs, 1.0)))([1.0])
-- error: E0601
