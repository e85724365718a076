type Line = { slope: f64, offset: f64 }

def loss(line: Line, x: [n]f64, y: [n]f64) -> f64 =
  let r = line.slope * x + line.offset - y
  in sum(r * r)

def square(x: f64) -> f64 = x * x

def kink(x: f64) -> f64 = if x > 0.0 then x else 0.0

def count(x: [n]i64) -> i64 = sum(x)

def vector(x: [n]f64) -> [n]f64 = x * x
