-- Atoms in a periodic box that attract and repel each other: the energy of the pairs in a list of neighbours, and its slope.
-- Allen and Tildesley, Computer simulation of liquids (1987), chapters 1 and 5.

--| From `b` to `a`, on the shortest way through the walls of the box.
def nearest(a: [3]f64, b: [3]f64, box: f64) -> [3]f64 =
  for i => let d = a[i] - b[i] in d - box * round(d / box)

--| The energy of two atoms whose distance has this square.
def pair(r2: f64) -> f64 =
  let s = 1.0 / (r2 * r2 * r2)
  in if r2 < 6.25 then 4.0 * (s * s - s) else 0.0

--| Pair `k` of the list are the atoms `first[k]` and `second[k]`; the box is `box[0]` wide.
def value(x: [n][3]f64, box: [1]f64, first: [e]i64, second: [e]i64) -> f64 =
  sum(for k =>
    let d = nearest(x[first[k]], x[second[k]], box[0])
    in pair(d @ d))

--| The forces, with the other sign.
def gradient(x: [n][3]f64, box: [1]f64, first: [e]i64, second: [e]i64) -> [n][3]f64 =
  grad(value)(x, box, first, second)
