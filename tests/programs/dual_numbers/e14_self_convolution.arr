-- E14: one element of the convolution of an array with itself; the gradient is 2 a[n-1-i].
def f(a: [n]f64) -> f64 = sum(for i => a[i] * a[n - 1 - i])
def by_reverse(a: [n]f64) -> f64 = sum(a * reverse(a))

-- > value_and_grad(f)([1.0, 2.0, 3.0, 5.0])
-- (22.0, [10.0, 6.0, 4.0, 2.0])
-- > value_and_grad(f)([1.0, 2.0, 3.0, 4.0, 5.0])
-- (35.0, [10.0, 8.0, 6.0, 4.0, 2.0])
-- > value_and_grad(by_reverse)([1.0, 2.0, 3.0, 4.0, 5.0])
-- (35.0, [10.0, 8.0, 6.0, 4.0, 2.0])
-- check-grad: f at [1.0, 2.0, 3.0, 5.0]
