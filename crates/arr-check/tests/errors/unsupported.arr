type Shape = Circle(f64) | Square(f64)
def area(s: Shape) -> f64 = match s { Circle(r) => r, Square(a) => a }
def make(x: f64) -> f64 = let s = Circle(x) in x
def fine(x: f64) -> f64 = x
