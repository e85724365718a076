-- Sizes of nothing and of one, what is not a number, ties, places written twice, branches that would fail, and loops in loops.
def empty() -> [0]f64 = for i < 0 => 1.0
def means(a: [n][m]f64) -> [n]f64 = for i => sum(a[i]) / f64(max(m, 1))
def scores(x: [n]f64) -> f64 = sum(for i => x[i] * x[(i + 1) % n])
def rows(a: [n][m]f64) -> [m]f64 = for j => sum(for i => a[i, j] * a[i, j])
def best(x: [n]f64) -> f64 = x[argmax(x)] * 2.0 + minimum(x)
def halves(x: [n]f64) -> [n]f64 = for i => if i < n - 1 then x[i + 1] - x[i] else 0.0
def safe(x: [n]f64, k: i64) -> [n]f64 = for i < n => if k + i < n then x[k + i] else -1.0
def quotients(a: [n]i64, b: [n]i64) -> [n]i64 = for i => if b[i] != 0 then a[i] / b[i] else 0
def added(n: i64, at: [m]i64, x: [m]f64) -> [n]f64 = scatter_add(zeros(n), at, x)
def grown(x: [n]f64, steps: i64) -> [n]f64 =
  loop y = x for t < steps do
    let z = loop z = y for s < t do for i => 0.5 * z[i] + 0.25 * z[(i + s) % n]
    in for i => z[i] + x[i]
def settled(x: [n]f64) -> ([n]f64, i64) =
  loop (y, k) = (x, 0) while maximum(abs(y)) > 0.01 do (for i < n => 0.5 * y[(i + 1) % n], k + 1)
def pyramid(x: [n]f64) -> f64 =
  let (s, _) = loop (s, y) = (0.0, x) while sum(y * y) > 1.0 do
    let m = maximum(y)
    in if m > 1.0 then (s + m, for i => if y[i] == m then 0.5 * y[i] else y[i])
       else (s, for i => 0.5 * y[i])
  in s
def nan() -> f64 = 0.0 / 0.0
def inf() -> f64 = 1.0 / 0.0

-- > (sum(empty()), product(empty()), any(for i < 0 => true), all(for i < 0 => false))
-- (0.0, 1.0, false, true)
-- > maximum(empty())
-- error: E0606
-- > argmin(empty())
-- error: E0606
-- > (sort(empty()), cumsum(empty()), reverse(empty()), concat(empty(), [1.0]))
-- ([], [], [], [1.0])
-- > means(for i < 0, j < 3 => 1.0)
-- []
-- > means(for i < 3, j < 0 => 1.0)
-- [0.0, 0.0, 0.0]
-- > rows(for i < 0, j < 3 => 1.0)
-- [0.0, 0.0, 0.0]
-- > grad(\x => sum(x))(empty())
-- []
-- > grad(\a => sum(rows(a)))(for i < 2, j < 0 => 1.0)
-- [[], []]
-- > (for i < 0, j < 3 => 1.0) @ (for i < 3, j < 2 => 1.0)
-- []
-- > (for i < 2, j < 0 => 1.0) @ (for i < 0, j < 3 => 1.0)
-- [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
-- > scatter_add([1.0, 2.0], for i < 0 => 0, empty())
-- [1.0, 2.0]
-- > grad(\x => sum(scatter_add(zeros(3), for i < 0 => 0, x)))(empty())
-- []
-- > loop x = empty() for i < 3 do for j => x[j] + 1.0
-- []
-- > grown([1.0], 3)
-- [2.40625]
-- > grown(empty(), 3)
-- []
-- > grown([1.0, 2.0, 3.0], 0)
-- [1.0, 2.0, 3.0]
-- > grown([1.0, 2.0, 3.0], 5)
-- [2.1409988403320313, 3.282155990600586, 4.402456283569336]
-- > grad(\x => sum(grown(x, 4)))([1.0, 2.0, 3.0])
-- [2.01513671875, 2.01513671875, 2.01513671875]
-- > scores([2.0])
-- 4.0
-- > grad(scores)([2.0])
-- [4.0]
-- > jvp(scores, [2.0], [1.0])
-- (4.0, 4.0)
-- > maximum([nan(), 1.0, 2.0])
-- nan
-- > minimum([1.0, nan(), 2.0])
-- nan
-- > (argmax([1.0, nan(), 2.0]), argmin([1.0, nan(), 2.0]), argmax([nan(), nan()]))
-- (1, 1, 0)
-- > sort([2.0, nan(), -inf(), inf(), 0.0, -0.0, 1.0])
-- [-inf, 0.0, -0.0, 1.0, 2.0, inf, nan]
-- > argsort([1.0, 1.0, nan(), 0.0, 1.0, nan()])
-- [3, 0, 1, 4, 2, 5]
-- > (max(nan(), 1.0), min(1.0, nan()), max(-0.0, 0.0), sign(nan()), abs(-0.0))
-- (nan, nan, -0.0, nan, 0.0)
-- > for i < 4 => [exp(-inf()), exp(inf()), log(0.0), sqrt(-1.0)][i]
-- [0.0, inf, -inf, nan]
-- > (tanh(inf()), tanh(-inf()), atan(inf()), 1.0 / inf(), inf() - inf(), 0.0 * inf(), nan() == nan(), nan() != nan(), nan() < 1.0)
-- (1.0, -1.0, 1.5707963267948966, 0.0, nan, nan, false, true, false)
-- > (i64(nan()), i64(2.9), i64(-2.9), round(2.5), round(-2.5), round(3.5), floor(-0.5), ceil(-0.5))
-- (0, 2, -2, 2.0, -2.0, 4.0, -1.0, -0.0)
-- > (sum([inf(), -inf()]), sum([nan(), 1.0]), product([inf(), 0.0]), cumsum([1.0, inf(), -inf(), 2.0]))
-- (nan, nan, nan, [1.0, inf, nan, nan])
-- > grad(\x => maximum(x))([3.0, 1.0, 3.0, 3.0])
-- [1.0, 0.0, 0.0, 0.0]
-- > grad(\x => minimum(x))([1.0, 1.0])
-- [1.0, 0.0]
-- > grad(best)([2.0, 5.0, 5.0, 1.0, 1.0])
-- [0.0, 2.0, 0.0, 1.0, 0.0]
-- > jvp(\x => maximum(x), [3.0, 1.0, 3.0], [1.0, 10.0, 100.0])
-- (3.0, 1.0)
-- > (argmax([3, 1, 3]), argmin([1, 1, 0, 0]))
-- (0, 2)
-- > grad(\x => sort(x)[0] + 10.0 * sort(x)[2])([1.0, 1.0, 1.0])
-- [1.0, 0.0, 10.0]
-- > grad(\x => sum(max(x, 0.0)))([-1.0, 0.0, -0.0, 2.0])
-- [0.0, 1.0, 1.0, 1.0]
-- > grad(\x => sum(abs(x)))([-1.0, 0.0, -0.0, 2.0])
-- [-1.0, 0.0, -0.0, 1.0]
-- > added(4, [1, 1, 1, 3, 1, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
-- [0.0, 11.0, 0.0, 10.0]
-- > grad(\x => sum(added(4, [1, 1, 1, 3, 1, 3], x) ** 2))([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
-- [22.0, 22.0, 22.0, 20.0, 22.0, 20.0]
-- > added(1, for i < 500 => 0, for i < 500 => 1.0)
-- [500.0]
-- > histogram((+), 0, 3, for i < 300 => i * i % 3, for i < 300 => 1)
-- [100, 200, 0]
-- > scatter([0.0, 0.0, 0.0], [2, 2, 0], [1.0, 2.0, 3.0])
-- [3.0, 0.0, 2.0]
-- > grad(\x => sum(scatter([0.0, 0.0, 0.0], [2, 2, 0], x) ** 2))([1.0, 2.0, 3.0])
-- [0.0, 4.0, 6.0]
-- > halves([1.0])
-- [0.0]
-- > grad(\x => sum(halves(x) ** 2))([1.0, 4.0, 2.0])
-- [-6.0, 10.0, -4.0]
-- > safe([1.0, 2.0], 5)
-- [-1.0, -1.0]
-- > grad(\x => sum(safe(x, 1)))([1.0, 2.0])
-- [0.0, 1.0]
-- > quotients([7, -7, 7, -7, 5], [2, 2, -2, -2, 0])
-- [3, -4, -4, 3, 0]
-- > (7 % 3, -7 % 3, 7 % -3, -7 % -3, -7 / 2)
-- (1, 2, -2, -1, -4)
-- > settled([4.0])
-- ([0.0078125], 9)
-- > settled([1.0, 3.0, -2.0])
-- ([0.001953125, 0.005859375, -0.00390625], 9)
-- > settled([0.0])
-- ([0.0], 0)
-- > grad(\x => sum(settled(x).0))([1.0, 3.0, -2.0])
-- [0.001953125, 0.001953125, 0.001953125]
-- > pyramid([2.0, 3.0, 1.5, 3.0])
-- 6.5
-- > grad(pyramid)([2.0, 3.0, 1.5, 3.0])
-- [1.0, 1.5, 0.0, 0.0]
-- > jvp(pyramid, [2.0, 3.0, 1.5, 3.0], [1.0, 1.0, 1.0, 1.0])
-- (6.5, 2.5)
-- > let x = [1.0, 2.0] in if x[0] > 5.0 then x[i64(x[0]) + 7] else x[1]
-- 2.0
-- > for i < 3 => if i > 5 then [1.0, 2.0][i + 4] else 1.0
-- [1.0, 1.0, 1.0]
-- > for i < 3 => [1.0, 2.0][i]
-- error: E0601
-- > for i < 3 => 10 / (1 - i)
-- error: E0602
-- > let x = [1.0, 2.0] in loop s = 0.0 for i < 3 do s + x[i]
-- error: E0601
-- > let k = for i < 3 => i - 1 in sum(for i => [1.0, 2.0, 3.0][k[i]])
-- error: E0601
-- > for i < 3 => sum(for j < i => f64(j))
-- [0.0, 0.0, 1.0]
-- > for i < 4 => product(for j < i => f64(j + 1)) + maximum(for j < i + 1 => f64(j * (3 - j)))
-- [1.0, 3.0, 4.0, 8.0]
-- > for i < 3 => loop x = 1.0 while x < f64(i * 10) do 2.0 * x
-- [1.0, 16.0, 32.0]
-- > for i < 3 => loop x = 1 while x < i * 100 do 3 * x
-- [1, 243, 243]
-- > cumsum(for i < 600 => 1.0)[599]
-- 600.0
-- > grad(\x => sum(cumsum(x) * cumsum(x)))([1.0, 2.0, 3.0])
-- [20.0, 18.0, 12.0]
-- > let a = for i < 5, j < 5 => if i == j then 2.0 else f64(i + j) / 10.0 in (transpose(a) @ a)[2]
-- [1.2200000000000002, 1.72, 4.74, 2.5999999999999996, 2.9799999999999995]
-- > vjp(\x => if x[0] > 0.0 then sum(sqrt(x)) else sum(log(x)), [1.0, 0.0]).0
-- 1.0
-- > grad(\x => if x[0] > 0.0 then x[1] * x[0] else sum(log(x)))([1.0, 0.0])
-- [0.0, 1.0]
-- > grad(\x => sum(for i < 2 => if x[i] > 0.0 then sqrt(x[i]) else 0.0))([4.0, 0.0])
-- [0.25, 0.0]
-- > grad(\x => x ** 0.0)(0.0)
-- 0.0
-- > grad(\x => x ** 2)(0.0)
-- 0.0
-- > [2.0, -2.0, 0.0] ** 3
-- [8.0, -8.0, 0.0]
-- > (for i < 6 => (-1.5) ** (i - 3), 0.0 ** 0, 0.0 ** -1)
-- ([-0.2962962962962963, 0.4444444444444444, -0.6666666666666666, 1.0, -1.5, 2.25], 1.0, inf)
-- > for i < 3 => (4294967295u32 + u32(i), i32(i + 2147483646))
-- [(4294967295, 2147483646), (0, 2147483647), (1, -2147483648)]
-- > (loop (a, b) = ([1.0, 2.0], [3.0]) for i < 3 do (a with [i % 2] = b[0], [a[0] + a[1]]))
-- ([5.0, 3.0], [6.0])
