-- Sums as tags and leaves, and `match` as a chain of `if`s.
type Shape = Circle(f64) | Rect(f64, f64) | Empty
type Meters = | Meters(f64)
type Layer[n, m] = Dense([n][m]f64, [n]f64) | Relu
type Option[t: any] = Some(t) | Nothing
def area(s: Shape) -> f64 = match s { Circle(r) => r * r, Rect(w, h) => w * h, Empty => 0.0 }
def areas(ss: [n]Shape) -> [n]f64 = for s in ss => area(s)
def make(rs: [n]f64) -> [n]Shape = map(Circle, rs)
def newtype(Meters(x): Meters) -> Meters = Meters(2.0 * x)
def layer(l: Layer[n, m], x: [m]f64) -> [n]f64 =
  match l { Dense(w, b) => w @ x + b, Relu => zeros(n) }
def relu() -> Layer[2, 3] = Relu
def nested(o: Option[(Shape, bool)]) -> f64 =
  match o { Some((Circle(r), true)) => r, Some((_, on)) => f64(on), Nothing => -1.0 }
def numbers(n: i64, b: bool) -> i64 = match (n, b) { (0, _) => 10, (n, false) => n, _ => 20 }
def gradient(s: Shape) -> Shape = grad(area)(s)
def tangent(s: Shape, ds: Shape) -> (Shape, Shape) = jvp(\s => s, s, ds)
def pulled(s: Shape, ds: Shape) -> Shape = let (_, back) = vjp(\s => s, s) in back(ds)
def jacobian(s: Shape) -> [2]Shape = jacrev(\s => [area(s), 1.0])(s)
def scaled(s: Shape, k: f64) -> f64 = match s { Circle(r) => k * r, _ => 0.0 }
derivative scaled(s, k, y, dy) =
  match s { Circle(r) => (Circle(k * dy), r * dy), _ => (Empty, 0.0) }
def doubled(x: f64) -> Shape = Circle(2.0 * x)
derivative doubled(x, y, dy) = match dy { Circle(r) => 2.0 * r, _ => 0.0 }
def ruled(s: Shape) -> Shape = grad(\t => scaled(t, 3.0))(s)
def made(x: f64) -> f64 = grad(\t => area(doubled(t)))(x)
