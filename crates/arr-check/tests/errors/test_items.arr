def f(x: [n]f64) -> f64 = sum(x)

test "right" = f([1.0, 2.0]) == 3.0
test "a pair" within 1e-9 = let y = f([1.0]) in (y == 1.0, [true, false])
test "property"(x: [n]f64) = f(x) == f(reverse(x))
test "slope" gradient (x: [n]f64, k: i64) = (x, f64(k) * f(x))

test "a number" = f([1.0])
test "right" = true
test "nothing" = ()
test "needless" within 1e-9 = f([1.0]) < 2.0
test "integers" within 1e-9 = 1 == 1
test "operands" = f([1.0]) == 1i32
test "unknown"(x: [n]f64) = g(x) == n
test "function"(g: f64 -> f64) = g(1.0) == 1.0
test "no float" gradient (x: i64) = f64(x)
test "no float either" gradient (x: f64) = x > 0.0
test "a pattern" gradient ((x, y): (f64, f64)) = x * y
def uses = "right"
