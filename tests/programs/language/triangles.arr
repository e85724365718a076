-- Arrays whose length is the index of a point, through branches and loops: each point keeps its own length.
def branch(x: [n]f64) =
  for i < n =>
    let b = if x[i] < 2.5 then (for j < i => 1.0) else (for j < i => x[j])
    in sum(b) + sum(for j < i => b[i - 1 - j] * x[j])
def uniform(x: [n]f64, first: bool) =
  for i < n => sum(if first then (for j < i => x[j]) else (for j < i => 1.0))
def steps(x: [n]f64, count: i64) =
  for i < n => sum(loop a = (for j < i => x[j]) for s < count do for j < i => a[j] * 1.5 + x[i])
def fewer(x: [n]f64) =
  for i < n => sum(loop a = (for j < i => x[j]) for s < n - i do for j < i => a[j] * 1.5 + x[i])
def chosen(x: [n]f64) =
  for i < n =>
    sum(
      loop b = (for j < i => 1.0) for s < 3 do
        if x[i] * f64(s) < 2.5 then (for j < i => 1.0 + b[j]) else (for j < i => x[j])
    )
def until(x: [n]f64) =
  for i < n =>
    sum(
      loop a = (for j < i => x[j]) while i > 1 and sum(a) < 10.0 * f64(n - i) do
        for j < i => a[j] * 1.5 + f64(i)
    )
def pairs(x: [n]f64) =
  for i < n =>
    sum(for k < n - i =>
      sum(if k < i then (for j < i + k => x[i]) else (for j < i + k => x[k] * f64(j))))
-- > branch([1.0, 2.0, 3.0, 4.0, 5.0])
-- [0.0, 2.0, 7.0, 16.0, 30.0]
-- > uniform([1.0, 2.0, 3.0, 4.0], true)
-- [0.0, 1.0, 3.0, 6.0]
-- > uniform([1.0, 2.0, 3.0, 4.0], false)
-- [0.0, 1.0, 2.0, 3.0]
-- > steps([1.0, 2.0, 3.0, 4.0], 3)
-- [0.0, 12.875, 38.625, 77.25]
-- > steps([1.0, 2.0, 3.0, 4.0], 0)
-- [0.0, 1.0, 3.0, 6.0]
-- > fewer([1.0, 2.0, 3.0, 4.0, 5.0])
-- [0.0, 21.3125, 38.625, 43.5, 35.0]
-- > chosen([1.0, 2.0, 3.0, 4.0])
-- [0.0, 1.0, 3.0, 6.0]
-- > until([1.0, 2.0, 3.0, 4.0])
-- [0.0, 1.0, 29.125, 18.0]
-- > pairs([1.0, 2.0, 3.0, 4.0])
-- [15.0, 13.0, 15.0, 12.0]
-- > grad(\x => sum(branch(x)))([1.0, 2.0, 3.0, 4.0])
-- [13.0, 8.0, 3.0, 0.0]
-- > grad(\x => sum(fewer(x)))([1.0, 2.0, 3.0, 4.0])
-- [7.125, 8.5, 6.5, 3.0]
-- > grad(\x => sum(chosen(x)))([1.0, 2.0, 3.0, 4.0])
-- [3.0, 2.0, 1.0, 0.0]
-- > grad(\x => sum(until(x)))([1.0, 2.0, 3.0, 4.0])
-- [5.875, 4.875, 1.5, 0.0]
-- > grad(\x => sum(pairs(x)))([1.0, 2.0, 3.0, 4.0])
-- [0.0, 2.0, 9.0, 6.0]
-- > grad(\x => sum(steps(x, 2)))([1.0, 2.0, 3.0])
-- [4.5, 4.75, 5.0]
-- > jacrev(\x => uniform(x, true))([1.0, 2.0, 3.0])
-- [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
-- > jacrev(\x => branch(x))([1.0, 2.0, 3.0])
-- [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 3.0, 0.0]]
-- > hessian(\x => sum(fewer(x * x)))([1.0, 2.0, 3.0])
-- [[7.5, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 4.0]]
-- > branch(zeros(0))
-- []
-- > fewer(zeros(0))
-- []
-- > chosen(zeros(0))
-- []
-- > until(zeros(0))
-- []
-- > pairs(zeros(0))
-- []
