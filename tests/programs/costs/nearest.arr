-- The nearest of many centres: the gradient adds one distance a point, however many centres there are.
-- cost: x=[N] c=[N] sizes 8 16 32 64 factor 1.6 growth 4
def f(x: [n]f64, c: [k]f64) -> f64 =
  sum(for i => minimum(for j => sum(for l < 16 => (x[i] * f64(l) - c[j]) ** 2)))
def gradient(x: [n]f64, c: [k]f64) -> (f64, ([n]f64, [k]f64)) =
  value_and_grad(\((x, c)) => f(x, c))((x, c))
