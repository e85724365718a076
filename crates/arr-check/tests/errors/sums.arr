type Shape = Circle(f64) | Rect(f64, f64) | Empty
type Twice = Circle(f64) | Circle(i64)
type List = Cons(f64, List) | Nil
type Odd = Even(Pair) | Last
type Pair = { a: f64, b: Odd }
type Free = Poly([k]f64) | None
type Unused[n, t: any] = Plain(f64) | Other
type Fun = Apply(f64 -> f64) | Id
type Option[t: any] = Some(t) | Nothing
type Vec[n] = Vec([n]f64) | Zero
def missing(s: Shape) -> f64 = match s { Circle(r) => r, Empty => 0.0 }
def nested(a: Shape, b: bool) -> f64 =
  match (a, b) { (Circle(_), true) => 1.0, (Rect(_, _), _) => 2.0, (Empty, _) => 3.0 }
def none(n: i64) -> i64 = match n { 0 => 1, 1 => 2 }
def never(s: Shape) -> f64 = match s { Circle(_) => 1.0, _ => 2.0, Empty => 3.0, Circle(r) => r }
def refutable(s: Shape) -> f64 = let Circle(r) = s in r
def in_for(ss: [n]Shape) -> [n]f64 = for Rect(w, _) in ss => w
def literal(n: i64) -> i64 = let (0, x) = (n, n) in x
def unknown(s: Shape) -> f64 = match s { Sphere(r) => r, Circel(r) => r, _ => 0.0 }
def other(s: Shape) -> f64 = match s { Some(r) => r, _ => 0.0 }
def arity(s: Shape) -> f64 = match s { Circle(a, b) => a, Rect(w) => w, _ => 0.0 }
def carried(x: f64) -> Shape = Rect(x)
def called() -> Shape = Empty()
def wrong(n: i64) -> Shape = Circle(n)
def open(x: f64) -> f64 = let v = Zero in x
def open_again(x: f64) -> f64 = match Nothing { Some(_) => x, Nothing => 0.0 }
def arms(s: Shape) -> f64 = match s { Circle(r) => r, Rect(_, _) => 1, Empty => true }
def compared(a: Shape, b: Shape) -> bool = a == b
def added(ss: [n]Shape, is: [m]i64, vs: [m]Shape) -> [n]Shape = scatter_add(ss, is, vs)
def summed(ss: [n]Shape) -> Shape = sum(ss)
def sizes(x: [n]f64, y: [m]f64) -> [2]Vec[n] = [Vec(x), Vec(y)]
def functions(s: Shape) -> f64 = (match s { Circle(_) => sin, _ => cos })(1.0)
def constant(n: i64) -> Shape = grad(\m => f64(m))(Empty)
def tags(b: bool) -> Option[i64] =
  grad(\o => match o { Some(n) => f64(n), Nothing => 0.0 })(Some(3))
def jacobian(s: Shape) -> Shape = jacfwd(\s => s)(s)
def fits(x: f64) -> f64 = match x { 1 => 2.0, _ => 3.0 }
def range(x: i32) -> f64 = match x { 3000000000 => 2.0, _ => 3.0 }
def empty(x: f64) -> f64 = match x {}
def Circle(x: f64) -> f64 = x
