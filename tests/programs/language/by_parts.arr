-- Arithmetic on records and tuples, field by field.

type Net[n, m] = { w: [n][m]f64, b: [n]f64, on: bool, layers: i64 }

def net(x: [m]f64) -> Net[2, m] =
  { w = for i < 2 => for j < m => f64(i + 1) * x[j], b = [0.5, 0.25], on = true, layers = 2 }

def loss(p: Net[n, m], x: [m]f64) -> f64 = sum((p.w @ x + p.b) ** 2)

-- A derivative has no fields where there are no floats: those are the parameters' own.
def step(p: Net[n, m], x: [m]f64, rate: f64) -> Net[n, m] = p - rate * grad(\q => loss(q, x))(p)
def steps(x: [m]f64, k: i64) -> Net[2, m] = loop p = net(x) for i < k do step(p, x, 0.01)
def after(x: [m]f64) -> f64 = loss(steps(x, 2), x)

-- > step(net([1.0, 2.0]), [1.0, 2.0], 0.1)
-- {w = [[-0.1, -0.2], [-0.05, -0.1]], b = [-0.6, -1.8], on = true, layers = 2}
-- > after([1.0])
-- 6.210846720000001
-- > grad(after)([1.0])
-- [19.349176320000005]
-- > after([])
-- 0.28824005

def pairs(a: (f64, i64), b: (f64, i64)) -> (f64, i64) = -(a + b) * (2.0, 3)

-- > pairs((1.5, 2), (2.5, 3))
-- (-8.0, -15)

-- A scalar stands beside every field; the fields of a literal take the other side's type.
def moments(m: { a: f32, b: [n]f32 }, g: { a: f32, b: [n]f32 }) = 0.75 * m + 0.25 * g ** 2

-- > moments({ a = 1.0, b = [2.0, 4.0] }, { a = 2.0, b = [4.0, 0.0] })
-- {a = 1.75, b = [5.5, 3.0]}

-- Arrays of records, with one number for each of them.
type Point = { x: f64, y: f64 }
def points(p: [n]Point, s: [n]f64) -> [n]Point = s * (p + p) ** 2 / 2 - { x = 1.0, y = 0.0 }.x

-- > points([{ x = 1.0, y = 2.0 }, { x = 3.0, y = 4.0 }], [1.0, 10.0])
-- [{x = 1.0, y = 7.0}, {x = 179.0, y = 319.0}]
-- > points([], [])
-- []

-- Nested, with a sum type and a unit, which hold no numbers to add.
type Kind = Left | Right(f64)
def nested(a: { p: (Point, ()), k: Kind, f: bool }, b: { p: (Point, ()), k: Kind, f: bool }) = a % b

-- > nested({ p = ({ x = 5.0, y = -3.0 }, ()), k = Right(1.0), f = true }, { p = ({ x = 3.0, y = 2.0 }, ()), k = Left, f = false }).p.0
-- {x = 2.0, y = 1.0}

def same(a: { p: Point, v: [n]i64 }, b: { p: Point, v: [n]i64 }) = (a == b, a != b)

-- > same({ p = { x = 1.0, y = 2.0 }, v = [3, 4] }, { p = { x = 1.0, y = 2.0 }, v = [3, 4] })
-- (true, false)
-- > same({ p = { x = 1.0, y = 2.0 }, v = [3, 4] }, { p = { x = 1.0, y = 2.0 }, v = [3, 5] })
-- (false, true)
-- > (1, true) == (1, true)
-- true
-- > { x = [(1, 2.0)], y = 3 } == { y = 3, x = [(1, 2.0)] }
-- true

-- A tuple beside an array of such goes with every element, on either side.
def away(p: (f64, [2]i64), q: [n](f64, [2]i64)) = (p - q, q - p)

-- > away((2.0, [1, 0]), [(5.0, [3, 1]), (0.0, [5, 4])])
-- ([(-3.0, [-2, -1]), (2.0, [-4, -4])], [(3.0, [2, 1]), (-2.0, [4, 4])])

-- Constructors that carry nothing are compared, alone, in arrays and as fields.
type Metal = Steel | Brass | Zinc
def alike(m: Metal, ms: [n]Metal, t: [k][n]Metal) =
  (m == Steel, m != Steel, ms == m, t != ms, Zinc == Zinc)

-- > alike(Brass, [Steel, Brass], [[Steel, Zinc]])
-- (false, true, [false, true], [[false, true]], true)
-- > alike(Steel, [], [])
-- (true, false, [], [], true)

def bolt(a: { m: Metal, ms: [n]Metal, d: f64 }, b: { m: Metal, ms: [n]Metal, d: f64 }) = a == b

-- > bolt({ m = Zinc, ms = [Steel, Brass], d = 1.0 }, { m = Zinc, ms = [Steel, Brass], d = 1.0 })
-- true
-- > bolt({ m = Zinc, ms = [Steel, Brass], d = 1.0 }, { m = Zinc, ms = [Steel, Zinc], d = 1.0 })
-- false
-- > grad(\x => sum(for m in [Steel, Brass, Steel] => if m == Steel then x * x else x))(3.0)
-- 13.0
