-- What crosses the edge of a program compiled ahead of time: one definition for each kind of parameter and result.

type Point = { x: f64, y: f64 }

--| A figure in the plane. */ A comment of C does not end here.
type Shape = Circle(Point, f64) | Polygon([4]Point) | Nothing

type Layer[n, m] = { weight: [n][m]f64, bias: [n]f64 }

type Net[n, m, k] = { first: Layer[n, m], second: Layer[k, n], rate: f32 }

--| Every scalar type, and names that C keeps for itself.
def scalars(
  bool: bool,
  int: i32,
  long: i64,
  unsigned: u32,
  float: f32,
  double: f64
) -> (bool, i32, i64, u32, f32, f64) =
  (not bool, int + 1, long + 1, unsigned + 1, 2.0 * float, 2.0 * double)

--| Arrays of every element type.
def arrays(
  a: [n]bool,
  b: [n]i32,
  c: [n]i64,
  d: [n]u32,
  e: [n]f32,
  f: [n]f64
) -> ([n]bool, [n]i32, [n]i64, [n]u32, [n]f32, [n]f64) =
  (not a, -b, -c, d + d, e * e, f * f)

--| Sizes of every kind: `n + 1` is solved for `n`, and `k` is a parameter.
def sizes(k: i64, x: [n+1]f64, y: [k][n]f64) -> ([n]i64, [2*k]f64) =
  (for i < n => i, for i < 2 * k => x[0] + sum(y[i / 2]))

--| The argument itself, twice.
def same(x: [n]f64) -> ([n]f64, [n]f64) = (x, x)

def constant = [1.5, 2.5, 3.5]

def point(p: Point, q: (f64, i64)) -> Point = { x = p.x + q.0, y = p.y + f64(q.1) }

def points(ps: [n]Point) -> [n]Point = for p in ps => { x = p.y, y = p.x }

def area(s: Shape) -> f64 =
  match s {
    Circle(_, r) => 3.0 * r * r,
    Polygon(ps) => abs(sum(for i < 4 =>
      let p = ps[i]
      let q = ps[(i + 1) % 4]
      in 0.5 * (p.x * q.y - q.x * p.y))),
    Nothing => 0.0
  }

def grown(s: Shape, by: f64) -> Shape =
  match s {
    Circle(c, r) => Circle(c, by * r),
    Polygon(ps) => Polygon(for p in ps => { x = by * p.x, y = by * p.y }),
    Nothing => Nothing
  }

def areas(shapes: [n]Shape) -> [n]f64 = for s in shapes => area(s)

def outline(n: i64) -> [n]Shape =
  for i < n => if i == 0 then Nothing else Circle({ x = f64(i), y = 0.0 }, 1.0)

def apply(net: Net[n, m, k], x: [m]f64) -> [k]f64 =
  let h = net.first.weight @ x + net.first.bias
  in net.second.weight @ h + f64(net.rate) * net.second.bias

def loss(net: Net[n, m, k], x: [m]f64, target: [k]f64) -> f64 =
  let d = apply(net, x) - target
  in sum(d * d)

--| `f` and `f'` are two names.
def f(x: f64) -> f64 = x * x

def f'(x: f64) -> f64 = 2.0 * x

def nothing(x: (), y: f64) -> () = ()

def pick(x: [n]f64, i: i64) -> f64 = x[i]

def ratio(a: i64, b: i64) -> i64 = a / b

def zeroes(n: i64) -> [n]f64 = for i < n => 0.0

def great(x: [n]f64) -> f64 = maximum(x)

def add(x: [n]f64, y: [m]f64) -> [n]f64 = x + (y :> [n]f64)

def dot[t: num](x: [n]t, y: [n]t) -> t = sum(x * y)

def twice(g: f64 -> f64, x: f64) -> f64 = g(g(x))
