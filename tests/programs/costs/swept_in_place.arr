-- cost: x=[N] rates=[N] sizes 16 32 64 factor 4.6 growth 2
-- Steps that update an array from the top down and read what it was before: the loop of a step is neither run again
-- nor undone twice.
def step(y: [n]f64, rates: [n]f64) -> [n]f64 =
  let (next, _) = loop (next, inflow) = (y, 0.0) for i < n do
    let new = (y[i] + 0.1 * inflow) / (1.0 + 0.1 * rates[i])
    in (next with [i] = new, rates[i] * new)
  in next

def f(x: [n]f64, rates: [n]f64) -> f64 = sum(loop y = x for t < 20 do step(y, rates))

def gradient(x: [n]f64, rates: [n]f64) -> (f64, ([n]f64, [n]f64)) =
  value_and_grad(\((x, rates)) => f(x, rates))((x, rates))
