-- Sizes that are computed: from other sizes, by operations that are no polynomials, and by calls.
def half(x: [n]f64) -> f64 = sum(for i < n / 2 => x[2 * i])

-- The same operation on the same sizes is the same size.
def products(x: [n]f64) -> f64 =
  let y = for i < n / 2 => x[i]
  let z = for i < length(x) / 2 => x[i + 1]
  in y @ z
def in_branches(x: [n]f64) -> f64 =
  let y = if n > 3 then sum(for i < n / 2 => x[i]) else 0.0
  let z = for i < n / 2 => x[i]
  in y + sum(z + (for i < n / 2 => 1.0))
def in_kernels(x: [n]f64, k: i64) -> [n]f64 =
  for i < n => (for j < n / k => x[j]) @ (for j < n / k => x[i])

def shared(x: [n]f64, y: [m]f64) -> f64 = let k = min(n, m) in x[:k] @ y[:k]
def longer(x: [n]f64, y: [m]f64) -> f64 = sum(for i < max(n, m) => f64(i))

-- Slices with computed bounds.
def halves(x: [n]f64) -> [n]f64 = let k = n / 2 in concat(x[k:], x[:k])
def differences(x: [n]f64) -> [n-1]f64 = x[1:] - x[: length(x) - 1]
def taken(x: [n]f64, k: i64) -> [k]f64 = x[:k]
def negative(n: i64) -> f64 = sum(for i < n - 3 => 1.0)

-- Sizes that a call solves for.
def pairs(x: [2*n]f64) -> [n]f64 = x[:n] + x[n:]
def steps(x: [n+1]f64) -> [n]f64 = for i < n => x[i + 1] - x[i]
def doubled(x: [n]f64) -> [n]f64 = pairs(concat(x, x))
def rows(n: i64, x: [n*m]f64, y: [m]f64) -> [n][m]f64 = reshape(x, (n, m))
def windows(x: [n]f64, w: [k]f64) -> [n-k+1]f64 = for i < n - k + 1 => sum(for j => x[i + j] * w[j])

-- Sizes that are known when the program runs, and what is asserted of them.
def first(x: [n]f64) = for i < n / 2 => x[i]
def guarded(x: [n]f64) -> f64 = if n % 2 == 0 then evened(x) else -1.0
def evened(x: [n]f64) -> f64 = let k = n / 2 in sum(pairs(x :> [2*k]f64))

-- Asserted where nothing runs, nothing is told; where it runs, the assertion.
def asserted(x: [n]f64, r: [c]f64) =
  for i < c => if r[i] > 0.0 then sum((for z < c => r[z]) * (x :> [c]f64)) else 0.5
def asserted_rows(x: [a][b]f64, r: [c][m]f64) =
  for i < c =>
    if r[i, 0] > 0.0 then sum(for j < m => sum((x :> [c][m]f64)[i] * r[i])) else 0.5
def asserted_flat(x: [a][b]f64, r: [c][m]f64) =
  for i < c => if r[i, 0] > 0.0 then sum(sort(flatten(x :> [c][m]f64))) else 0.5
def nowhere(x: [n]f64, r: [c][c]f64) =
  for i < c => 0.2 * sum((for z < c => 0.5) * (x :> [c]f64))

-- > half([1.0, 2.0, 3.0, 4.0, 5.0])
-- 4.0
-- > products([1.0, 2.0, 3.0, 4.0, 5.0])
-- 8.0
-- > grad(products)([1.0, 2.0, 3.0, 4.0, 5.0])
-- [2.0, 4.0, 2.0, 0.0, 0.0]
-- > in_branches([1.0, 2.0, 3.0, 4.0])
-- 8.0
-- > in_branches([1.0, 2.0])
-- 2.0
-- > in_kernels([1.0, 2.0, 3.0], 2)
-- [1.0, 2.0, 3.0]
-- > in_kernels([], 0)
-- []
-- > in_kernels([1.0], 0)
-- error: E0602
-- > shared([1.0, 2.0, 3.0], [4.0, 5.0])
-- 14.0
-- > longer([1.0, 2.0, 3.0], [4.0])
-- 3.0
-- > halves([1.0, 2.0, 3.0])
-- [2.0, 3.0, 1.0]
-- > differences([1.0, 4.0, 9.0])
-- [3.0, 5.0]
-- > taken([1.0, 2.0], 1)
-- [1.0]
-- > taken([1.0, 2.0], 3)
-- error: E0601
-- > taken([1.0, 2.0], -1)
-- error: E0601
-- > negative(3)
-- 0.0
-- > negative(2)
-- error: E0604
-- > pairs([1.0, 2.0, 3.0, 4.0])
-- [4.0, 6.0]
-- > steps([1.0, 2.0, 4.0])
-- [1.0, 2.0]
-- > doubled([1.0, 2.0])
-- [2.0, 4.0]
-- > rows(2, [1.0, 2.0, 3.0, 4.0], [0.0, 0.0])
-- [[1.0, 2.0], [3.0, 4.0]]
-- > windows([1.0, 2.0, 3.0], [1.0, 1.0])
-- [3.0, 5.0]
-- > sum(first([1.0, 2.0, 3.0, 4.0]))
-- 3.0
-- > first([1.0, 2.0, 3.0, 4.0]) :> [2]f64
-- [1.0, 2.0]
-- > first([1.0, 2.0, 3.0]) :> [2]f64
-- error: E0603
-- > evened([1.0, 2.0])
-- 3.0
-- > guarded([1.0, 2.0, 3.0])
-- -1.0
-- > evened([1.0, 2.0, 3.0])
-- error: E0603

-- A Hessian of what has sizes that are quotients, reshaped to one that was given, and of a loop with a negative number of steps.
def tiled(x: [h]f64, p: i64, m: i64) -> f64 =
  let padded = for i < h + 2 * p => if i < p or i >= h + p then 0.0 else x[i - p] ** 2
  let size = (h + 2 * p - 1) / (p + 1) + 1
  let y = for o < 1 => for i < size, j < size => padded[i + j] * 2.0
  in sum(flatten(flatten(y :> [1][m][m]f64)))
def to_each_end(x: [z]f64, m: [n+1]i64) -> f64 =
  sum(for i < n => loop s = 0.0 for k < m[i + 1] - m[i] do s + x[k] ** 2)
-- > tiled([0.5], 1, 2)
-- 1.0
-- > (hessian(\x => tiled(x, 1, 2)))([0.5])
-- [[8.0]]
-- > (hessian(\x => tiled(x, 1, 3)))([0.5])
-- error: E0603
-- > (hessian(\x => to_each_end(x, [-1, 2, 1])))([0.4, 1.2, 1.5, 0.8])
-- [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
-- > (hessian(\x => to_each_end(x, [-1, 4, 1])))([0.4, 1.2, 1.5, 0.8])
-- error: E0601

-- > asserted([0.25], [-1.0, -2.0])
-- [0.5, 0.5]
-- > asserted([0.25, 4.0], [-1.0, 2.0])
-- [0.5, 7.75]
-- > grad(\x => sum(asserted(x, [-1.0, 2.0])))([0.25, 4.0])
-- [-1.0, 2.0]
-- > grad(\x => sum(asserted(x, [-1.0, -2.0])))([0.25])
-- [0.0]
-- > asserted_rows([[1.0, 2.0, 3.0]], [[-1.0, -2.0]])
-- [0.5]
-- > asserted_rows([[1.0, 2.0], [3.0, 4.0]], [[-1.0, 2.0], [3.0, 1.0]])
-- [0.5, 26.0]
-- > asserted_flat([[1.0], [2.0]], [[-1.0, 2.0], [-3.0, 4.0]])
-- [0.5, 0.5]
-- > asserted_flat([[1.0, 2.0], [3.0, 4.0]], [[-1.0, 2.0], [3.0, 1.0]])
-- [0.5, 10.0]
-- > nowhere([0.25], [] :> [0][0]f64)
-- []
-- > asserted([0.25], [-1.0, 2.0])
-- error: E0603
-- > grad(\x => sum(asserted(x, [-1.0, 2.0])))([0.25])
-- error: E0603
-- > asserted_rows([[1.0, 2.0, 3.0, 4.0]], [[-1.0, 2.0], [3.0, 1.0]])
-- error: E0603

-- Of `y` nothing is known but where there is one: what its gradient reads in a sum over `y` is not read before it.
def sums_of_asserted(y: [m]f32, g: [c]f32) -> [m]f32 = for p in y => 0.2 * sum(g * (y :> [c]f32))
