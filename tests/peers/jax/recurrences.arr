-- Loops over matrices: iterations of numerical linear algebra, and recurrent networks of several states.
import linalg
import stats

def spread(s: f64, a: f64, b: f64, n: i64, m: i64) -> [n][m]f64 =
  for i < n, j < m => s * sin(a * f64(i) + b * f64(j) + 0.3)
def turned(s: f64, a: f64, l: i64, m: i64) -> [l][m][m]f64 =
  for t < l, i < m, j < m => s * cos(a * f64(i * m + j) + f64(t)) / sqrt(f64(m))

--| The exponential by its series.
def series(s: f64, n: i64, l: i64) -> f64 =
  let a = turned(s, 0.7, 1, n)[0]
  let (total, _) = loop (total, term) = (linalg.identity(n), linalg.identity(n)) for k < l do
    let next = term @ a / f64(k + 1) in (total + next, next)
  in sum(flatten(total * a))

--| The inverse by Newton's iteration.
def inverse(s: f64, n: i64, l: i64) -> f64 =
  let a = linalg.identity(n) + turned(s, 0.7, 1, n)[0]
  let x = loop x = transpose(a) * 0.3 for k < l do 2.0 * x - x @ (a @ x)
  in sum(flatten(x * x))

--| The root and its inverse, side by side.
def coupled_roots(s: f64, n: i64, l: i64) -> f64 =
  let one = linalg.identity(n)
  let b = turned(s, 0.7, 1, n)[0]
  let (y, z) = loop (y, z) = (one + 0.3 * (b @ transpose(b)), one) for k < l do
    let t = 0.5 * (3.0 * one - z @ y) in (y @ t, t @ z)
  in sum(flatten(y * (z + y)))

--| Two vectors that are kept orthogonal.
def subspace(s: f64, n: i64, l: i64) -> f64 =
  let a = turned(s, 0.7, 1, n)[0] + 2.0 * linalg.identity(n)
  let (u, v) = loop (u, v) = (replicate(n, 1.0), for i < n => f64(i % 3) - 0.5) for k < l do
    let p = a @ u
    let p = p / linalg.norm(p)
    let q = a @ v
    let q = q - (p @ q) * p
    in (p, q / linalg.norm(q))
  in u @ (a @ u) + 2.0 * (v @ (a @ v))

--| Rows and columns scaled in turn.
def sinkhorn(s: f64, n: i64, m: i64, l: i64) -> f64 =
  let c = spread(s, 0.37, 0.91, n, m)
  let k = exp(c)
  let (u, v) = loop (u, v) = (ones(n), ones(m)) for t < l do
    let u = 1.0 / (k @ v) in (u, 1.0 / (transpose(k) @ u))
  in sum(flatten(for i, j => u[i] * k[i, j] * v[j] * c[i, j]))

def riccati(s: [2]f64, n: i64, l: i64) -> f64 =
  let a = turned(s[0], 0.7, 1, n)[0]
  let p = loop p = linalg.identity(n) for t < l do
    let q = a @ p @ transpose(a) + s[1] * linalg.identity(n)
    in q - 0.1 * (q @ q)
  in sum(linalg.diagonal(p)) + sum(flatten(p * a))

--| Updates of rank one.
def rank_one_updates(s: f64, n: i64, l: i64) -> f64 =
  let us = spread(s, 0.37, 0.91, l, n)
  let h = loop h = linalg.identity(n) for u in us do
    let w = h @ u in h - linalg.outer(w, w) / (1.0 + u @ w)
  in sum(flatten(h * h))

--| A linear state that outer products of keys and values are added to.
def linear_attention(s: [3]f64, n: i64, d: i64) -> f64 =
  let (q, k, v) =
    (spread(s[0], 0.37, 0.91, n, d), spread(s[1], 0.53, 0.29, n, d), spread(s[2], 0.11, 0.73, n, d))
  let (_, total) = loop (m, total) = (zeros(d, d), 0.0) for t < n do
    let m = 0.9 * m + linalg.outer(v[t], k[t])
    let o = m @ q[t]
    in (m, total + o @ o)
  in total

--| A memory that is corrected by what it would have answered.
def delta_rule(s: [3]f64, n: i64, d: i64) -> f64 =
  let (q, k, v) =
    (spread(s[0], 0.37, 0.91, n, d), spread(s[1], 0.53, 0.29, n, d), spread(s[2], 0.11, 0.73, n, d))
  let (_, out) = loop (m, out) = (zeros(d, d), zeros(n, d)) for t < n do
    let e = v[t] - m @ k[t]
    let m = m + 0.5 * linalg.outer(e, k[t])
    in (m, out with [t] = m @ q[t])
  in sum(flatten(out * out))

--| Residual layers with normalisation before each product.
def residual_stack(s: [2]f64, n: i64, d: i64, l: i64) -> [d]f64 =
  let (w, u) = (turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d))
  let x = loop x = spread(1.0, 0.37, 0.91, n, d) for i < l do
    let normed = for row in x => let c = row - mean(row) in c / sqrt(mean(c * c) + 1e-5)
    in x + tanh(normed @ w[i]) @ u[i]
  in sum(x * x)

--| Messages along the edges of a graph.
def graph_network(s: [2]f64, n: i64, d: i64, l: i64) -> f64 =
  let (w, u) = (turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d))
  let from = for e < 2 * n => (e * 5 + 1) % n
  let to = for e < 2 * n => (e * 3 + 2) % n
  let x = loop x = spread(1.0, 0.37, 0.91, n, d) for i < l do
    let message = gather(x, from) @ w[i]
    in tanh(x @ u[i] + scatter_add(zeros(n, d), to, message))
  in sum(flatten(x))

--| A matrix of polynomials of another, three terms at a time.
def chebyshev(s: f64, n: i64, l: i64) -> f64 =
  let a = turned(s, 0.7, 1, n)[0]
  let (_, t, total) = loop (before, t, total) = (linalg.identity(n), a, zeros(n, n)) for k < l do
    let next = 2.0 * (a @ t) - before in (t, next, total + t / f64(k + 1))
  in sum(flatten(total)) + sum(flatten(t * a))

--| Minimal gated units with three states that all change.
def three_states(s: [3]f64, n: i64, d: i64, l: i64) -> f64 =
  let (w, u, v) = (turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), turned(s[2], 0.4, l, d))
  let x = spread(1.0, 0.37, 0.91, n, d)
  let (a, b, c) = loop (a, b, c) = (x, 0.5 * x, x * x) for i < l do
    let f = sigmoid(a @ w[i] + b)
    let g = tanh(c @ u[i])
    in (f * a + (1.0 - f) * g, b + g @ v[i], f * c)
  in sum(flatten(a * b + c))

--| Symplectic steps of coupled oscillators.
def oscillators(s: [2]f64, n: i64, l: i64) -> f64 =
  let k = let b = turned(s[0], 0.7, 1, n)[0] in b @ transpose(b)
  let (p, q) = loop (p, q) = (zeros(n, 3), spread(s[1], 0.37, 0.91, n, 3)) for t < l do
    let p = p - 0.1 * (k @ q + q ** 3) in (p, q + 0.1 * p)
  in sum(flatten(p * p)) + sum(flatten(q * (k @ q)))

--| Weights that one network makes for another.
def made_weights(s: [2]f64, n: i64, d: i64, l: i64) -> f64 =
  let (w, u) = (turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d))
  let x = spread(1.0, 0.37, 0.91, n, d)
  let (x, _) = loop (x, m) = (x, u[0]) for i < l do
    let m = tanh(m @ w[i] + u[i]) in (tanh(x @ m), m)
  in sum(flatten(x * x))
