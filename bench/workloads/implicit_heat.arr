-- Heat in a rod that conducts better where it is hot: a step is implicit in the temperature, with the conductivity of the step
-- before, and solves a tridiagonal system by Thomas' algorithm. Press et al., Numerical Recipes, sections 2.4 and 20.2.

--| The solution `x` of `a[i] * x[i-1] + b[i] * x[i] + c[i] * x[i+1] == d[i]`; `a[0]` and `c[n-1]` are not read.
def thomas(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64) -> [n]f64 =
  let first = (zeros(n) with [0] = c[0] / b[0], zeros(n) with [0] = d[0] / b[0])
  let (p, q) = loop (p, q) = first for k < n - 1 do
    let i = k + 1
    let pivot = b[i] - a[i] * p[i - 1]
    in (p with [i] = c[i] / pivot, q with [i] = (d[i] - a[i] * q[i - 1]) / pivot)
  in loop x = q for k < n - 1 do
    let i = n - 2 - k
    in x with [i] = q[i] - p[i] * x[i + 1]

--| The temperatures after a step; both ends are kept at zero, beside the first and the last point.
def step(u: [n]f64, conductivity: [n]f64) -> [n]f64 =
  let k = conductivity * (1.0 + 0.5 * u * u)
  let left = for i => if i == 0 then k[0] else 0.5 * (k[i - 1] + k[i])
  let right = for i => if i == n - 1 then k[n - 1] else 0.5 * (k[i] + k[i + 1])
  in thomas(-left, 1.0 + left + right, -right, u)

def value(u: [n]f64, conductivity: [n]f64, target: [n]f64, steps: i64) -> f64 =
  let last = loop u = u for t < steps do step(u, conductivity)
  in sum((last - target) ** 2)

def gradient(u: [n]f64, conductivity: [n]f64, target: [n]f64, steps: i64) -> ([n]f64, [n]f64) =
  grad(\((u, conductivity)) => value(u, conductivity, target, steps))((u, conductivity))
