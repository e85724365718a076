-- Derivatives by parameters that are named, or given by their places.
def model(w: [n][m]f64, x: [n]f64, b: [m]f64, k: i64) -> f64 =
  sum(for j < m => tanh(sum(for i < n => x[i] * w[i, j]) + b[j]) ** 2) * f64(k)

def by_names(w: [n][m]f64, x: [n]f64, b: [m]f64, k: i64) -> ([m]f64, [n][m]f64) =
  grad[b, w](model)(w, x, b, k)
def by_places(w: [n][m]f64, x: [n]f64, b: [m]f64, k: i64) -> ([m]f64, [n][m]f64) =
  grad[2, 0](model)(w, x, b, k)
def by_hand(w: [n][m]f64, x: [n]f64, b: [m]f64, k: i64) -> ([m]f64, [n][m]f64) =
  let y = tanh(x @ w + b)
  let d = 2.0 * y * (1.0 - y ** 2) * f64(k)
  in (d, for i, j => x[i] * d[j])
-- > by_names([[0.5, -1.0], [0.25, 2.0]], [1.0, -2.0], [0.1, 0.2], 3)
-- ([0.5920675305271955, -0.0016250493734320539],
--  [[0.5920675305271955, -0.0016250493734320539], [-1.184135061054391, 0.0032500987468641078]])
-- > by_places([[0.5, -1.0], [0.25, 2.0]], [1.0, -2.0], [0.1, 0.2], 3) == by_names([[0.5, -1.0], [0.25, 2.0]], [1.0, -2.0], [0.1, 0.2], 3)
-- true
-- > by_hand([[0.5, -1.0], [0.25, 2.0]], [1.0, -2.0], [0.1, 0.2], 3)
-- ([0.5920675305271955, -0.0016250493734320539],
--  [[0.5920675305271955, -0.0016250493734320539], [-1.184135061054391, 0.0032500987468641078]])

-- The derivative of a derivative by another parameter, both ways round.
def mixed(x: [n]f64, y: [n]f64) -> [n][n]f64 =
  jacrev[y](grad[x](\(x, y) => sum(sin(x * y)) * sum(x)))(x, y)
def turned(x: [n]f64, y: [n]f64) -> [n][n]f64 =
  transpose(jacfwd[x](grad[y](\(x, y) => sum(sin(x * y)) * sum(x)))(x, y))
-- > mixed([0.5, 1.5], [2.0, -1.0])
-- [[-0.3321862049454436, 0.10610580250155435], [0.2701511529340699, -2.7449047539752036]]
-- > turned([0.5, 1.5], [2.0, -1.0])
-- [[-0.3321862049454436, 0.10610580250155435], [0.2701511529340699, -2.7449047539752036]]

-- A direction, and the pullback along it: the inner products are equal.
def inner_products(a: f64, x: [n]f64, u: [n]f64, da: f64, dx: [n]f64, dy: [n]f64) -> (f64, f64) =
  let f = \(a, u, x) => for i => a * exp(x[i]) * u[i]
  let (y, t) = jvp[x, a](f, a, u, x, (dx, da))
  let (y', pull) = vjp[x, a](f, a, u, x)
  let (gx, ga) = pull(dy)
  in (sum(t * dy), sum(gx * dx) + ga * da)
-- > inner_products(0.5, [0.1, -0.2], [1.0, 3.0], 2.0, [0.3, 0.4], [1.0, -1.0])
-- (-3.027505496452038, -3.027505496452038)
-- check-grad: \p => model(p.w, [1.0, -2.0], p.b, 2) at { w = [[0.5, -1.0], [0.25, 2.0]], b = [0.1, 0.2] }
