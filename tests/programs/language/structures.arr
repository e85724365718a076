-- Arrays of tuples and records, read, built, updated, mapped and reduced.
type Body[d] = { mass: f64, at: [d]f64 }
def centre(bodies: [n]Body[d]) -> [d]f64 =
  sum(for b in bodies => b.mass * b.at) / sum(for b in bodies => b.mass)
def moved(bodies: [n]Body[d], by: [d]f64) -> [n]Body[d] =
  for b in bodies => { b with at = b.at + by }
def heaviest(bodies: [n]Body[d]) -> Body[d] = bodies[argmax(for b in bodies => b.mass)]
def two = [{ mass = 1.0, at = [0.0, 0.0] }, { mass = 3.0, at = [4.0, 8.0] }]

-- > centre(two)
-- [3.0, 6.0]
-- > centre(moved(two, [1.0, -1.0]))
-- [4.0, 5.0]
-- > heaviest(two).at
-- [4.0, 8.0]
-- > two[1]
-- {mass = 3.0, at = [4.0, 8.0]}
-- > (two with [0] = { mass = 9.0, at = [1.0, 1.0] })[0].mass
-- 9.0
-- > grad(\b => sum(centre(b)))(two)
-- [{mass = -2.25, at = [0.25, 0.25]}, {mass = 0.75, at = [0.75, 0.75]}]
-- > for (a, b) in zip([1, 2], [10, 20]) => a + b
-- [11, 22]
-- > reduce(\((a, b), (c, d)) => (a + c, b * d), (0, 1), zip([1, 2, 3], [4, 5, 6]))
-- (6, 120)
-- > let (x, y) = unzip(for i < 3 => (i, i * i)) in y
-- [0, 1, 4]
-- > transpose([[(1, true), (2, false)]])
-- [[(1, true)], [(2, false)]]
-- > [(1, true), (2, false)] == [(1, true), (2, true)]
-- [true, false]
-- > two != (two with [1] = { mass = 3.0, at = [4.0, 9.0] })
-- [false, true]
-- > two == two[0]
-- [true, false]
