-- A first program: an inner product, a matrix times a vector, and their derivatives.
--
-- $ arr run examples/first.arr x=[1.0,2.0,3.0] y=[4.0,5.0,6.0]
-- $ arr run examples/first.arr --entry slope x=[1.0,2.0,3.0] y=[4.0,5.0,6.0]
-- $ arr eval examples/first.arr "apply([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])"

--| The inner product of two vectors of equal length. `n` is bound by the arguments' shapes.
def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)

--| A matrix times a vector, written with indices: the extents of `i` and `j` follow from what they index.
def apply(a: [n][m]f64, x: [m]f64) -> [n]f64 =
  for i => sum(for j => a[i, j] * x[j])

--| The cosine of the angle between two vectors.
def main(x: [n]f64, y: [n]f64) -> f64 = dot(x, y) / sqrt(dot(x, x) * dot(y, y))

--| The cosine, and its gradient with respect to `x`. The gradient is at right angles to `x`.
def slope(x: [n]f64, y: [n]f64) -> (f64, [n]f64) =
  value_and_grad(\v => main(v, y))(x)
