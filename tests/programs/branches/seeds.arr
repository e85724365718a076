-- A unit cotangent or tangent is zero but for one place: what it does not select contributes exactly zero, whatever
-- partial derivatives it meets.
def norms(x: [n][m]f64) -> [n]f64 = for r in x => sqrt(sum(r * r))
def total(x: [n]f64) -> f64 = sum(x * x * sqrt(x))
def pair(x: f64, y: f64) -> (f64, f64) = (sqrt(x), log(y))

-- > (jacrev(\x => sqrt(x))([0.0, 4.0]), jacfwd(\x => sqrt(x))([0.0, 4.0]))
-- ([[inf, 0.0], [0.0, 0.25]], [[inf, 0.0], [0.0, 0.25]])
-- > (jacrev(\x => log(x))([0.0, 4.0]), jacfwd(\x => log(x))([0.0, 4.0]))
-- ([[inf, 0.0], [0.0, 0.25]], [[inf, 0.0], [0.0, 0.25]])
-- > (jacrev(\x => x ** 0.5)([0.0, 4.0]), jacfwd(\x => x ** 0.5)([0.0, 4.0]))
-- ([[inf, 0.0], [0.0, 0.25]], [[inf, 0.0], [0.0, 0.25]])
-- > (jacrev(\x => 1.0 / x)([0.0, 4.0]), jacfwd(\x => 1.0 / x)([0.0, 4.0]))
-- ([[-inf, 0.0], [0.0, -0.0625]], [[-inf, 0.0], [0.0, -0.0625]])
-- > (jacrev(norms)([[0.0], [2.0]]), jacfwd(norms)([[0.0], [2.0]]))
-- ([[[0.0], [0.0]], [[0.0], [1.0]]], [[[0.0], [0.0]], [[0.0], [1.0]]])
-- > jacrev(\(x, y) => pair(x, y).1)(0.0, 0.0)
-- 0.0
-- > (jacrev(\((x, y)) => pair(x, y))((0.0, 1.0)), jacfwd(\((x, y)) => pair(x, y))((0.0, 1.0)))
-- (((inf, 0.0), (0.0, 1.0)), ((inf, 0.0), (0.0, 1.0)))
-- > hessian(\x => sum(sqrt(x)))([0.0, 4.0])
-- [[-inf, 0.0], [0.0, -0.03125]]
-- > (hessian(total)([0.0, 4.0]), jacrev(grad(total))([0.0, 4.0]))
-- ([[nan, 0.0], [0.0, 7.5]], [[nan, 0.0], [0.0, 7.5]])
-- > (jacfwd(jacfwd(total))([1.0, 4.0]), jacrev(jacfwd(total))([1.0, 4.0]))
-- ([[3.75, 0.0], [0.0, 7.5]], [[3.75, 0.0], [0.0, 7.5]])

-- Tangents and cotangents that the program writes.
-- > (jvp(\x => sqrt(x), [0.0, 4.0], onehot(2, 1)).1, vjp(\x => sqrt(x), [0.0, 4.0]).1(onehot(2, 1)))
-- ([0.0, 0.25], [0.0, 0.25])
-- > (jvp(\x => log(x), [0.0, 4.0], [0.0, 1.0]).1, vjp(\x => log(x), [0.0, 4.0]).1([0.0, 1.0]))
-- ([0.0, 0.25], [0.0, 0.25])
-- > jvp(\x => 1.0 / x, [0.0, 4.0], for i < 2 => f64(i == 1)).1
-- [0.0, -0.0625]
-- > vjp(\x => 1.0 / x, [0.0, 4.0]).1(zeros(2) with [1] = 1.0)
-- [0.0, -0.0625]
-- > linearize(\x => sqrt(x), [0.0, 4.0]).1(for i < 2 => if i == 1 then 1.0 else 0.0)
-- [0.0, 0.25]
-- > (jvp(\x => sqrt(x), 0.0, 0.0), vjp(\x => sqrt(x), 0.0).1(0.0))
-- ((0.0, 0.0), 0.0)
-- > let s = [0.0, 1.0] in for i < 2 => vjp(\x => sqrt(x), [0.0, 4.0]).1(for j < 2 => s[j] * f64(i))
-- [[0.0, 0.0], [0.0, 0.25]]

-- In forward mode too, what was not selected before an infinite partial derivative is exactly zero.
-- > (jvp(\x => sqrt(select(x > 0.0, x, 0.0)), 0.0, 1.0), grad(\x => sqrt(select(x > 0.0, x, 0.0)))(0.0))
-- ((0.0, 0.0), 0.0)
-- > (jvp(\x => sqrt(if x > 0.0 then x else 0.0), 0.0, 1.0), grad(\x => sqrt(if x > 0.0 then x else 0.0))(0.0))
-- ((0.0, 0.0), 0.0)
-- > (jvp(\x => log(max(0.0, x)), -1.0, 1.0), grad(\x => log(max(0.0, x)))(-1.0))
-- ((-inf, 0.0), 0.0)
-- > (jvp(\x => sqrt([x, 0.0]), 4.0, 1.0).1, jacrev(\x => sqrt([x, 0.0]))(4.0))
-- ([0.25, 0.0], [0.25, 0.0])
-- > jvp(\x => sum(sqrt(zeros(2) with [1] = x)), 4.0, 1.0)
-- (2.0, 0.25)

-- From one iteration of a loop to the next.
def ends(x: f64) -> f64 = loop y = x for i < 3 do if i == 2 then 5.0 else sqrt(y)
def ends_while(x: f64) -> f64 =
  (loop (y, i) = (x, 0) while i < 3 do (if i == 2 then 5.0 else sqrt(y), i + 1)).0
def overwritten(x: [n]f64) -> f64 = sum(loop a = zeros(1) for i < n do a with [0] = sqrt(x[i]))
def halves(x: [n]f64) -> f64 =
  let y = (loop y = x for i < 2 do for j < n => if j < 1 then sqrt(y[j]) else 1.0) in sum(y)
def starts(x: f64) -> f64 = loop y = 0.0 for i < 2 do sqrt(y) + x

-- > (grad(ends)(0.0), jvp(ends, 0.0, 1.0), grad(ends_while)(0.0), jvp(ends_while, 0.0, 1.0))
-- (0.0, (5.0, 0.0), 0.0, (5.0, 0.0))
-- > (grad(overwritten)([0.0, 4.0]), jvp(overwritten, [0.0, 4.0], [1.0, 1.0]))
-- ([0.0, 0.25], (2.0, 0.25))
-- > (grad(halves)([1.0, 0.0]), jvp(halves, [1.0, 0.0], [1.0, 1.0]))
-- ([0.25, 0.0], (2.0, 0.25))
-- > (grad(starts)(4.0), jvp(starts, 4.0, 1.0))
-- (1.25, (6.0, 1.25))
-- > hessian(overwritten)([0.0, 4.0])
-- [[0.0, 0.0], [0.0, -0.03125]]
