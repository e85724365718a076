-- Edges and regressions: arguments not used, integers beside floats, sharing, tuples, and a small network.
-- `tuple3` has branches of different shapes: what follows them is a definition that each branch calls.
def a_ignore_argument(a: [n]f64) -> f64 = 42.0

def nonfloat_lam(a: [n]f64) -> f64 =
  let b = map(\x => (i64(round(x)), sin(x)), a)
  in sum(map(\((i, x)) => f64(i) * x, b))

def logsumexp1(a: [n]f64) -> f64 = let m = maximum(a) in log(sum(exp(a - m))) + m
def logsumexp2(a: [n]f64) -> f64 = let m = maximum(a) in log(sum(exp(a - m)))

def logsumexp3(a: [n]f64) -> f64 =
  let m = maximum(a)
  let s = a - m
  in m + m

def tuple1(a: [n]f64) -> f64 =
  let (b, _) = (map(\x => x * 2.0, a), map(\x => x + 3.0, a))
  let (a1, a2, a3) = (map(\(x, y) => sin(x) * y, b, a), a, b)
  in sum(map(\((x, y), z) => x + y * z, zip(a1, a2), a3)) + 5.0

def tuple2(a: [n]f64, b: [n]f64) -> f64 =
  let (a1, a2) = (b, a * b)
  let (b1, b2) = (a2 + b, a1)
  let (c1, c2) = (b2, a1 + b2)
  let (d1, d2) = (sum(c2), sum(b1))
  in log(d2 * sum(c1)) + d1

def tuple3_end(b1: [r][c]f64, b2: [k]f64) -> f64 =
  let m = min(k, r)
  in sum(b2[:m] + (for row in b1 => sum(row))[:m])

def tuple3_rest(a1: [r][c]f64, a2: [k]f64) -> f64 =
  if (if r > 0 then a1[0, 1] else 42.0) > 0.0 then tuple3_end(a1, a2)
  else tuple3_end(for i < 4, j < 4 => a2[i * j % k], a1[:, 0])

def tuple3(a: [n]f64, b: [m]f64) -> f64 =
  if n % 3 == 0 then tuple3_rest(for x in b => replicate(3, x), a)
  else tuple3_rest(for i < 1, j < 2 => f64(i + j), b)

def tuple4(a: [n]f64, b: [m]f64) -> f64 =
  let ((a1, s1, (s2, a2, _), s3), a3) = ((b, sum(a), (sum(b), a, ()), sum(a)), b)
  in s1 * sum(a3) + (sum(a1) * product(a2) + s2) * s3

def pick(weights: [k]f64, seed: i64, i: i64, j: i64) -> f64 =
  weights[(i + j + j * j * seed) ** (1 + seed) % k]

def neural(input: [n]f64, weights: [k]f64) -> f64 =
  let w1 = for i < 4, j < n => pick(weights, 1, i, j)
  let w2 = for i < 3, j < 4 => pick(weights, 2, i, j)
  let w3 = for j < 3 => pick(weights, 3, 0, j)
  let sigma = \x => 1.0 / (1.0 + exp(-x))
  in sigma(w3 @ map(sigma, w2 @ map(sigma, w1 @ input)))

-- Stops with an index out of range if any condition is evaluated wrongly.
def acond_cond1(a: [n]f64) -> f64 =
  let b = map(\x => x * 2.0, a)
  let logistic = 1.0 / (1.0 + exp(-sum(a)))
  let at = i64(floor(logistic * (f64(2 * n) - 0.01)))
  in sum(
    if at < n then for i < 2 * n => if i <= at then a[i] else b[(i - at) / 2]
    else for i < 2 * n => a[at - n] + (if i >= n then b[i - n] else a[i])
  )

-- > value_and_grad(a_ignore_argument)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (42.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
-- check-grad: a_ignore_argument at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(nonfloat_lam)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (5.682011329063928, [0.7648421872844885, -0.26749882862458735, -1.1770022345106916, 0.0, -0.6465791337270067, -0.8253356149096783])
-- check-grad: nonfloat_lam at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(logsumexp1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.9976219258336587, [0.1004975504076132, 0.013600864449000096, 0.45039877325754873, 0.07445041647583926, 0.33366361780188575, 0.02738877760811289])
-- check-grad: logsumexp1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(logsumexp2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (0.7976219258336585, [0.1004975504076132, 0.013600864449000096, -0.5496012267424513, 0.07445041647583926, 0.33366361780188575, 0.02738877760811289])
-- check-grad: logsumexp2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(logsumexp3)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (4.4, [0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
-- check-grad: logsumexp3 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(tuple1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (26.25007792695187, [4.0234037300487975, -3.4875906130622014, 6.496133298205439, 2.8747214583772553, 3.982464803782497, -3.7668683913392345])
-- check-grad: tuple1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(\((a, b)) => tuple2(a, b))(([0.5, 1.5, 2.0], [1.25, 0.75, 0.5]))
-- (7.574518808477688, ([0.23809523809523808, 0.14285714285714285, 0.09523809523809523], [2.685714285714286, 2.876190476190476, 2.9714285714285715]))
-- check-grad: \((a, b)) => tuple2(a, b) at ([0.5, 1.5, 2.0], [1.25, 0.75, 0.5])
-- > value_and_grad(\((a, b)) => tuple3(a, b))(([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5]))
-- (12.650000000000002, ([1.0, 1.0, 1.0, 1.0, 0.0, 0.0], [3.0, 3.0, 3.0, 3.0]))
-- check-grad: \((a, b)) => tuple3(a, b) at ([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5])
-- > value_and_grad(\((a, b)) => tuple3(a, b))(([0.8, 2.4], [1.5, -0.7, 0.25, 2.5]))
-- (2.5, ([0.0, 0.0], [1.0, 0.0, 0.0, 0.0]))
-- check-grad: \((a, b)) => tuple3(a, b) at ([0.8, 2.4], [1.5, -0.7, 0.25, 2.5])
-- > value_and_grad(\((a, b)) => tuple3(a, b))(([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [-1.5, 0.7, 0.25, 2.5]))
-- (14.45, ([9.0, 1.0, 2.0, 3.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]))
-- check-grad: \((a, b)) => tuple3(a, b) at ([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [-1.5, 0.7, 0.25, 2.5])
-- > value_and_grad(\((a, b)) => tuple4(a, b))(([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5]))
-- (34.12476408, ([25.619072, 2.114095999999999, 15.202093999999999, 37.07774779999998, 15.9696608, -7.4837691999999985], [9.612609599999999, 9.612609599999999, 9.612609599999999, 9.612609599999999]))
-- check-grad: \((a, b)) => tuple4(a, b) at ([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5])
-- > value_and_grad(\((a, b)) => neural(a, b))(([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5]))
-- (0.9853112443056873, ([-0.00045918202538144145, -0.00045918202538144145, -0.00045918202538144145, -0.00045918202538144145, -0.00045918202538144145, -0.00045918202538144145], [0.04460876982217601, 0.004934050825441143, 0.0, 0.0023200828732866706]))
-- check-grad: \((a, b)) => neural(a, b) at ([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5])
-- > value_and_grad(acond_cond1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.7, [3.0, 3.0, 3.0, 3.0, 3.0, 15.0])
-- check-grad: acond_cond1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_cond1)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (-6.300000000000001, [3.0, 4.0, 4.0, 4.0, 4.0])
-- check-grad: acond_cond1 at [-2.5, 0.3, -1.25, 0.8, 0.45]
