-- What can stop the program waits until a kernel needs its value. It runs before a loop over rows of different lengths, a
-- branch or a loop that reads unchecked, never inside of it: it would be lost where nothing runs there.
def rows(x: [n]f64, at: [n]i64) -> f64 =
  sum(for p < n => x[at[p]] * sum(for q < (if p == 0 then n else 1) => x[q]))
def loops(x: [n]f64, c: [m]i64, at: [n]i64) -> f64 =
  sum(for p < n =>
    let y = x[at[p]]
    let z = loop s = x for t < c[0] do for j => s[j] * 0.5 + x[c[t]] * f64(p)
    in y * sum(z))
def branch(x: [n]f64, c: [m]i64, at: [n]i64) -> f64 =
  sum(for p < n =>
    let y = x[at[p]]
    let z = if c[0] > 1 then (for j < m => x[c[j]] * f64(p)) else (for j < m => 1.0)
    in y * sum(z))
def whiles(x: [n]f64, c: [m]i64, at: [n]i64) -> f64 =
  sum(for p < n =>
    let y = x[at[p]]
    let (z, _) = loop (s, t) = (x, 0) while t < c[0] do (for j => s[j] * 0.5 + x[c[t]], t + 1)
    in y * sum(z))

-- > rows([1.0, 2.0], [0, 1])
-- 5.0
-- > rows([1.0, 2.0], [1, 2])
-- error: E0601
-- > grad(\x => rows(x, [0, 1]))([1.0, 2.0])
-- [6.0, 2.0]
-- > grad(\x => rows(x, [1, 2]))([1.0, 2.0])
-- error: E0601
-- > grad(\x => rows(x, [-1, 0]))([1.0, 2.0])
-- error: E0601
-- > loops([1.0, 2.0], [0], [1, 2])
-- error: E0601
-- > grad(\x => loops(x, [0], [-1, 0]))([1.0, 2.0])
-- error: E0601
-- > grad(\x => loops(x, [2, 1], [0, 1]))([1.0, 2.0])
-- error: E0601
-- > branch([1.0, 2.0], [0, 1], [1, 2])
-- error: E0601
-- > grad(\x => branch(x, [1, 0], [0, 1]))([1.0, 2.0])
-- [2.0, 2.0]
-- > grad(\x => branch(x, [2, 1], [0, 1]))([1.0, 2.0])
-- error: E0601
-- > whiles([1.0, 2.0], [0, 7], [1, 2])
-- error: E0601
-- > grad(\x => whiles(x, [1, 7], [0, 1]))([1.0, 2.0])
-- [7.0, 13.0]
-- > grad(\x => whiles(x, [0, 7], [1, 2]))([1.0, 2.0])
-- error: E0601
