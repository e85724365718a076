-- GradBench's `det`: a determinant by expansion by minors, and its gradient.
--
-- There is no recursion in Arr, and none is needed: a minor of the lowest rows is given by its columns, a set of bits, and the
-- minors of one row less are those with one bit less. Every minor is computed once, where recursion computes most of them
-- many times.
--
-- $ arr test examples/gradbench/det.arr

--| How many bits of a number are set.
--| > count(11)
--| 3
def count(bits: i64) -> i64 =
  let (n, rest) = loop (n, rest) = (0, bits) while rest > 0 do (n + 1, bit_and(rest, rest - 1))
  in n

--| The determinant of a matrix given row by row.
--| > primal([1.0, 2.0, 3.0, 4.0], 2)
--| -2.0
def primal(A: [z]f64, ell: i64) -> f64 =
  let minors = loop minors = zeros(shl(1, ell)) with [0] = 1.0 for k < shl(1, ell) - 1 do
    let columns = k + 1
    let row = ell - count(columns)
    let (minor, sign) = loop (minor, sign) = (0.0, 1.0) for j < ell do
      let bit = shl(1, j)
      in if bit_and(columns, bit) == 0 then (minor, sign)
         else (minor + sign * A[row * ell + j] * minors[columns - bit], -sign)
    in minors with [columns] = minor
  in minors[shl(1, ell) - 1]

--| Its gradient, row by row.
--| > gradient([1.0, 2.0, 3.0, 4.0], 2)
--| [4.0, -3.0, -2.0, 1.0]
def gradient(A: [z]f64, ell: i64) -> [z]f64 = grad(primal)(A, ell)

test "three rows" within 1e-12 = primal([2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 1.0, 4.0], 3) == 18.0
test "slope" gradient (A: [9]f64) = primal(A, 3)
