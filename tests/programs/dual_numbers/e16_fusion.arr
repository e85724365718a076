-- E16: one program by indices and by whole arrays; da = 2 a, db = 1.
def by_index(a: [n]f64, b: [n]f64) -> [n]f64 = for i => a[i] ** 2 + b[i]
def by_array(a: [n]f64, b: [n]f64) -> [n]f64 = a ** 2 + b

-- > by_index([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
-- [11.0, 24.0, 39.0]
-- > grad(\((a, b)) => sum(by_index(a, b)))(([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]))
-- ([2.0, 4.0, 6.0], [1.0, 1.0, 1.0])
-- > grad(\((a, b)) => sum(by_array(a, b)))(([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]))
-- ([2.0, 4.0, 6.0], [1.0, 1.0, 1.0])
-- check-grad: \((a, b)) => by_index(a, b) at ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
-- check-grad: \((a, b)) => by_array(a, b) at ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
