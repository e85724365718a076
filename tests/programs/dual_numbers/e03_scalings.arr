-- E3: a chain of scalings; the gradient is the product of the factors.
def chain(x: f64, r: [n]f64) -> f64 = loop y = x for s in r do s * y

-- > grad(\x => chain(x, [2.0, 3.0, 0.5, 7.0]))(1.5)
-- 21.0
-- > grad(\r => chain(1.5, r))([2.0, 3.0, 0.5, 7.0])
-- [15.75, 10.5, 63.0, 4.5]
-- > grad(\x => 2.0 * (3.0 * (0.5 * (7.0 * x))))(1.5)
-- 21.0
-- check-grad: \r => chain(1.5, r) at [2.0, 3.0, 0.5, 7.0]
