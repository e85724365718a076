-- A record of arrays and an array of records as the state of a loop, one element of each written in every step.
-- cost: x=[N] sizes 16 64 256 1024 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let r = loop r = { a = zeros(n), b = for v in x => (v, 0) } for i < n do
    { a = r.a with [i] = x[i] * r.b[i].0, b = r.b with [i] = (x[i] * x[i], r.b[i].1 + i) }
  in sum(r.a) + sum(for p in r.b => p.0)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
