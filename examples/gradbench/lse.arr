-- GradBench's `lse`: the logarithm of a sum of exponentials, and its gradient.
--
-- $ arr test examples/gradbench/lse.arr

--| > primal([1000.0, 1000.0]) - log(2.0)
--| 1000.0
def primal(x: [n]f64) -> f64 = let top = maximum(x) in top + log(sum(exp(x - top)))

--| > gradient([1000.0, 1000.0])
--| [0.5, 0.5]
def gradient(x: [n]f64) -> [n]f64 = grad(primal)(x)

test "slope" gradient (x: [5]f64) = primal(x)
