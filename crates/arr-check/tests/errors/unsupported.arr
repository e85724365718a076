type Shape = Circle(f64) | Square(f64)
def area(s: Shape) -> f64 = match s { Circle(r) => r, Square(a) => a }
def make(x: f64) -> f64 = let s = Circle(x) in x
def while_(x: f64) -> f64 = loop y = x while y > 1.0 do y / 2.0
def sorted(x: [n]f64) -> [n]f64 = sort(x)
def steps(x: [n]f64) -> [n]f64 = x[0:n:2]
def replaced(x: [n]f64) -> [n]f64 = x with [0:2] = [1.0, 2.0]
def fine(x: f64) -> f64 = x
