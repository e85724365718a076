-- Loops that update an array in place and read what it was before, inside of another loop.
def step(y: [n]f64, rates: [n]f64) -> [n]f64 =
  let (next, _) = loop (next, inflow) = (y, 0.0) for i < n do
    let new = (y[i] + 0.1 * inflow) / (1.0 + 0.1 * rates[i])
    in (next with [i] = new, rates[i] * new)
  in next
def decays(x: [n]f64, rates: [n]f64) -> [n]f64 = loop y = x for t < 3 do step(y, rates)

--| The place that is read moves the other way.
def turned(x: [n]f64) -> [n]f64 =
  loop y = x for t < 3 do
    loop z = y for i < n do
      z with [i] = sin(y[n - 1 - i]) * x[i] + y[i]

--| The elements that have been written are read, too.
def both(x: [n]f64) -> [n]f64 =
  loop y = x for t < 3 do
    loop z = y for i < n - 1 do
      z with [i + 1] = z[i] * y[i + 1] + cos(y[i])

--| Two arrays, each with its own past.
def pair(x: [n]f64) -> [n]f64 =
  let (y, w) = loop (y, w) = (x, 2.0 * x) for t < 3 do
    loop (z, v) = (y, w) for i < n do
      (z with [i] = y[i] * w[n - 1 - i], v with [i] = sin(z[0]) + y[i])
  in y * w

--| The past is read again after the loop, and so is what the loop has made.
def after(x: [n]f64) -> [n]f64 =
  loop y = x for t < 3 do
    let z = loop z = y for i < n do z with [i] = sin(y[i]) * z[n - 1]
    in z with [0] = y[n - 1] * z[0] + y[0]

--| Three loops deep, and one of them goes round as often as an element says.
def deep(x: [n][m]f64) -> [n][m]f64 =
  loop y = x for t < 2 do
    loop z = y for i < n do
      loop w = z for j < m do
        w with [i, j] = cos(y[i, j]) * z[i, m - 1 - j] + w[i, 0]
def counted(x: [n]f64, k: [n]i64) -> [n]f64 =
  loop y = x for t < n do
    loop z = y for i < k[t] do z with [i] = sin(y[i]) * y[n - 1 - i] + z[0]

--| Only some iterations have the loop.
def sometimes(x: [n]f64) -> [n]f64 =
  loop y = x for t < 4 do
    if y[0] > 0.4 then loop z = y for i < n do z with [i] = y[i] * cos(y[n - 1 - i])
    else y with [0] = y[0] + 0.3

-- > decays([1.0, 2.0], [0.0, 0.0])
-- [1.0, 2.0]
-- > both([1.0, 0.0])[0]
-- 1.0
-- > counted([1.0, 2.0], [0, 0])
-- [1.0, 2.0]
-- check-grad: \((x, r)) => decays(x, r) at ([0.5, 2.0, 3.0], [1.0, 0.3, 2.0])
-- check-grad: turned at [0.5, 2.0, 3.0, -1.0]
-- check-grad: both at [0.5, 2.0, 3.0, -1.0]
-- check-grad: pair at [0.5, 0.7, -0.3, 0.9]
-- check-grad: after at [0.5, 0.7, -0.3, 0.9]
-- check-grad: deep at [[0.5, 0.7, -0.3], [0.9, 1.2, -0.8]]
-- check-grad: \x => counted(x, [2, 0, 3]) at [0.5, 0.7, -0.3]
-- check-grad: sometimes at [0.5, 0.7, -0.3]
