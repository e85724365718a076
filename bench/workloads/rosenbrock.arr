-- A curved valley in a few dimensions. Rosenbrock, An automatic method for finding the greatest or least value of a function
-- (1960), in the form with more than two numbers.

def value(x: [n]f64) -> f64 =
  sum(for i < n - 1 => 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2)

def gradient(x: [n]f64) -> [n]f64 = grad(value)(x)
