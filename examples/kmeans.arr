-- k-means on Fisher's irises: Lloyd's method until no flower changes its cluster, and the first and second derivatives
-- of the cost with respect to the centres.
--
-- $ arr run examples/kmeans.arr xs=@examples/data/iris.csv
-- $ arr run examples/kmeans.arr --entry slopes xs=@examples/data/iris.csv
-- $ arr test examples/kmeans.arr
-- $ arr check-grad examples/kmeans.arr --entry cost [[0.1,0.2],[3.0,2.0]] [[0.0,0.0],[1.0,0.0],[4.0,2.5]]

--| The square of the distance of two points.
--| > distance([0.0, 0.0], [3.0, 4.0])
--| 25.0
def distance(x: [d]f64, y: [d]f64) -> f64 = sum((x - y) ** 2)

--| The sum of the squares of the distances of the points from the centres nearest to them.
def cost(centres: [k][d]f64, xs: [n][d]f64) -> f64 =
  sum(for x in xs => minimum(for c in centres => distance(x, c)))

--| Which centre is nearest to each point; at a tie the first.
def nearest(centres: [k][d]f64, xs: [n][d]f64) -> [n]i64 =
  for x in xs => argmin(for c in centres => distance(x, c))

--| The mean of the points of each cluster. One without points keeps its centre.
def means(centres: [k][d]f64, cluster: [n]i64, xs: [n][d]f64) -> [k][d]f64 =
  let count = scatter_add(zeros(k), cluster, ones(n))
  let total = scatter_add(zeros(k, d), cluster, xs)
  in for j, c => if count[j] > 0.0 then total[j, c] / count[j] else centres[j, c]

--| Lloyd's method from `centres` until no point moves to another cluster.
def lloyd(
  centres: [k][d]f64,
  xs: [n][d]f64
) -> { centres: [k][d]f64, cluster: [n]i64, rounds: i64 } =
  let start = { centres, cluster = replicate(n, -1), rounds = 0 }
  in loop s = start while any(nearest(s.centres, xs) != s.cluster) do
    let cluster = nearest(s.centres, xs)
    in { centres = means(s.centres, cluster, xs), cluster, rounds = s.rounds + 1 }

--| The gradient of the cost and the diagonal of its second derivative. That is all there is of the second derivative:
--| no centre's slope depends on another number, so its product with ones is its diagonal, at the cost of one gradient.
def derivatives(centres: [k][d]f64, xs: [n][d]f64) -> { gradient: [k][d]f64, diagonal: [k][d]f64 } =
  let (gradient, diagonal) = jvp(\c => grad(cost)(c, xs), centres, ones(k, d))
  in { gradient, diagonal }

--| Three flowers to begin with, one of each third of the list.
def begin(xs: [n][d]f64) -> [3][d]f64 = for j < 3 => xs[n * (2 * j + 1) / 6]

def main(xs: [n][d]f64) -> { cost: f64, rounds: i64, centres: [3][d]f64, cluster: [n]i64 } =
  let { centres, cluster, rounds } = lloyd(begin(xs), xs)
  in { cost = cost(centres, xs), rounds, centres, cluster }

def slopes(xs: [n][d]f64) -> { gradient: [3][d]f64, diagonal: [3][d]f64 } =
  derivatives(begin(xs), xs)

def _grid: [6][2]f64 = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0], [5.0, 7.0]]
test "two heaps" = lloyd([_grid[0], _grid[1]], _grid).cluster == [0, 0, 0, 1, 1, 1]
test "where it stops the cost is level" within 1e-12 =
  derivatives(lloyd(begin(_grid), _grid).centres, _grid).gradient == zeros(3, 2)
test "a step of Newton's method is one of Lloyd's" within 1e-9 (xs: [n+3][d]f64) =
  let { gradient, diagonal } = derivatives(begin(xs), xs)
  let newton = for j, c =>
    if diagonal[j, c] > 0.0 then begin(xs)[j, c] - gradient[j, c] / diagonal[j, c]
    else begin(xs)[j, c]
  in newton == means(begin(xs), nearest(begin(xs), xs), xs)
