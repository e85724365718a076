-- Two axes of one length: code that runs only where both have points depends on one of them alone.
def kept(x: [c]f64, k: [n]i64) =
  for i < c, j < c => checkpoint(\z => if n > 0 then z * (1.0 + 0.5 * f64(k[0] % 9)) else 0.5)(x[j])
def fixed(x: [c]f64, k: [n]i64) =
  for i < c, j < c => checkpoint(\z => if n > 0 then 0.5 * f64(k[0] % 9) else 0.25)(x[j])
def grown(x: [c]f64, m: i64) =
  for i < c, j < c =>
    (loop (y, t) = (0.5, 0) while t < m and abs(y) < 1.43 do
       (1.1 * y + 0.02 * product(for p < t => 0.1 * y + 0.9), t + 1)).0
-- > kept([1.0, 2.0], [3])
-- [[2.5, 5.0], [2.5, 5.0]]
-- > kept([1.0, 2.0], zeros(0) :> [0]i64)
-- [[0.5, 0.5], [0.5, 0.5]]
-- > fixed([1.0, 2.0], [3])
-- [[1.5, 1.5], [1.5, 1.5]]
-- > kept(zeros(0), [3])
-- []
-- > grown([1.0, 2.0], 0)
-- [[0.5, 0.5], [0.5, 0.5]]
-- > grown([1.0], 3)
-- [[0.7293636033799202]]
-- > grown([1.0, 2.0], 40)
-- [[1.449034914467427, 1.449034914467427], [1.449034914467427, 1.449034914467427]]
-- > grown(zeros(0), 3)
-- []
-- > grad(\x => sum(flatten(kept(x, [3]))))([1.0, 2.0])
-- [5.0, 5.0]
-- > grad(\x => sum(flatten(fixed(x, [3]))))([1.0, 2.0])
-- [0.0, 0.0]
-- > grad(\x => sum(flatten(kept(x, [3]))))(zeros(0))
-- []
-- > jacrev(\x => flatten(kept(x, [2])))([1.0, 2.0])
-- [[2.0, 0.0], [0.0, 2.0], [2.0, 0.0], [0.0, 2.0]]
-- > grad(\x => sum(flatten(grown(x, 3))))([1.0, 2.0])
-- [0.0, 0.0]
