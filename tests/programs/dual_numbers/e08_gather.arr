-- E8: a gather is a `for` over an index; a `for` over two axes is two `for`s.
def by_gather(a: [n]f64, is: [m]i64) -> [m]f64 = gather(a, is)
def by_for(a: [n]f64, is: [m]i64) -> [m]f64 = for k => a[is[k]]
def rows(a: [n][m]f64, is: [k]i64) -> [k][m]f64 = gather(a, is)
def two(a: [n][m]f64) -> [n][m]f64 = for i, j => 2.0 * a[i, j]
def nested(a: [n][m]f64) -> [n][m]f64 = for i => for j => 2.0 * a[i, j]

-- > by_gather([1.0, 2.0, 3.0], [2, 0, 2, 1])
-- [3.0, 1.0, 3.0, 2.0]
-- > by_for([1.0, 2.0, 3.0], [2, 0, 2, 1])
-- [3.0, 1.0, 3.0, 2.0]
-- > grad(\a => sum(by_gather(a, [2, 0, 2, 1]) * [1.0, 10.0, 100.0, 1000.0]))([1.0, 2.0, 3.0])
-- [10.0, 1000.0, 101.0]
-- > grad(\a => sum(by_for(a, [2, 0, 2, 1]) * [1.0, 10.0, 100.0, 1000.0]))([1.0, 2.0, 3.0])
-- [10.0, 1000.0, 101.0]
-- > rows([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0])
-- [[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]
-- > all(all(two([[1.0, 2.0]]) == nested([[1.0, 2.0]])))
-- true
-- check-grad: \a => rows(a, [1, 1, 0]) at [[1.0, 2.0], [3.0, 4.0]]
-- check-grad: \a => by_for(a, [2, 0, 2, 1]) at [1.0, 2.0, 3.0]
