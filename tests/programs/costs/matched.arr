-- An array of sums, each element taken apart by `match`.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 5 growth 2
type Step = Scale(f64) | Shift(f64) | Root
def apply(s: Step, y: f64) -> f64 =
  match s { Scale(a) => a * y, Shift(b) => y + b, Root => sqrt(y) }
def f(x: [n]f64) -> f64 =
  sum(for i < n =>
    let s = if x[i] < 0.8 then Scale(x[i]) else if x[i] < 1.2 then Shift(x[i]) else Root
    in apply(s, x[i] + 1.0))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
