-- Concatenated, reversed, rotated, padded: elements move, nothing is added up.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64) -> f64 =
  let y = concat(x, reverse(x))
  let z = pad(rotate(y, 3), (1, 2), 0.5)
  in sum(z * z)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
