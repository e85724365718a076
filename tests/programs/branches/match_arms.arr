-- Arms that are not taken have infinite or undefined derivatives at the point: they add exactly zero, in both modes.
type Shape = Circle(f64) | Rect(f64, f64) | Log(f64) | Empty
type Law = Root | Recip | Power(f64) | Id

def apply(l: Law, x: f64) -> f64 =
  match l { Root => sqrt(x), Recip => 1.0 / x, Power(p) => x ** p, Id => 2.0 * x }
def laws(ls: [n]Law, x: f64) -> f64 = sum(for l in ls => apply(l, x))
def size(s: Shape) -> f64 =
  match s { Circle(r) => sqrt(r), Rect(w, h) => w / h, Log(x) => log(x), Empty => 1.0 }
def sizes(ss: [n]Shape) -> f64 = sum(for s in ss => size(s))
def mixed(ss: [n]Shape, x: [n]f64) -> f64 =
  sum(for i => match ss[i] {
    Circle(r) => r * sqrt(x[i]),
    Rect(_, h) => h * x[i],
    Log(a) => a * log(x[i]),
    Empty => 3.0 * x[i]
  })
def counted(x: [n]f64) -> f64 =
  sum(for i => match i { 0 => sqrt(x[i]), 1 => log(x[i]), _ => 5.0 * x[i] })
def guarded(x: f64) -> f64 = match x > 0.0 { true => log(x), false => 4.0 * x }
def pairs(x: f64, y: f64) -> f64 = match (x == 0.0, y == 0.0) {
  (true, true) => x + y,
  (true, _) => y,
  (_, true) => x,
  _ => x / y + y / x
}
def looped(ls: [n]Law, x: f64) -> f64 = loop y = x for l in ls do apply(l, y)
def arrays(l: Law, x: [n]f64) -> f64 =
  sum(match l { Root => sqrt(x), Recip => 1.0 / x, _ => x * x })
def whole(s: Shape) -> Shape =
  match s { Log(x) => Log(log(x)), Circle(r) => Circle(sqrt(r)), other => other }

-- > (grad(\x => apply(Id, x))(0.0), jvp(\x => apply(Id, x), 0.0, 1.0))
-- (2.0, (0.0, 2.0))
-- > (grad(\x => laws([Id, Power(2.0), Id], x))(0.0), jvp(\x => laws([Id, Power(2.0), Id], x), 0.0, 1.0))
-- (4.0, (0.0, 4.0))
-- > grad(\ls => laws(ls, 2.0))([Power(1.0), Root])
-- [Power(1.3862943611198906), Root]
-- > grad(sizes)([Empty, Rect(0.0, 2.0), Log(4.0), Circle(4.0)])
-- [Empty, Rect(0.5, 0.0), Log(0.25), Circle(0.25)]
-- > jvp(sizes, [Empty, Rect(0.0, 2.0), Log(4.0)], [Empty, Rect(1.0, 1.0), Log(1.0)]).1
-- 0.75
-- > grad(\x => mixed([Rect(0.0, 2.0), Empty], x))([0.0, 0.0])
-- [2.0, 3.0]
-- > jvp(\x => mixed([Rect(0.0, 2.0), Empty], x), [0.0, 0.0], [1.0, 1.0])
-- (0.0, 5.0)
-- > grad(\ss => mixed(ss, [0.0, 4.0]))([Rect(1.0, 1.0), Circle(3.0)])
-- [Rect(0.0, 0.0), Circle(2.0)]
-- > (grad(counted)([4.0, 2.0, 0.0]), jvp(counted, [4.0, 2.0, 0.0], [0.0, 0.0, 1.0]).1)
-- ([0.25, 0.5, 5.0], 5.0)
-- > (grad(guarded)(0.0), jvp(guarded, 0.0, 1.0), grad(grad(guarded))(0.0))
-- (4.0, (0.0, 4.0), 0.0)
-- > (grad(\((x, y)) => pairs(x, y))((0.0, 0.0)), grad(\((x, y)) => pairs(x, y))((2.0, 0.0)))
-- ((1.0, 1.0), (1.0, 0.0))
-- > (grad(\x => looped([Id, Id], x))(0.0), jvp(\x => looped([Id, Id], x), 0.0, 1.0))
-- (4.0, (0.0, 4.0))
-- > (grad(\x => arrays(Id, x))([0.0, 1.0]), jvp(\x => arrays(Id, x), [0.0, 1.0], [1.0, 1.0]).1)
-- ([0.0, 2.0], 2.0)
-- > grad(\x => sum(grad(\y => arrays(Id, y))(x)))([0.0, 1.0])
-- [2.0, 2.0]
-- > jvp(whole, Rect(0.0, 0.0), Rect(1.0, 2.0)).1
-- Rect(1.0, 2.0)
-- > let (y, back) = vjp(whole, Rect(0.0, 0.0)) in back(Rect(1.0, 2.0))
-- Rect(1.0, 2.0)
-- > grad(\x => sum(map(\l => grad(\y => apply(l, y))(x), [Id, Power(3.0)])))(0.0)
-- 0.0
-- > hessian(\x => laws([Id, Power(2.0)], x))(0.0)
-- 2.0
