-- Arithmetic that costs less than the memory it reads and writes.

def value(x: [n]f64, y: [n]f64) -> f64 =
  sum(for i => let r = 2.5 * x[i] + y[i] in r * r)

def gradient(x: [n]f64, y: [n]f64) -> ([n]f64, [n]f64) =
  grad(\((x, y)) => value(x, y))((x, y))
