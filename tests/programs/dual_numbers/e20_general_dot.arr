-- E20: an inner product for every float type.
def dot[t: float](x: [n]t, y: [n]t) -> t = sum(x * y)

-- > dot([1.0, 2.0], [3.0, 4.0])
-- 11.0
-- > grad(\x => dot(x, [3.0f32, 4.0]))([1.0f32, 2.0])
-- [3.0, 4.0]
-- check-grad: \x => dot(x, [3.0, 4.0]) at [1.0, 2.0]
