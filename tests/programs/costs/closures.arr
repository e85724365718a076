-- Closures that call each other in turn, and capture what was before. (Quadratic by CHAD's rules as printed.)
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  sum(for e in x =>
    let f1 = \y => y * e
    let f2 = \y => f1(y) * y
    let f3 = \y => f2(y) + f1(y)
    let f4 = \y => f3(y) * e
    let f5 = \y => f4(y) + y
    in f5(e))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
