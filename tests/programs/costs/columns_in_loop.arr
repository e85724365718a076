-- One column written in every step of a loop, and a slice of two.
-- cost: x=[N] sizes 16 64 256 1024 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let a = loop a = zeros(3, n) for i < n do
    a with [:, i] = [x[i], 2.0, x[i] * x[i]] with [1:, i] = [x[i], x[i]]
  in sum(sum(a))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
