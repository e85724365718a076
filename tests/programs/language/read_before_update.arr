-- Loops that read arrays and change them in the same iteration, and updates under a condition on an index: the derivatives of rows side
-- by side. Modules for XLA put the reads first and leave out the points at which nothing is added.

--| Rows of both ends of an edge, side by side, in a product.
def along_edges(x: [n][d]f64, w: [2*d]f64, from: [e]i64, to: [e]i64) -> f64 =
  sum(for k => tanh(concat(x[from[k]], x[to[k]]) @ w))

--| Three parts of different lengths, of which the middle one is a sum.
def parts(a: [n]f64, b: [m]f64) -> [n+1+m]f64 = concat(a * a, concat([sum(b)], b * 2.0))

--| Two recurrences that read each other's last elements.
def two_ways(a: [n]f64, b: [n]f64) -> ([n]f64, [n]f64) =
  loop (p, q) = (a, b) for k < n - 1 do
    let (x, y) = (p[k], q[k])
    in (p with [k + 1] = sin(y) + p[k + 1] * 0.5, q with [k + 1] = x * q[k + 1])

--| Elements at places from data are read, changed and exchanged.
def exchanged(x: [n]f64, at: [m]i64) -> [n]f64 =
  loop y = x for i < m do
    let (old, first) = (y[at[i]], y[0])
    in y with [at[i]] = first * 1.5 with [0] = old

--| Numbers without a smaller divisor, by crossing out.
def sieve(n: i64) -> [n]bool =
  loop open = (for i < n => i > 1) for i < n do
    if i > 1 and open[i] then
      loop rest = open for k < (n - 1) / max(i, 1) - 1 do rest with [(k + 2) * i] = false
    else open

--| A queue in an array of integers: each number puts its half at the end.
def queue(n: i64, first: i64) -> [n+1]i64 =
  loop q = (for i < n + 1 => if i == 0 then first else 0) for k < n do
    let taken = q[k]
    in q with [k + 1] = if taken > 1 then taken / 2 else taken + 3

-- > along_edges([[0.1, 0.2], [0.3, 0.4]], [1.0, 2.0, 3.0, 4.0], [0, 1], [1, 1]) > 1.9
-- true
-- > parts([1.0, 2.0], [3.0])
-- [1.0, 4.0, 3.0, 6.0]
-- > parts([], [])
-- [0.0]
-- > two_ways([1.0, 2.0], [0.0, 4.0])
-- ([1.0, 1.0], [0.0, 4.0])
-- > exchanged([1.0, 2.0, 3.0], [2, 2])
-- [1.5, 2.0, 4.5]
-- > exchanged([1.0, 2.0, 3.0], [3])
-- error: E0601
-- > sieve(12)
-- [false, false, true, true, false, true, false, true, false, false, false, true]
-- > queue(4, 9)
-- [9, 4, 2, 1, 4]
-- > grad(\x => sum(exchanged(x, [1, 2, 1])))([1.0, 2.0, 3.0])
-- [1.5, 1.5, 1.5]
-- > grad(\w => along_edges([[0.0, 0.0]], w, [0], [0]))([1.0, 2.0, 3.0, 4.0])
-- [0.0, 0.0, 0.0, 0.0]
-- > let g = grad(\((a, b)) => let r = parts(a, b) in sum(r * r))(([1.0, 2.0], [3.0])) in g.0
-- [4.0, 32.0]
