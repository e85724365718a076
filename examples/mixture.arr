-- A Gaussian mixture fitted to Fisher's irises by following the gradient of its log-density uphill.
--
-- $ arr run examples/mixture.arr xs=@examples/data/iris.csv

--| `k` Gaussians in `d` dimensions. Component `j` has the weight `exp(logw[j])` up to scale, and the inverse of its
--| covariance is `s' @ s`, where `s` is lower triangular: `exp(logdiag[j])` on the diagonal, `below[j]` under it.
type Mixture[k, d] = { logw: [k]f64, mean: [k][d]f64, logdiag: [k][d]f64, below: [k][d][d]f64 }

def tau = 6.283185307179586

def logsumexp(x: [n]f64) -> f64 =
  let m = maximum(x)
  in m + log(sum(exp(x - m)))

def scale(logdiag: [d]f64, below: [d][d]f64) -> [d][d]f64 =
  for a < d, b < d =>
    if a == b then exp(logdiag[a]) else if a > b then below[a, b] else 0.0

--| The logarithm of the density of the points `xs` under the mixture `p`.
def density(p: Mixture[k, d], xs: [n][d]f64) -> f64 =
  let scales = for j => scale(p.logdiag[j], p.below[j])
  let score = for x in xs =>
    logsumexp(for j =>
      let r = scales[j] @ (x - p.mean[j])
      in p.logw[j] + sum(p.logdiag[j]) - 0.5 * sum(r * r))
  in sum(score) - f64(n) * (logsumexp(p.logw) + 0.5 * f64(d) * log(tau))

def gradient(p: Mixture[k, d], xs: [n][d]f64) -> Mixture[k, d] =
  grad(\q => density(q, xs))(p)

def step(p: Mixture[k, d], g: Mixture[k, d], rate: f64) -> Mixture[k, d] = {
  logw = p.logw + rate * g.logw,
  mean = p.mean + rate * g.mean,
  logdiag = p.logdiag + rate * g.logdiag,
  below = p.below + rate * g.below
}

--| `steps` steps of gradient ascent: the density before each step, and the mixture after the last.
def train(
  start: Mixture[k, d],
  xs: [n][d]f64,
  steps: i64,
  rate: f64
) -> ([steps]f64, Mixture[k, d]) =
  loop (seen, p) = (zeros(steps), start) for i < steps do
    let (now, g) = value_and_grad(\q => density(q, xs))(p)
    in (seen with [i] = now, step(p, g, rate))

--| Three equal round components, centred on three of the points.
def begin(xs: [n][d]f64) -> Mixture[3, d] = {
  logw = zeros(3),
  mean = for j < 3 => xs[n * (2 * j + 1) / 6],
  logdiag = zeros(3, d),
  below = zeros(3, d, d)
}

--| The log-density after every 20 steps, and the weights and centres at the end.
def main(xs: [n][d]f64) -> { density: [11]f64, weight: [3]f64, mean: [3][d]f64 } =
  let (seen, p) = train(begin(xs), xs, 201, 0.0005)
  in {
    density = for i < 11 => seen[20 * i],
    weight = exp(p.logw - logsumexp(p.logw)),
    mean = p.mean
  }
