-- Every element of an array by its index, and one field of each record.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let ps = for e in x => { a = e * e, b = (e, 2.0 * e), c = 1 }
  in sum(for i < n => ps[i].a * ps[n - 1 - i].b.1)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
