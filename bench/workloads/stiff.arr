-- A chain of decays, each `n` steps long, whose rates differ by powers of ten: Euler's implicit method.

--| Substance `i` becomes substance `i + 1` at the rate `rates[i]`. A step solves a bidiagonal system, from the top down.
def step(y: [n]f64, rates: [n]f64, h: f64) -> [n]f64 =
  let (next, _) = loop (next, inflow) = (y, 0.0) for i < n do
    let new = (y[i] + h * inflow) / (1.0 + h * rates[i])
    in (next with [i] = new, rates[i] * new)
  in next

def value(rates: [n]f64, start: [n]f64, steps: i64) -> f64 =
  let y = loop y = start for t < steps do step(y, rates, 0.01)
  in sum(y * y)

def gradient(rates: [n]f64, start: [n]f64, steps: i64) -> ([n]f64, [n]f64) =
  grad(\((rates, start)) => value(rates, start, steps))((rates, start))
