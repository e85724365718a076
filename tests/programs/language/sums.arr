-- Sums in every place that a value can have, on every back end, with their derivatives.
type Shape = Circle(f64) | Rect(f64, f64) | Empty
type Layer[n, m] = Dense([n][m]f64, [n]f64) | Relu
type Option[t: any] = Some(t) | None
type Node = Leaf({ weight: f64, id: i64 }) | Pair(Shape, [2]f64)
type Metres = | Metres(f64)

def area(s: Shape) -> f64 = match s { Circle(r) => 3.0 * r ** 2, Rect(w, h) => w * h, Empty => 0.0 }
def total(ss: [n]Shape) -> f64 = sum(for s in ss => area(s))
def scaled(k: f64, ss: [n]Shape) -> [n]Shape =
  for s in ss =>
    match s { Circle(r) => Circle(k * r), Rect(w, h) => Rect(k * w, h), Empty => Empty }
def layer(l: Layer[n, n], x: [n]f64) -> [n]f64 =
  match l { Dense(w, b) => w @ x + b, Relu => max(x, 0.0) }
def network(ls: [k]Layer[n, n], x: [n]f64) -> [n]f64 = loop y = x for l in ls do layer(l, y)
def value(x: Node) -> f64 = match x {
  Leaf({ weight = w }) => w,
  Pair(Circle(r), ys) => r * sum(ys),
  Pair(s, ys) => area(s) + ys[0]
}
def affine(l: Layer[n, m], x: [m]f64) -> [n]f64 =
  match l { Dense(w, b) => w @ x + b, Relu => zeros(n) }
def chained(p: (Layer[n, m], Layer[k, n]), x: [m]f64) -> f64 = sum(affine(p.1, affine(p.0, x)) ** 2)
def energy(ls: [k]Layer[n, n], x: [n]f64) -> f64 = sum(network(ls, x) ** 2)
def weighed(ps: [n]{ shape: Shape, mass: f64 }) -> f64 = sum(for p in ps => p.mass * area(p.shape))
def largest(ss: [n]Shape) -> Shape =
  loop best = Empty for s in ss do if area(best) < area(s) then s else best
def double(Metres(x): Metres) -> Metres = Metres(2.0 * x)
def mix(c: bool, k: f64) -> (Shape, { o: Option[Shape] }) =
  if c then (Circle(k), { o = None }) else (Empty, { o = Some(Rect(k, k)) })
def shapes = [Circle(1.0), Rect(2.0, 3.0), Empty]
def layers: [2]Layer[2, 2] = [Dense([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.25]), Relu]

-- > shapes
-- [Circle(1.0), Rect(2.0, 3.0), Empty]
-- > scaled(2.0, shapes)
-- [Circle(2.0), Rect(4.0, 3.0), Empty]
-- > (largest(shapes), largest([Empty, Empty]))
-- (Rect(2.0, 3.0), Empty)
-- > network(layers, [1.0, -1.0])
-- [0.0, 0.0]
-- > mix(false, 2.0)
-- (Empty, {o = Some(Rect(2.0, 2.0))})
-- > mix(true, 2.0)
-- (Circle(2.0), {o = None})
-- > (value(Leaf({ weight = 2.0, id = 1 })), value(Pair(Circle(2.0), [1.0, 2.0])), value(Pair(Empty, [1.0, 2.0])))
-- (2.0, 6.0, 1.0)
-- > double(Metres(1.5))
-- Metres(3.0)
-- > gather(shapes, [2, 0])
-- [Empty, Circle(1.0)]
-- > scatter(shapes, [0], [Empty])
-- [Empty, Rect(2.0, 3.0), Empty]
-- > reshape(concat(shapes, shapes), (2, 3))
-- [[Circle(1.0), Rect(2.0, 3.0), Empty], [Circle(1.0), Rect(2.0, 3.0), Empty]]
-- > transpose(for i < 2 => shapes)[2]
-- [Empty, Empty]
-- > rotate(shapes, 1) with [2] = Rect(1.0, 1.0)
-- [Rect(2.0, 3.0), Empty, Rect(1.0, 1.0)]
-- > scan(\(a, s) => if area(a) < area(s) then s else a, Empty, shapes)
-- [Circle(1.0), Rect(2.0, 3.0), Rect(2.0, 3.0)]
-- > unzip(zip(shapes, [1, 2, 3])).0
-- [Circle(1.0), Rect(2.0, 3.0), Empty]
-- > iterate(2, double, Metres(1.0))
-- Metres(4.0)
-- > for i < 3 => match shapes[i] { Rect(_, _) => Some(i), _ => None }
-- [None, Some(1), None]

-- > grad(total)(shapes)
-- [Circle(6.0), Rect(3.0, 2.0), Empty]
-- > grad(\k => total(scaled(k, shapes)))(2.0)
-- 18.0
-- > grad(\ls => sum(network(ls, [1.0, 1.0])))(layers)
-- [Dense([[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0]), Relu]
-- > grad(value)(Leaf({ weight = 2.0, id = 7 }))
-- Leaf({weight = 1.0, id = 7})
-- > grad(value)(Pair(Circle(2.0), [1.0, 2.0]))
-- Pair(Circle(3.0), [2.0, 2.0])
-- > grad(\m => (match double(m) { Metres(x) => x * x }))(Metres(3.0))
-- Metres(24.0)
-- > jvp(total, shapes, [Circle(1.0), Rect(1.0, 0.0), Empty])
-- (9.0, 9.0)
-- > jvp(total, shapes, [Rect(1.0, 1.0), Empty, Circle(1.0)])
-- (9.0, 0.0)
-- > let (y, back) = vjp(\k => scaled(k, shapes), 2.0) in back([Circle(1.0), Rect(1.0, 1.0), Circle(5.0)])
-- 3.0
-- > jacrev(\k => scaled(k, shapes))(2.0)
-- [Circle(1.0), Rect(2.0, 0.0), Empty]
-- > jacfwd(\k => scaled(k, shapes))(2.0)
-- [Circle(1.0), Rect(2.0, 0.0), Empty]
-- > jacfwd(\ss => map(area, ss))([Circle(1.0), Rect(2.0, 3.0)])
-- [[Circle(6.0), Rect(0.0, 0.0)], [Circle(0.0), Rect(3.0, 2.0)]]
-- > jacrev(\ss => map(area, ss))([Circle(1.0), Rect(2.0, 3.0)])
-- [[Circle(6.0), Rect(0.0, 0.0)], [Circle(0.0), Rect(3.0, 2.0)]]
-- > grad(\ss => total(grad(total)(ss)))(shapes)
-- [Circle(216.0), Rect(3.0, 2.0), Empty]
-- > grad(\k => total(grad(total)(scaled(k, shapes))))(1.0)
-- 222.0
-- > jvp(grad(total), shapes, [Circle(1.0), Rect(1.0, 0.0), Empty]).1
-- [Circle(6.0), Rect(0.0, 1.0), Empty]
-- check-grad: total at [Circle(1.5), Empty, Rect(2.0, 0.5), Circle(0.3)]
-- check-grad: value at Pair(Rect(1.0, 2.0), [1.0, 2.0])
-- check-grad: \k => scaled(k, shapes) at 1.5
-- check-grad: \ls => network(ls, [1.0, 2.0]) at layers
