-- E11: elements plus one; the gradient of the sum is one everywhere.
def increment(a: [n]f64) -> [n]f64 = for i => a[i] + 1.0

-- > increment([1.0, 2.0])
-- [2.0, 3.0]
-- > grad(\a => sum(increment(a)))([1.0, 2.0])
-- [1.0, 1.0]
-- check-grad: increment at [1.0, 2.0, -3.0]
