-- E7: a scatter in which places collide, and are added; its transpose is a gather.
def halves(v: [9]f64) -> [6]f64 = scatter_add(zeros(6), for i < 9 => i / 2, v)
def v = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
def w = [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0]

-- > halves(v)
-- [3.0, 7.0, 11.0, 15.0, 9.0, 0.0]
-- > let (y, back) = vjp(halves, v) in back(w)
-- [1.0, 1.0, 10.0, 10.0, 100.0, 100.0, 1000.0, 1000.0, 10000.0]
-- check-grad: halves at v
