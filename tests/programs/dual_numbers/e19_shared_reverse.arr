-- E19: a reversed array read at three places: the gradient is 1 at the last three of the original.
def foo(a: [n]f64) -> f64 = let b = reverse(a) in b[0] + b[1] + b[2]
def bar(a: [n]f64) -> f64 = let b = (for i < n => a[n - 1 - i]) in b[0] + b[1] + b[2]

-- > value_and_grad(foo)([1.0, 2.0, 3.0, 4.0, 5.0])
-- (12.0, [0.0, 0.0, 1.0, 1.0, 1.0])
-- > value_and_grad(bar)([1.0, 2.0, 3.0, 4.0, 5.0])
-- (12.0, [0.0, 0.0, 1.0, 1.0, 1.0])
-- check-grad: foo at [1.0, 2.0, 3.0, 4.0, 5.0]
