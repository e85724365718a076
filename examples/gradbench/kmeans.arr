-- GradBench's `kmeans`: the cost of a clustering, and the step of Newton's method for it.
--
-- $ arr test examples/gradbench/kmeans.arr

--| The square of the distance of two points.
--| > distance([0.0, 0.0], [3.0, 4.0])
--| 25.0
def distance(p: [d]f64, c: [d]f64) -> f64 = sum((p - c) ** 2)

--| The sum of the squares of the distances of the points from the centroids nearest to them. The nearest is looked for first, so
--| that derivatives are of one distance a point and not of all.
--| > cost([[0.0, 0.0], [3.0, 4.0]], [[0.0, 1.0], [3.0, 3.0]])
--| 2.0
def cost(points: [n][d]f64, centroids: [k][d]f64) -> f64 =
  sum(for p in points =>
    let nearest = argmin(for c in centroids => distance(p, c))
    in distance(p, centroids[nearest]))

--| The gradient over the diagonal of the second derivative. That diagonal is the whole of it, so that its product with ones
--| gives it at the cost of one gradient.
--| > dir([[0.0], [2.0], [9.0]], [[0.0], [8.0]])
--| [[-1.0], [-1.0]]
def dir(points: [n][d]f64, centroids: [k][d]f64) -> [k][d]f64 =
  let slope = grad(\c => cost(points, c))
  let (gradient, diagonal) = jvp(slope, centroids, ones(k, d))
  in gradient / diagonal

test "a step leads to the means" within 1e-12 =
  let points = [[0.0, 1.0], [2.0, 2.0], [9.0, 9.0], [7.0, 8.0], [8.0, 7.0]]
  let centroids = [[0.0, 0.0], [8.0, 9.0]]
  in centroids - dir(points, centroids) == [[1.0, 1.5], [8.0, 8.0]]
