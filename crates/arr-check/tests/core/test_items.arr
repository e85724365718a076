-- Tests give their verdicts with what was compared; gradient tests give one number.
def twice(x: [n]f64) -> [n]f64 = 2.0 * x

test "constant" = 1 == 1
test "under let" within 1e-9 = let y = twice([1.0, 2.0]) in (y == [2.0, 4.0], sum(y) < 7.0, true)
test "literal first"(x: f32) = 1.5 != x
test "scalar" gradient (x: f32) = x * x
test "structure" gradient (x: [n]f64, k: i64) = (twice(x), { a = sum(x) })
