-- The file ends inside a definition.
def f(x: [n]f64) -> f64 =
  sum(for i => (x[i] + 1.0
