-- E17: a recursion unrolled by hand, and as a loop: 2 * (2 * (v + 1) + 1) = 4 v + 6.
def unrolled(v: [n]f64) -> [n]f64 =
  let a = map(\x => x + 1.0, v)
  let b = map(\x => 2.0 * x, a)
  let c = map(\x => x + 1.0, b)
  in map(\x => 2.0 * x, c)

def looped(v: [n]f64) -> [n]f64 =
  loop x = v for k < 4 do if k % 2 == 1 then 2.0 * x else x + 1.0

-- > unrolled([1.0, 2.0, 3.0])
-- [10.0, 14.0, 18.0]
-- > looped([1.0, 2.0, 3.0])
-- [10.0, 14.0, 18.0]
-- > grad(\v => sum(unrolled(v)))([1.0, 2.0, 3.0])
-- [4.0, 4.0, 4.0]
-- > grad(\v => sum(looped(v)))([1.0, 2.0, 3.0])
-- [4.0, 4.0, 4.0]
-- check-grad: looped at [1.0, 2.0, 3.0]
