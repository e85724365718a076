-- Programs that take values of each kind of type.

type Line = { slope: f64, offset: f64 }

def main(x: [n]f64) -> f64 = sum(x)

def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)

def scaled(k: f64, x: [n]f64) -> [n]f64 = k * x

def square(n: i64, x: [n][n]f64) -> [n]f64 = for i < n => x[i, i]

def predict(line: Line, x: [n]f64) -> [n]f64 = line.slope * x + line.offset

def both(p: { xs: [n]f64, scale: f64 }) -> (f64, [n]f64) = (sum(p.xs), p.scale * p.xs)

def three() -> i64 = 3

def at(x: [n]f64, i: i64) -> f64 = x[i]
