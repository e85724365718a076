-- E9: a sum over the outermost axis; every element gets the cotangent of its column.
def columns(a: [n][m]f64) -> [m]f64 = sum(a)
def a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]

-- > columns(a)
-- [12.0, 15.0, 18.0]
-- > let (y, back) = vjp(columns, a) in back([1.0, 2.0, 3.0])
-- [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
-- check-grad: columns at a
