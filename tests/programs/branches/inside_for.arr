-- The same inside `for`: elements take different branches.
def roots(x: [n]f64) -> [n]f64 = for i => if x[i] > 0.0 then sqrt(x[i]) else 0.0
def logs(x: [n]f64) -> f64 = sum(for i => if x[i] > 0.0 then log(x[i]) else 0.0)
def reciprocals(x: [n]f64) -> f64 = sum(for e in x => if e == 0.0 then 0.0 else 1.0 / e)
def pairs(x: [n]f64) -> f64 =
  sum(for i => sum(for j => if i == j then 0.0 else 1.0 / (x[i] - x[j]) ** 2))
def ratios(x: [n]f64, y: [n]f64) -> f64 = sum(for i => if y[i] != 0.0 then x[i] / y[i] else 0.0)
def distances(q: [n][2]f64) -> f64 =
  sum(for i => sum(for j => if i < j then sqrt(sum((q[i] - q[j]) ** 2)) else 0.0))
def mapped(x: [n]f64) -> f64 = sum(map(\e => if e > 0.0 then e ** 0.5 else e, x))
def nested(x: [n]f64) -> f64 =
  sum(for i => if x[i] >= 0.0 then (if x[i] > 0.0 then log(x[i]) else 2.0 * x[i]) else sqrt(-x[i]))
def shifted(x: [n]f64) -> [n]f64 = for i < n => if i == 0 then 0.0 else sqrt(x[i - 1])

-- > let (y, back) = vjp(roots, [4.0, 0.0, -1.0]) in back([1.0, 1.0, 1.0])
-- [0.25, 0.0, 0.0]
-- > jvp(roots, [4.0, 0.0, -1.0], [1.0, 1.0, 1.0])
-- ([2.0, 0.0, 0.0], [0.25, 0.0, 0.0])
-- > (grad(logs)([2.0, 0.0]), jvp(logs, [2.0, 0.0], [1.0, 1.0]).1)
-- ([0.5, 0.0], 0.5)
-- > (grad(reciprocals)([2.0, 0.0]), jvp(reciprocals, [2.0, 0.0], [1.0, 1.0]).1)
-- ([-0.25, 0.0], -0.25)
-- > (grad(pairs)([0.0, 1.0]), jvp(pairs, [0.0, 1.0], [1.0, 0.0]).1)
-- ([4.0, -4.0], 4.0)
-- > grad(\((x, y)) => ratios(x, y))(([1.0, 0.0], [2.0, 0.0]))
-- ([0.5, 0.0], [-0.25, 0.0])
-- > jvp(\((x, y)) => ratios(x, y), ([1.0, 0.0], [2.0, 0.0]), ([1.0, 1.0], [1.0, 1.0])).1
-- 0.25
-- > grad(distances)([[0.0, 0.0], [3.0, 4.0]])
-- [[-0.6, -0.8], [0.6, 0.8]]
-- > (grad(mapped)([4.0, 0.0]), jvp(mapped, [4.0, 0.0], [1.0, 1.0]).1)
-- ([0.25, 1.0], 1.25)
-- > (grad(nested)([2.0, 0.0, -4.0]), jvp(nested, [2.0, 0.0, -4.0], [1.0, 1.0, 1.0]).1)
-- ([0.5, 2.0, -0.25], 2.25)
-- > (grad(\x => sum(shifted(x)))([4.0, 0.0]), jvp(shifted, [4.0, 0.0], [1.0, 0.0]).1)
-- ([0.25, 0.0], [0.0, 0.25])
