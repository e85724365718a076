type Mixture[k, d] = { logw: [k]f64, mean: [k][d]f64, prec: [k][d][d]f64 }

def logsumexp(x: [n]f64) -> f64 =
  let m = maximum(x)
  in m + log(sum(exp(x - m)))

def density(p: Mixture[k, d], xs: [n][d]f64) -> f64 =
  let score = for x in xs =>
    logsumexp(for j =>
      let r = p.prec[j] @ (x - p.mean[j])
      in p.logw[j] - 0.5 * sum(r * r))
  in sum(score) - f64(n) * logsumexp(p.logw)

def step(p: Mixture[k, d], xs: [n][d]f64, rate: f64) -> Mixture[k, d] =
  let g = grad(\q => density(q, xs))(p)
  in { logw = p.logw + rate * g.logw, mean = p.mean + rate * g.mean, prec = p.prec + rate * g.prec }
