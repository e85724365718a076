-- The cost of k-means: its gradient, and the diagonal of its second derivative.

--| The sum of the squares of the distances of the points from the centres nearest to them.
def value(centres: [k][d]f64, points: [n][d]f64) -> f64 =
  sum(for p in points => minimum(for c in centres => sum((p - c) ** 2)))

--| No centre's slope depends on another number, so the product of the second derivative with ones is its diagonal.
def gradient(centres: [k][d]f64, points: [n][d]f64) -> ([k][d]f64, [k][d]f64) =
  jvp(\c => grad(value)(c, points), centres, ones(k, d))
