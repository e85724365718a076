-- As many steps as the number of the point, and an element of another array in each of them.
-- cost: x=[N] w=[N] sizes 16 32 64 128 factor 6 growth 4
def f(x: [n]f64, w: [n]f64) -> f64 =
  sum(for i => loop y = x[i] for k < i do 0.5 * y + sin(y * w[k]))
def gradient(x: [n]f64, w: [n]f64) -> (f64, ([n]f64, [n]f64)) =
  value_and_grad(\((x, w)) => f(x, w))((x, w))
