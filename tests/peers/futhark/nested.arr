-- Nested maps, products of matrices, applications, sums, derivatives of derivatives.

type Shape = Circle(f64) | Box(f64, f64) | Poly([3]f64)
type Step = { scale: f64, shift: [2]f64 }

def product(a: [n][m]f64, b: [m][p]f64) -> [n][p]f64 = for i, j => sum(for k => a[i, k] * b[k, j])

def product_chain(a: [n][m]f64, b: [m][p]f64, v: [p]f64) -> [n]f64 =
  sin(a @ b) @ v + a @ (b @ (v * v))

def gram(a: [n][m]f64) -> [m][m]f64 = transpose(a) @ a * (a[0] @ a[1])

def outer_sum(x: [n]f64, y: [m]f64) -> f64 = sum(for u in x => product_of(for v in y => u + v * u))
def product_of(x: [n]f64) -> f64 = reduce((*), 1.0, x)

def map_of_map(a: [n][m]f64, x: [m]f64) -> [n][m]f64 =
  for i => let s = a[i] @ x in for j => sin(a[i, j]) * s * x[m - 1 - j]

--| The cost of k-means: each point to its nearest centre.
def kmeans(centres: [k][d]f64, points: [n][d]f64) -> f64 =
  sum(for p in points => minimum(for c in centres => sum((p - c) ** 2)))

--| One step of Newton's method for k-means by the diagonal of its Hessian.
def kmeans_step(centres: [k][d]f64, points: [n][d]f64) -> [k][d]f64 =
  let cost = \c => kmeans(c, points)
  let (g, h) = jvp(grad(cost), centres, ones(k, d))
  in centres - 0.9 * g / h

def gmm(alpha: [k]f64, means: [k][d]f64, scale: [k][d]f64, points: [n][d]f64) -> f64 =
  let logsumexp = \z => let m = maximum(z) in m + log(sum(exp(z - m)))
  let total = sum(for p in points =>
    logsumexp(for j => alpha[j] + sum(scale[j]) - 0.5 * sum((exp(scale[j]) * (p - means[j])) ** 2)))
  in total - f64(n) * logsumexp(alpha)

--| Cross sections by complex poles, with windows that energies look up.
def cross_section(energies: [n]f64, poles: [w][p][4]f64) -> [n]f64 =
  for e in energies =>
    let at = max(min(i64(floor(e * f64(w))), w - 1), 0)
    let root = sqrt(e)
    in sum(for pole in poles[at] =>
      let (u, v) = (pole[0] - root, pole[1])
      in (pole[2] * u + pole[3] * v) / (u * u + v * v))
      / e

def areas(x: [n]f64, kinds: [n]i64) -> [n]f64 =
  for i =>
    let shape = match kinds[i] {
      0 => Circle(x[i]),
      1 => Box(x[i], x[(i + 1) % n]),
      _ => Poly([x[i], 1.0, x[0]])
    }
    in match shape {
      Circle(r) => 3.0 * r * r,
      Box(w, h) => w * h + sin(w),
      Poly(c) => c[0] * c[1] * c[2] + c[0]
    }

def steps(x: [n]f64, y: [2]f64) -> [2]f64 =
  let first: Step = { scale = 1.5, shift = y }
  let last = loop s = first for v in x do { scale = s.scale * v, shift = s.shift * v + s.scale }
  in last.shift * last.scale

def gradient_of_gradient(x: [n]f64) -> f64 =
  let f = \x => product_of(x) + sum(x ** 3)
  in sum(grad(\y => sum(grad(f)(y) ** 2))(x))

def forward_in_reverse(x: [n]f64, v: [n]f64) -> f64 =
  let (_, dy) = jvp(\x => sin(x) * sum(x), x, v) in sum(dy * dy)

def reverse_in_forward(x: [n]f64, v: [n]f64) -> [n]f64 =
  let (_, dy) = jvp(\x => let (y, back) = vjp(\z => exp(z) * z[0], x) in back(y), x, v) in dy

def jacobian_sum(x: [n]f64) -> [n][n]f64 =
  let j = jacfwd(\x => cumprod(x) * x[0])(x) in j @ jacrev(\x => sin(x) * sum(x))(x)

def hessian_product(x: [n]f64, v: [n]f64) -> [n]f64 =
  hessian(\x => product_of(x) + sum(sin(x)) ** 2)(x) @ v

def stopped(x: [n]f64) -> f64 = sum(x * stop_gradient(sin(x))) + x[0]

def checkpointed(x: [n]f64, k: i64) -> f64 =
  sum(loop y = x for i < k do checkpoint(\y => sin(y) * sum(y) + x)(y))

def norm_of_rows(a: [n][m]f64) -> f64 = sum(for row in a => sqrt(row @ row + 1.0)) * sum(flatten(a))

def bound_in_map(x: [n]f64, y: [m]f64) -> [n]f64 =
  for u in x => let f = \v => v * u in sum(map(\v => f(f(v)), y))
