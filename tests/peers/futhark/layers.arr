-- Products of matrices inside loops, at widths about those of vectors and tiles: recurrences of one, two and three states.

def spread(s: f64, a: f64, b: f64, n: i64, m: i64) -> [n][m]f64 =
  for i < n, j < m => s * sin(a * f64(i) + b * f64(j) + 0.3)
def turned(s: f64, a: f64, l: i64, m: i64) -> [l][m][m]f64 =
  for t < l, i < m, j < m => s * cos(a * f64(i * m + j) + f64(t)) / sqrt(f64(m))

--| A gated unit: a tangent and a sigmoid of two products.
def gated(s: [3]f64, n: i64, m: i64, l: i64) -> (f64, f64) =
  let (w, u, v) = (turned(s[0], 0.7, l, m), turned(s[1], 1.3, l, m), turned(s[2], 0.4, l, m))
  let x = spread(1.0, 0.37, 0.91, n, m)
  let (x, y) = loop (x, y) = (x, x) for i < l do
    let z = tanh(x @ w[i]) * (1.0 / (1.0 + exp(-(x @ u[i]))))
    in (x + z @ v[i], y + z)
  in (sum(flatten(x)), sum(flatten(y * y)))

def highway(s: [2]f64, n: i64, m: i64, l: i64) -> [m]f64 =
  let (w, u) = (turned(s[0], 0.7, l, m), turned(s[1], 1.3, l, m))
  let x = spread(1.0, 0.37, 0.91, n, m)
  let x = loop x = x for i < l do
    let t = sigmoid(x @ u[i]) in t * tanh(x @ w[i]) + (1.0 - t) * x
  in sum(x)

def with_past(s: [2]f64, n: i64, m: i64, l: i64) -> f64 =
  let (w, x) = (turned(s[0], 0.7, l, m), spread(s[1], 0.37, 0.91, n, m))
  let (_, last) = loop (x, last) = (x, x) for i < l do
    let past = for r < n, c < m => if r == 0 then 0.0 else x[r - 1, c]
    let z = x * (past @ w[i])
    in (z @ w[i], z)
  in sum(flatten(last))

def squared(s: [2]f64, n: i64, m: i64, l: i64) -> (f64, f64) =
  let (w, v) = (turned(s[0], 0.7, l, m), turned(s[1], 0.4, l, m))
  let (x, p) = loop (x, p) = (spread(1.0, 0.37, 0.91, n, m), ones(n, m)) for i < l do
    let z = (x @ w[i]) ** 2 in (x + 0.1 * (z @ v[i]), p * z)
  in (sum(flatten(x)), sum(flatten(p)))

def product_of_products(s: [2]f64, n: i64, m: i64, l: i64) -> f64 =
  let (w, v) = (turned(s[0], 0.7, l, m), turned(s[1], 0.4, l, m))
  let (_, z) = loop (x, last) = (spread(1.0, 0.37, 0.91, n, m), zeros(n, m)) for i < l do
    let z = x * (x @ w[i]) in (z @ v[i], z + 0.5 * last)
  in sum(flatten(z))

--| Gated recurrent units over a sequence, with a batch.
def gru_batch(s: [3]f64, b: i64, h: i64, l: i64) -> f64 =
  let w = turned(s[0], 0.7, 3, h)
  let u = turned(s[1], 1.1, 3, h)
  let xs = for t < l => spread(s[2], 0.37, 0.5 + 0.2 * f64(t), b, h)
  let hidden = loop state = zeros(b, h) for x in xs do
    let r = sigmoid(x @ w[0] + state @ u[0])
    let z = sigmoid(x @ w[1] + state @ u[1])
    let c = tanh(x @ w[2] + r * (state @ u[2]))
    in (1.0 - z) * c + z * state
  in sum(flatten(hidden * hidden))

def lstm_batch(s: [3]f64, b: i64, h: i64, l: i64) -> f64 =
  let w = turned(s[0], 0.7, 4, h)
  let u = turned(s[1], 1.1, 4, h)
  let xs = for t < l => spread(s[2], 0.37, 0.5 + 0.2 * f64(t), b, h)
  let (state, cell) = loop (state, cell) = (zeros(b, h), zeros(b, h)) for x in xs do
    let (i, f) = (sigmoid(x @ w[0] + state @ u[0]), sigmoid(x @ w[1] + state @ u[1]))
    let (g, o) = (tanh(x @ w[2] + state @ u[2]), sigmoid(x @ w[3] + state @ u[3]))
    let next = f * cell + i * g
    in (o * tanh(next), next)
  in sum(flatten(state * cell))

def scaled_products(s: [2]f64, n: i64, l: i64) -> [n]f64 =
  let w = turned(s[0], 0.7, l, n)
  let p = loop p = turned(s[1], 0.4, 1, n)[0] for i < l do
    let q = p @ w[i] in q / (1.0 + sum(flatten(q * q))) + transpose(p) * q
  in sum(p)

--| Attention inside of a loop over layers.
def layers_of_attention(s: [3]f64, n: i64, d: i64, l: i64) -> [d]f64 =
  let (q, k, v) = (turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), turned(s[2], 0.4, l, d))
  let x = loop x = spread(1.0, 0.37, 0.91, n, d) for i < l do
    let scores = x @ q[i] @ transpose(x @ k[i])
    let share = for row in scores => let e = exp(row - maximum(row)) in e / sum(e)
    in x + share @ (x @ v[i])
  in sum(x)

--| A product whose operand is made by a gather, one row at a time.
def gathered_rows(s: [2]f64, n: i64, m: i64, l: i64) -> f64 =
  let (w, x) = (turned(s[0], 0.7, l, m), spread(s[1], 0.37, 0.91, n, m))
  let is = for i < n => (i * 7 + 3) % n
  in sum(flatten(loop x = x for i < l do tanh(gather(x, is) @ w[i]) + 0.5 * x))

def step_of_newton_schulz(s: f64, n: i64, l: i64) -> f64 =
  let a = (for i < n, j < n => 0.4 * f64(i == j)) + turned(s, 0.7, 1, n)[0]
  let x = loop x = a for i < l do 1.5 * x - 0.5 * (x @ transpose(x) @ x)
  in sum(flatten(x * a))

def backward_and_forward(s: [2]f64, n: i64, m: i64) -> f64 =
  let (w, x) = (turned(s[0], 0.7, 1, m)[0], spread(s[1], 0.37, 0.91, n, m))
  let (y, back) = vjp(\w => tanh(x @ w), w)
  let g = back(y * y)
  in sum(flatten(x @ g)) + sum(flatten(y))

--| The same loops of two states, with everything as an argument.
def gated_arguments(x: [n][m]f64, w: [l][m][m]f64, u: [l][m][m]f64, v: [l][m][m]f64) -> f64 =
  let (x, s) = loop (x, s) = (x, x) for i < l do
    let z = tanh(x @ w[i]) * sigmoid(x @ u[i]) in (x + z @ v[i], s + z)
  in sum(flatten(x)) + sum(flatten(s * s))

def past_arguments(x: [n][m]f64, w: [l][m][m]f64) -> f64 =
  let (_, last) = loop (x, last) = (x, x) for i < l do
    let z = x * ((for r < n, c < m => if r == 0 then 0.0 else x[r - 1, c]) @ w[i])
    in (z @ w[i], z)
  in sum(flatten(last))

def multiplied_arguments(x: [n][m]f64, w: [l][m][m]f64, v: [l][m][m]f64) -> f64 =
  let (_, last) = loop (x, last) = (x, x) for i < l do let z = x * (x @ w[i]) in (z @ v[i], z)
  in sum(flatten(last))

def squared_arguments(x: [n][m]f64, w: [l][m][m]f64, v: [l][m][m]f64) -> f64 =
  let (x, p) =
    loop (x, p) = (x, x) for i < l do let z = (x @ w[i]) ** 2 in (x + 0.1 * (z @ v[i]), p * z)
  in sum(flatten(x)) + sum(flatten(p))

def residual_arguments(x: [n][m]f64, w: [l][m][m]f64, b: [l][m]f64) -> (f64, [m]f64) =
  let (x, s) = loop (x, s) = (x, zeros(m)) for i < l do
    let y = x @ w[i]
    let z = for row in y => tanh(row + b[i])
    in (x + z, s + sum(y * z))
  in (sum(flatten(x * x)), s)
