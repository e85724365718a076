-- What belongs to the language and is not supported yet.
type Shape = Circle(f64) | Square(f64)
def area(s: Shape) -> f64 = match s { Circle(r) => 3.14 * r * r, Square(a) => a * a }
def halve(x: f64) -> f64 = loop y = x while y > 1.0 do 0.5 * y
def cube(x: f64) -> f64 = x * x * x
derivative cube(x, y, dy) = 3.0 * x * x * dy
def ordered(x: [n]f64) -> [n]f64 = sort(x)
