-- Every form of the language, for the parser and the printer.

import linalg
import "./model.arr" as m
import stats as st

type Mixture[k, d] = { logw: [k]f64, mean: [k][d]f64, prec: [k][d][d]f64 }
type Shape = Circle(f64) | Rect(f64, f64) | Empty
type Single = | Only(f64)
type Alias = Shape
type Pair[n, t: float] = ([n]t, t,)
type Fun = (f64, [3]f64) -> f64 -> (f64 -> f64) -> ()
type Args[n, m] = Pair[n + 2 * (m - 1), f64]
type Nested[n, m] = Foo[(n + 1) * 2, (n), [n]f64, (f64, k), { x: f64 }, f64 -> k, (f64, k) -> f64, ()]
--| A sum that is
--|   wide.
type Wide = FirstConstructor([n][m]f64, [n]f64) | SecondConstructor([n][m]f64, [n]f64) | ThirdConstructor(f64)

--| Log of the sum of exponentials.
--|
--| Stable.
def logsumexp(x: [n]f64) -> f64 =
  let m = maximum(x)
  in m + log(sum(exp(x - m)))

def density(p: Mixture[k, d], xs: [n][d]f64) -> f64 =
  let score = for x in xs =>
    logsumexp(for j =>
      let r = p.prec[j] @ (x - p.mean[j])
      in p.logw[j] - 0.5 * sum(r * r))
  in sum(score) - f64(n) * logsumexp(p.logw)

def step(p: Mixture[k, d], xs: [n][d]f64, rate: f64) -> Mixture[k, d] =
  let g = grad(\q => density(q, xs))(p)
  in { logw = p.logw + rate * g.logw, mean = p.mean + rate * g.mean, prec = p.prec + rate * g.prec }

def dot[t: float](x: [n]t, y: [n]t) -> t = sum(x * y)
def generic[t: any, u: num](x: t, (a, { b, c = _ }): (u, { b: u, c: t })) -> t = x
def tau = 6.28
def typed: [2]f64 = [1.0, 2.0]
def inferred(x) = x
def nothing() = ()
derivative logsumexp(x: [n]f64, y, dy) = dy * exp(x - y)
derivative derivative(x, y, dy) = dy
def derivative(x: f64) = x
def as(derivative: f64) = derivative + as
--| A test with a doc comment.
test "sums" = sum([1.0, 2.0]) == 3.0
test "close" within 1e-9 = (exp(0.0) == 1.0, sin(0.0) == 0.0)
test "reversed twice"(x: [n]f64, k: i64) = reverse(reverse(x)) == x
test "close for all" within 1e-12f64 (x: f64) = x * x == x ** 2
test "slope" gradient (x: [n]f64) = sum(x * x)
test "slope, roughly" gradient within 1e-5 (x: [3]f64, (a, b): (f64, f64)) = (x, { a = a * b })
def test(within: f64, gradient: f64) = within + gradient + test

def numbers = [3, 3.0, 1e-3, 1.5e3f32, 7i32, 8u32, 9i64, 1E+5, 2f64]
def manyNumbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, -17.0, x, 18.0, 19.0, 20.0, 21.0]
def matrix = [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
def empty = ([], (), (1,), (1, 2,), [1,],)

def precedence(a: f64, b: f64, c: f64) =
  ( -a ** 2, (-a) ** 2, a ** -b ** c, (a ** b) ** c, -a @ b, -(a @ b), a @ b @ c, a @ (b @ c), a * b / c % d
  , a * (b / c), a - b - c, a - (b - c), a + b * c, (a + b) * c, a < b, (a < b) == c, a == (b == c)
  , not a < b, (not a) == b, not not a, a and b or c, a and (b or c), (a or b) and c, not (a and b)
  , a :> [n]f64 :> [m]f64, a with [0] = b with [1] = c, a with [0] = (b with [1] = c), (a or b) :> t
  , a or (b :> t), -(-a), - - a, a - -b, a.b.c[0](1).2.3, (1).0, 1.x, (f(x))(y), (\x => x)(1), (-a).b, -a.b, -a[0]
  )

def tails(x: f64) =
  ( x + let y = 1.0 in y, a and not if b then c else d, -\x => x, a * for i < 3 => b, a ** \x => x, a @ \x => x
  , a == \x => x, a or \x => x, not not \x => x, a - -loop s = 0 while s < 3 do s + 1, a with [0] = \x => x
  , x * -let y = 1 in y + 2, match a { _ => 1 } + 2, 3 + match a { _ => 1 } * 4, match a { _ => f }(3)
  )

def lets(p: (f64, f64)) =
  let (a, b) = p
  let { x, y = (z, _) } = r in
  let c: [n]f64 = zeros(n)
  let (Q, R) = qr(A) in
  let d = let e = 1 let f = 2 in e + f
  in (let g = 1 in g + a + b)

def functions =
  ( \x => x, \(x, y) => x, \((x, y)) => x, \() => 1, \x: f64 => x, \(x: [n]f64, y) => x, \{ a, b } => a, \_ => 1
  , \(x: f64 -> f64) => x, \x: f64 -> f64 => x, f(), f(x,), (+), (-), (*), (/), (%), (**), (@), (==), (!=), (<)
  , (<=), (>), (>=), (and), (or), reduce((+), 0.0, xs)
  )

def indices = (a[i], a[i, j], a[i, :], a[:, j], a[lo:hi], a[1:], a[:n-1], a[::2], a[lo:hi:step], a[:, :hi, i,], t.0.1, t.0.1.2)

def conditionals(x: f64) = if x > 0.0 then 1.0 else if x < 0.0 then -1.0 else 0.0
def longConditional(x: f64) =
  if someCondition(x) and anotherCondition(x) then someValue(x, 1.0) else if yetAnother(x) then otherValue(x) else defaultValue(x)

def comprehensions =
  ( for i < n, j < m => a[i, j], for i, j => a[i, j] * b[j], for x in xs, (a, b) in zip(xs, ys), i < 3 => x
  , for i < n - 1 => i, for i < (if a then b else c) => i, for i < (a < b) => i, for x in \y => y => x
  )

def loops =
  ( loop acc = 0.0 for i < n do acc + x[i]
  , loop (a, b) = (1, 2) for x in xs do (b, a)
  , loop (a, b): (i64, i64) = (1, 2) for (x, y) in zip(xs, ys) do (b, a)
  , loop acc: f64 = 1.0 while acc < 10.0 do acc * 2.0
  )

def records = ({ x = 1, y = 2, }, { x, y = y }, { r with x }, { r with x = 1 }, { r.a with x = 1, y = { z = 2 } }, { (a with [0] = 1) with x = 1 }, r.x.y)

def matches(s: Shape) =
  match s { Circle(r) => r, Rect(w, (h, _)) => w * h, Empty => 0.0, Pair({ x = A(-1), y }, 3, true, false) => 1.0, (_, B) => 2.0, }

def longChain(x: f64) =
  alphaAlphaAlpha(x) * betaBetaBeta(x) + gammaGammaGamma(x) * deltaDeltaDelta(x) - epsilonEpsilon(x) * zetaZeta(x) / etaEta(x)

def longCall(x: f64) =
  someFunctionWithALongName(firstArgumentOfTheCall, secondArgumentOfTheCall, thirdArgumentOfTheCall, fourth)

def longHead(firstParameterOfThis: [n][m]f64, secondParameterOfThis: { a: f64, b: f64 }, third: [n]f64) -> ([n]f64, [m]f64) = third

def wideRecord(r: { firstField: [n][m]f64, secondField: [n][m]f64, thirdField: [n][m]f64, fourthField: f64 }) =
  { r with firstField = r.firstField * 2.0 + r.secondField, secondField = r.thirdField @ r.secondField @ r.firstField }

def nested(xs: [n]f64) =
  let total = loop acc = (0.0, zeros(n)) for i < n do
    let (s, v) = acc
    let t = s + xs[i] * someFunction(v)
    in (t, v with [i] = t)
  let folded = reduce(\(a, b) => let c = a * b in c + a, 0.0, map(\x => x * x + 1.0, xs))
  let picked = if total.0 > 100.0 and folded < veryLongNameForAThing then total.1 else for i < n => folded * xs[i]
  let (a, b) = match shape { Circle(radius) => (radius, 2.0 * pi * radius), Rect(w, h) => (w * h, 2.0 * (w + h)), Empty => (0.0, 0.0) }
  in if a > b then sum(for i => let y = picked[i] in y * y) else { first = total.0, second = folded, third = a + b }.second

def computed(x: [n]f64) -> ([?k][2*?k+1]f64, Bag[?k, ?k - 1], [?k']{ a: i64 }) = x
