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
