-- Updates in a loop inside a loop, in a branch, and of an array that is read after its update is written down.
-- cost: x=[N] sizes 16 64 256 1024 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let (a, s) = loop (a, s) = (x, 0.0) for i < n do
    let b = loop b = a for j < 3 do if j < 2 then b with [i] = b[i] * 1.5 else b
    in (b with [i] = s, s + b[i])
  in sum(a) + s
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
