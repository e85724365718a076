-- An array with fewer axes goes with the last ones of the other.
def f(x: [n][m]f64, y: [n]f64) -> [n][m]f64 = x + y
def g(x: [n][m]f64) -> f64 = sum(x)
def h(x: [n]f64) -> [n]f64 = transpose(x)
