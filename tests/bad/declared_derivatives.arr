-- Declared derivatives, tests and steps that do not fit.
def cube(x: f64) -> f64 = x ** 3
derivative cube(x, dy) = 3.0 * x * x * dy
def step(x: [n]f64) -> f64 = sum(x[::0])
test "a number" = 1.0
-- Another type than the arguments have.
def square(x: f64) -> f64 = x ** 2
derivative square(x, y, dy) = [2.0 * x * dy]
def power(x: f64, k: i64) -> f64 = x ** k
derivative power(x, k, y, dy) = 3.0 * dy
def total(x: [n]f64) -> f64 = sum(x)
derivative total(x, y, dy) = dy
def scaled(x: f64, k: f64) -> f64 = x * k
derivative scaled(x, k, y, dy: f32) = (dy, dy)
-- Nothing to differentiate, or nothing of the name.
def whole(x: f64) -> i64 = i64(x)
derivative whole(x, y, dy) = 0.0
derivative other(x, y, dy) = dy
