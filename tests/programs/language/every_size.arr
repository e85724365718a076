-- Derivatives in code for every size: `check-grad` compiles for all of them.

-- Three matrix products of one array that are added up, in two ways, beside a result that is none.
def gated(a: [h][h]f64, b: [h][h]f64, c: [h][h]f64, r: [h]f64, t: i64) -> f64 =
  let start = for i < h => 0.5
  let (_, total) = loop (hidden, total) = (start, 0.0) for i < t do
    let h2 = (b @ hidden) * (a @ hidden) * (c @ hidden + r)
    in (h2, sum(h2))
  in total

-- check-grad: \((a, b, c, r)) => gated(a, b, c, r, 2) at ([[0.5, 0.1], [0.2, 0.3]], [[1.0, 0.4], [0.3, 0.2]], [[0.1, 0.7], [0.6, 0.2]], [0.3, 0.4])

def four(a: [h][h]f64, b: [h][h]f64, x: [h]f64) -> f64 =
  loop s = 0.0 for i < 2 do
    let y = for k < h => x[k] + s
    in sum(tanh(a @ y + b @ y + (a @ (0.5 * y) + b @ (y * y)) + y))

-- check-grad: \((a, b, x)) => four(a, b, x) at ([[0.5, 0.1], [0.2, 0.3]], [[1.0, 0.4], [0.3, 0.2]], [0.1, -0.3])

-- An array that one side of a branch adds to in place is what it was in the other side.
def layer(w: [n]f64, v: f64, y: [m]f64) -> f64 =
  checkpoint(\w => tanh(mean(for u in y => w[0] * u * v + w[1])))(w)

def layers(w: [n]f64, y: [m]f64) -> f64 =
  loop v = 1.0 for t < 4 do if v > 0.1 then layer(w, v, y) else v

-- check-grad: \((w, y)) => layers(w, y) at ([0.5, 2.0], [0.1, 0.4, 0.2])

def other_side(x: [n]f64, y: [m]f64, b: bool) -> f64 =
  sum(
    loop z = y for t < 2 do
      if b then z with [1:] = checkpoint(\u => for i < m - 1 => x[0] * z[0] * u)(0.5) else z
  )

-- check-grad: \((x, y)) => other_side(x, y, true) at ([1.0, 2.0], [1.0, 2.0, 3.0])
-- check-grad: \((x, y)) => other_side(x, y, false) at ([1.0, 2.0], [1.0, 2.0, 3.0])

def both_sides(x: [n]f64, y: [m]f64, k: i64) -> f64 =
  sum(
    loop z = y for t < 3 do
      if t < k then z with [1:] = checkpoint(\u => for i < m - 1 => x[0] * z[0] * u)(0.5)
      else z with [1:] = checkpoint(\u => for i < m - 1 => x[1] * z[0] * u)(0.25)
  )

-- check-grad: \((x, y)) => both_sides(x, y, 1) at ([1.0, 2.0], [1.0, 2.0, 3.0])
-- check-grad: \((x, y)) => both_sides(x, y, 3) at ([1.0, 2.0], [1.0, 2.0, 3.0])

-- An index that is a number and no column stops the program, and its derivative.
def column(rates: [n][4]f64, x: [n]f64, t: i64) -> f64 =
  let last = 1000000000
  in sum(for i => loop s = x[i] for k < t do s * rates[i, 1] + rates[i, last])

-- > column([[1.0, 2.0, 3.0, 4.0]], [1.0], 2)
-- error: E0601
-- > grad(\r => column(r, [1.0], 2))([[1.0, 2.0, 3.0, 4.0]])
-- error: E0601

def next_column(rates: [n][2]f64, x: [n]f64, t: i64) -> f64 =
  let last = 2
  in sum(for i => loop s = x[i] for k < t do s * rates[i, 1] + sin(rates[i, last]))

-- > grad(\r => next_column(r, [1.0], 2))([[1.0, 2.0]])
-- error: E0601
