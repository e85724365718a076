-- Sums and `match`: what is missing, what is never taken, what may not match.
type Shape = Circle(f64) | Rect(f64, f64) | Empty
type List = Cons(f64, List) | Nil
def area(s: Shape) -> f64 = match s { Circle(r) => r * r, Empty => 0.0 }
def both(s: Shape, on: bool) -> f64 =
  match (s, on) { (Circle(r), true) => r, (Rect(w, _), _) => w, (Empty, _) => 0.0 }
def never(s: Shape) -> f64 = match s { Circle(r) => r, _ => 0.0, Rect(w, h) => w * h }
def radius(s: Shape) -> f64 = let Circle(r) = s in r
def slip(s: Shape) -> f64 = match s { Circel(r) => r, _ => 0.0 }
def equal(a: Shape, b: Shape) -> bool = a == b
