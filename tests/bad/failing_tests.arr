-- $ arr test bad/failing_tests.arr --filter example
-- $ arr test bad/failing_tests.arr --filter value
-- $ arr test bad/failing_tests.arr --filter all
-- $ arr eval bad/failing_tests.arr 'let n = 2 let x: [2]f64 = [0.0, -0.1] in reversed(x) == x'
-- $ arr test bad/failing_tests.arr --filter all --backend interp --seed 3 --cases 50
-- $ arr test bad/failing_tests.arr --filter slope
-- $ arr test bad/failing_tests.arr --filter nothing-has-this-name
-- $ arr test bad/failing_tests.arr --filter record

--| > example_half([1.0, 3.0])
--| [0.5, 1.0]
--| > example_half([1.0])
--| [0.5, 0.5]
--| > example_half([0.1]) -- within 1e-9
--| [0.050001]
--| > example_half([0.1])
--| half of it
--| > example_half([0.1])[2]
--| 0.0
--| > example_half([0.1])[2]
--| error E0602
--| > example_half([0.1])
--| error E0601
--| > example_half(1.0)
--| > example_half(
--| 1.0
def example_half(x: [n]f64) -> [n]f64 = 0.5 * x

def reversed(x: [n]f64) -> [n]f64 = reverse(x)

test "a value" = example_half([1.0, 3.0, 5.0]) == [0.5, 1.0, 2.5]
test "values within" within 1e-9 =
  let y = example_half([1.0, 2.0]) in (y == [0.5, 1.0 + 1e-10], y == 0.5)
test "value of a comparison" = sum([1, 2]) > 3
test "values of booleans" = [true, false]
test "value out of range" = [1, 2][i64(3.0)] == 2

test "for all arrays"(x: [n]f64) = reversed(x) == x
test "for all numbers"(k: i64) = k < 100
test "for all records"(p: { a: f64, b: [m]i32 }, (q, _): ([m+1]bool, f32)) = p.a < 2.5
test "for all indices"(k: i64, x: [k]f64) = x[k - 1] == x[k - 1]

test "slope" gradient (x: [n][2]f64) =
  sum(flatten(for i, j => if j == 1 then x[i, j] * stop_gradient(x[i, j]) else x[i, j]))

def fit(x: f64) = { slope = x / 3.0 * 3.0, at = [x, 0.1 + 0.2], n = 3 }
test "a record, close" within 1e-9 = fit(0.7) == { slope = 0.7 + 1e-12, at = [0.7, 0.3], n = 3 }
test "a record, far" within 1e-9 = fit(0.7) == { slope = 0.7, at = [0.7, 0.3001], n = 3 }
test "a record, another integer" within 0.5 = fit(0.7) == { slope = 0.7, at = [0.7, 0.3], n = 4 }
test "a record, exactly" = fit(0.7) == { slope = 0.7, at = [0.7, 0.3], n = 3 }
test "a record, not a number" within 0.5 = fit(0.0 / 0.0) == fit(0.0 / 0.0)
