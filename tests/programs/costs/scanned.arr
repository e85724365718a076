-- A scan of pairs by a function of its own: a recurrence that is linear in the state.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  let ys = scan(\(p, q) => (p.0 * q.0, p.1 * q.0 + q.1), (1.0, 0.0), for e in x => (0.5 * e, e))
  in sum(for y in ys => y.1)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
