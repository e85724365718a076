-- E13: an array after itself: the branch not taken reads outside the array.
def twice(a: [n]f64) -> [2*n]f64 = for i < 2 * n => if i < n then a[i] else a[i - n]

def ten = for i < 10 => f64(i)

-- > twice([1.0, 2.0, 3.0])
-- [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
-- > grad(\a => sum(twice(a)))(ten)
-- [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
-- > let (y, back) = vjp(twice, [0.0, 0.0]) in back([1.0, 10.0, 100.0, 1000.0])
-- [101.0, 1010.0]
-- check-grad: twice at [1.0, 2.0, 3.0]
