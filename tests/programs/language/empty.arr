-- Empty arrays everywhere.
def none = zeros(0)
def ignored(n: i64) = jacrev(\x => for i < n => 2.0)([1.0])
def ignored_grid(n: i64, m: i64) = jacrev(\x => for i < n, j < m => 2.0)([1.0])
-- What an iteration computes beside arrays without elements may fail.
def swept(x: [n]f64, a: [m]f64, k: i64, steps: i64) -> [n]f64 =
  loop u = x for t < steps do a[k] * u + 0.5
def swept_while(x: [n]f64, a: [m]f64, k: i64) -> [n]f64 =
  let (u, _) = loop (u, t) = (x, 0) while t < 2 do (a[k] * u, t + 1)
  in u
-- > none
-- []
-- > (sum(none), product(none), length(none))
-- (0.0, 1.0, 0)
-- > is_nan(mean(none))
-- true
-- > (any(none == none), all(none == none))
-- (false, true)
-- > none + none
-- []
-- > zeros(2, 0) @ zeros(0, 3)
-- [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
-- > concat(none, [1.0])
-- [1.0]
-- > grad(\x => sum(x * x))(none)
-- []
-- > value_and_grad(\x => sum(x) + 1.0)(none)
-- (1.0, [])
-- > transpose(zeros(0, 0))
-- []
-- > shape(transpose(zeros(0, 3)))
-- [3, 0]
-- > maximum(none)
-- error: E0606
-- > argmin(none)
-- error: E0606
-- > none[0]
-- error: E0601
-- > ignored(2)
-- [[0.0], [0.0]]
-- > ignored(0)
-- []
-- > ignored(-1)
-- error: E0604
-- > ignored_grid(0, 2)
-- []
-- > ignored_grid(2, -1)
-- error: E0604
-- > ignored_grid(-1, -1)
-- error: E0604
-- > swept(none, [1.0], 1, 2)
-- error: E0601
-- > swept(none, [1.0], 0, 2)
-- []
-- > swept(none, [1.0], 1, 0)
-- []
-- > grad(\x => sum(swept(x, [1.0], 1, 2)))(none)
-- error: E0601
-- > grad(\a => sum(swept(none, a, 1, 2)))([1.0])
-- error: E0601
-- > grad(\a => sum(swept(none, a, 0, 2)))([1.0])
-- [0.0]
-- > swept_while(none, [1.0], 1)
-- error: E0601
-- > swept_while(none, [1.0], 0)
-- []
