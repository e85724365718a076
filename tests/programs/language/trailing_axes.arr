-- An operand with fewer axes goes with the last axes of the other.

def layer(x: [b][m]f64, w: [m][k]f64, bias: [k]f64) -> [b][k]f64 = max(x @ w + bias, 0.0)
def total(x: [b][m]f64, w: [m][k]f64, bias: [k]f64) -> f64 = sum(flatten(layer(x, w, bias) ** 2))

-- > layer([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [-2.0, 1.0])
-- [[0.0, 3.0], [1.0, 5.0]]
-- > grad(\b => total([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], b))([-2.0, 1.0])
-- [2.0, 16.0]
-- > grad(\b => total(zeros(0, 2), [[1.0, 0.0], [0.0, 1.0]], b))([-2.0, 1.0])
-- [0.0, 0.0]

-- On either side, and below two axes.
def cube(a: [p][q][r]f64, m: [q][r]f64, v: [r]f64) -> [p][q][r]f64 = v - a * m

-- > cube([[[1.0, 2.0]], [[0.0, -1.0]]], [[3.0, 4.0]], [5.0, 6.0])
-- [[[2.0, -2.0]], [[5.0, 10.0]]]

-- Of two axes of one length the last one is meant.
def square(a: [n][n]i64, v: [n]i64) -> [n][n]i64 = a + v

-- > square([[1, 2], [3, 4]], [10, 20])
-- [[11, 22], [13, 24]]

-- Functions of several arguments and comparisons alike.
def clipped(a: [n][m]f64, low: [m]f64, high: [m]f64) = (max(min(a, high), low), a < low)

-- > clipped([[1.0, 5.0], [3.0, 2.0]], [2.0, 2.0], [4.0, 4.0])
-- ([[2.0, 4.0], [3.0, 2.0]], [[true, false], [false, false]])
