-- An index that one nest has checked at all of its points is not checked again in another; where that nest did not run, or ran
-- over other points, it is.
def gathered(x: [m]f64, is: [n]i64) -> f64 = sum(for i in is => x[i] * x[i])
def row(i: i64, entries: [e]f64, columns: [e]i64, starts: [n+1]i64, x: [m]f64) -> f64 =
  let first = starts[i]
  in sum(for p < starts[i + 1] - first => entries[first + p] * x[columns[first + p]])
def sparse(entries: [e]f64, x: [m]f64, columns: [e]i64, starts: [n+1]i64) -> f64 =
  0.5 * sum(for i < n => row(i, entries, columns, starts, x) ** 2)
def twice(x: [m]f64, is: [n]i64, js: [k]i64) -> f64 =
  let a = sum(for i in is => x[i])
  in a + sum(for j in js => x[is[j]])
def some(x: [m]f64, is: [n]i64, from: i64) -> f64 =
  let a = sum(for p < n - from => x[is[p + from]])
  in a * sum(for i < n => x[is[i]])
def perhaps(x: [m]f64, is: [n]i64, c: bool) -> f64 =
  let a = if c then sum(for i < n => x[is[i]]) else 0.0
  in a + x[is[n - 1]]
def walked(x: [m]f64, next: [m]i64, steps: i64) -> f64 =
  (loop (at, s) = (0, 0.0) for t < steps do (next[at], s + x[at] * x[at])).1
def added(x: [m]f64, is: [n]i64, js: [n]i64) -> [m]f64 =
  loop h = zeros(m) for i < n do h with [is[i]] = h[js[i]] + x[is[i]]
def none(x: [m]f64, is: [n]i64, k: i64) -> f64 =
  let a = sum(for j < k => sum(for i < n => x[is[i]]))
  in a + sum(for i < n => x[is[n - 1 - i]])

-- > grad(\x => gathered(x, [2, 0, 2]))([1.0, 2.0, 3.0])
-- [2.0, 0.0, 12.0]
-- > grad(\x => gathered(x, [2, 0, 3]))([1.0, 2.0, 3.0])
-- error: E0601
-- > grad(\x => gathered(x, [-1, 0, 2]))([1.0, 2.0, 3.0])
-- error: E0601
-- > (hessian(\x => gathered(x, [1, 1])))([1.0, 2.0])
-- [[0.0, 0.0], [0.0, 4.0]]
-- > (hessian(\x => gathered(x, [1, 2])))([1.0, 2.0])
-- error: E0601
-- > grad(\((e, x)) => sparse(e, x, [0, 1, 1], [0, 1, 3]))(([1.0, 2.0, 3.0], [1.0, 2.0]))
-- ([1.0, 20.0, 20.0], [1.0, 50.0])
-- > grad(\((e, x)) => sparse(e, x, [0, 2, 1], [0, 1, 3]))(([1.0, 2.0, 3.0], [1.0, 2.0]))
-- error: E0601
-- > grad(\((e, x)) => sparse(e, x, [0, 1, 1], [0, 1, 4]))(([1.0, 2.0, 3.0], [1.0, 2.0]))
-- error: E0601
-- > grad(\((e, x)) => sparse(e, x, [0, 1, 1], [-1, 1, 3]))(([1.0, 2.0, 3.0], [1.0, 2.0]))
-- error: E0601
-- > grad(\((e, x)) => sparse(e, x, [0, 1, 9], [0, 1, 2]))(([1.0, 2.0, 3.0], [1.0, 2.0]))
-- ([1.0, 8.0, 0.0], [1.0, 8.0])
-- > grad(\((e, x)) => sparse(e, x, [7, 7, 9], [2, 2, 2]))(([1.0, 2.0, 3.0], [1.0, 2.0]))
-- ([0.0, 0.0, 0.0], [0.0, 0.0])
-- > grad(\x => twice(x, [0, 1], [1, 1, 0]))([1.0, 2.0])
-- [2.0, 3.0]
-- > grad(\x => twice(x, [0, 1], [1, 2]))([1.0, 2.0])
-- error: E0601
-- > grad(\x => twice(x, [0, 2], [0]))([1.0, 2.0])
-- error: E0601
-- > grad(\x => some(x, [1, 0, 0], 1))([1.0, 2.0])
-- [12.0, 2.0]
-- > grad(\x => some(x, [2, 0, 0], 1))([1.0, 2.0])
-- error: E0601
-- > grad(\x => some(x, [0, 0, -9], 1))([1.0, 2.0])
-- error: E0601
-- > grad(\x => perhaps(x, [0, 1], true))([1.0, 2.0])
-- [1.0, 2.0]
-- > grad(\x => perhaps(x, [9, 1], false))([1.0, 2.0])
-- [0.0, 1.0]
-- > grad(\x => perhaps(x, [1, 9], false))([1.0, 2.0])
-- error: E0601
-- > grad(\x => perhaps(x, [9, 1], true))([1.0, 2.0])
-- error: E0601
-- > grad(\x => walked(x, [1, 2, 0], 4))([1.0, 2.0, 3.0])
-- [4.0, 4.0, 6.0]
-- > grad(\x => walked(x, [1, 3, 0], 3))([1.0, 2.0, 3.0])
-- error: E0601
-- > grad(\x => walked(x, [1, 3, 0], 2))([1.0, 2.0, 3.0])
-- [2.0, 4.0, 0.0]
-- > vjp(\x => added(x, [0, 1, 0], [1, 0, 1]), [1.0, 2.0]).1([1.0, 10.0])
-- [12.0, 11.0]
-- > vjp(\x => added(x, [0, 1, 2], [1, 0, 1]), [1.0, 2.0]).1([1.0, 10.0])
-- error: E0601
-- > vjp(\x => added(x, [0, 1, 0], [1, -1, 1]), [1.0, 2.0]).1([1.0, 10.0])
-- error: E0601
-- > grad(\x => none(x, [1, 0], 2))([1.0, 2.0])
-- [3.0, 3.0]
-- > grad(\x => none(x, [1, 5], 0))([1.0, 2.0])
-- error: E0601

-- The check stands in a kernel that is inlined where the derivative reads fewer points: with `[[]]` none at all.
def inlined(a: [n][m]f64, h: [c]f64) =
  let s = 0.2 * sum(a)
  in sum(for i in (for l < c => l - 1) => tanh(sin(s[i])))

-- > grad(\a => inlined(a, [0.5]))(for i < 1, l < 0 => 1.0)
-- error: E0601
-- > grad(\a => inlined(a, for l < 0 => 0.5))(for i < 1, l < 0 => 1.0)
-- [[]]
-- > grad(\a => inlined(a, for l < 0 => 0.5))([[1.0]])
-- [[0.0]]
