-- Declared derivatives, tests and steps that do not fit.
def cube(x: f64) -> f64 = x ** 3
derivative cube(x, dy) = 3.0 * x * x * dy
def step(x: [n]f64) -> f64 = sum(x[::0])
test "a number" = 1.0
