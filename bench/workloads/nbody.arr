-- Bodies under softened gravity, by the leapfrog method, and what their distance in the end owes to the beginning.

def accelerations(x: [n][3]f64, m: [n]f64) -> [n][3]f64 =
  for p in x =>
    sum(for j =>
      let r = x[j] - p
      let d2 = r @ r + 0.0025
      in m[j] / (d2 * sqrt(d2)) * r)

def value(x: [n][3]f64, v: [n][3]f64, m: [n]f64, steps: i64) -> f64 =
  let h = 0.01
  let (x, _) = loop (x, v) = (x, v) for step < steps do
    let half = v + 0.5 * h * accelerations(x, m)
    let next = x + h * half
    in (next, half + 0.5 * h * accelerations(next, m))
  in sum(flatten(x * x))

def gradient(x: [n][3]f64, v: [n][3]f64, m: [n]f64, steps: i64) -> ([n][3]f64, [n][3]f64, [n]f64) =
  grad(\((x, v, m)) => value(x, v, m, steps))((x, v, m))
