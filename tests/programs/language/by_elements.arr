-- Definitions on scalars, called with arrays: element by element.

def leaky(x: f64, slope: f64) -> f64 = if x > 0.0 then x else slope * x
def layer(x: [b][m]f64, w: [m][k]f64, bias: [k]f64, slope: f64) -> [b][k]f64 =
  leaky(x @ w + bias, slope)
def total(x: [b][m]f64, w: [m][k]f64, bias: [k]f64, slope: f64) -> f64 =
  sum(flatten(layer(x, w, bias, slope) ** 2))

-- > layer([[1.0, 2.0], [3.0, -4.0]], [[1.0], [1.0]], [-2.0], 0.5)
-- [[1.0], [-1.5]]
-- > grad(\s => total([[1.0, 2.0], [3.0, -4.0]], [[1.0], [1.0]], [-2.0], s))(0.5)
-- 9.0
-- > grad(\b => total([[1.0, 2.0], [3.0, -4.0]], [[1.0], [1.0]], b, 0.5))([-2.0])
-- [0.5]
-- > layer(zeros(0, 2), [[1.0], [1.0]], [-2.0], 0.5)
-- []

-- Several arrays agree by their last axes; a parameter that is an array is the same for every element.
def mix[t: num](a: t, x: t, y: t) -> t = a * x + (1 - a) * y
def horner(x: f64, c: [k]f64) -> f64 = loop s = 0.0 for ck in c do s * x + ck
def rows(x: [n][m]f64, y: [m]f64) = (mix(2.0, x, y), mix([3], [[1], [2]], 1))
def at_all(x: [n][m]f64, c: [k]f64) = horner(x, c)

-- > rows([[1.0, 2.0], [3.0, 4.0]], [0.0, 10.0])
-- ([[2.0, -6.0], [6.0, -2.0]], [[1], [4]])
-- > at_all([[0.0, 10.0]], [1.0, 2.0])
-- [[2.0, 12.0]]
-- > at_all([[0.0, 10.0]], [])
-- [[0.0, 0.0]]

-- The result may be anything that an element of an array may be.
type Cell = { low: i64, part: f64 }
def split(x: f64) -> Cell = { low = i64(floor(x)), part = x - floor(x) }
def powers(x: f64, k: i64) -> [k]f64 = for i < k => x ** i

-- > split([1.5, -0.25])
-- [{low = 1, part = 0.5}, {low = -1, part = 0.75}]
-- > powers([2.0, 3.0], 3)
-- [[1.0, 2.0, 4.0], [1.0, 3.0, 9.0]]

-- As an argument for a function of arrays, in derivatives, and with one declared.
derivative clipped(x, y, dy) = dy
def clipped(x: f64) -> f64 = min(x, 1.0)
def through(f: [n]f64 -> [n]f64, x: [n]f64) -> [n]f64 = f(x)

-- > through(clipped, [0.5, 2.0])
-- [0.5, 1.0]
-- > grad(\x => sum(x * clipped(x)))([0.5, 2.0])
-- [1.0, 3.0]
-- > jvp(\x => leaky(x, 0.5), [1.0, -1.0], [1.0, 1.0])
-- ([1.0, -0.5], [1.0, 0.5])
-- > hessian(\x => sum(horner(x, [1.0, 0.0, 0.0, 0.0])))([1.0, 2.0])
-- [[6.0, 0.0], [0.0, 12.0]]
