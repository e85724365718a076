-- One program for each primitive. `zipWith` of arrays of different lengths goes to the shorter one: a slice says so here.
-- `fold1`, which starts from the first element, is a loop. Folds are over the innermost axis.
def map_(a: [n]f64) -> f64 = sum(map(\x => x * 3.0, a))

def zipWith(a: [n]f64, b: [m]f64) -> f64 =
  let k = min(n, m)
  in sum(map(\(x, y) => sin(x) * cos(x + y), a[:k], b[:k]))

def fold_1(a: [n]f64) -> f64 = reduce((*), 1.0, a)
def fold_2(a: [n]f64) -> f64 = reduce(max, 3.0, a)
def size(x: f64) -> f64 = if x < 0.0 then -x else x
def fold_3(a: [n]f64) -> f64 = reduce(\(x, y) => size(x) + size(y), 0.0, a)
def fold1_1(a: [n]f64) -> f64 = loop p = a[0] for x in a[1:] do p * x
def fold1_2(a: [n]f64) -> f64 = loop m = a[0] for x in a[1:] do max(m, x)

def replicate_1(a: [n]f64) -> f64 =
  let r = for x in a => replicate(5, (x * x + x) * 0.01)
  in product(for row in r => sum(map(\x => x * 2.0, row)))

def replicate_2(a: [n]f64) -> f64 = sum(flatten(replicate(5, map(\x => x * x + x, a)) / 20.0))

def replicate_3(a: [n]f64) -> f64 =
  let b = for x in a => replicate(2, x)
  let c = for i, j => b[i, j] * b[i, j] + b[i, j]
  in sum(flatten((for i < n, p < 5, j < 2, q < 3 => c[i, j]) * 2.0))

def replicate_4(a: [n]f64) -> f64 =
  let b = for x in a => replicate(2, x)
  let c = for i, j => b[i, j] * b[i, j] + b[i, j]
  in sum(flatten((for p < 5, i < n, q < 3, j < 2 => c[i, j]) * 2.0))

def slice_1(a: [n]f64) -> f64 =
  let m = n / 4 + 3
  let a1 = replicate(m, replicate(m, a))
  in sum(a1[2, 1])

def slice_2(a: [n]f64) -> f64 =
  let (p1, p2) = (17, 5)
  let a1 = for i < n, j < n, k < n + 1 => a[(i + j + k) % n]
  in sum(a1[p1 % n, p2 % n])

def reshape_1(a: [2*m]f64) -> f64 = product(for row in reshape(a, (2, m)) => sum(row))
def reshape_2(a: [2*m]f64) -> f64 =
  sum(for row in reshape(reshape(a, (2, m)), (2 * m, 1)) => product(row))
def circulant(a: [n]f64, m: i64) -> [m][2*m]f64 = for i < m, j < 2 * m => a[(i + j) % n]
def backpermute_1(a: [n]f64) -> f64 = sum(flatten(circulant(a, 6)))

def backpermute_2(a: [n]f64) -> f64 =
  let m = 6
  let c = for row in circulant(a, m) => sum(row)
  let d = for _p < 2, i < 3, j < m => c[min(m - 1, i * j)]
  in sum(flatten((d / 2.0)[:, :, 2]))

-- > value_and_grad(map_)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (9.899999999999999, [3.0, 3.0, 3.0, 3.0, 3.0, 3.0])
-- check-grad: map_ at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(map_)(zeros(0))
-- (0.0, [])
-- > value_and_grad(\((a, b)) => zipWith(a, b))(([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5]))
-- (-0.97897925613487, ([-0.9709581651495905, -0.9874797699088649, -0.06234851460699181, -0.987479769908865, 0.0, 0.0], [-0.5208476834086466, -0.8761609785966766, -0.5156304681588183, -0.09316807718096563]))
-- check-grad: \((a, b)) => zipWith(a, b) at ([0.7, -1.3, 2.2, 0.4, 1.9, -0.6], [1.5, -0.7, 0.25, 2.5])
-- > value_and_grad(\((a, b)) => zipWith(a, b))(([1.5, -0.7, 0.25, 2.5], [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]))
-- (-1.0905874382066099, ([-0.848100031710408, -0.9040721420170612, -0.9040721420170611, 0.6346928759426342], [-0.8064711094974482, -0.5857854853208243, -0.1577855123808577, -0.14318405903012543, 0.0, 0.0]))
-- check-grad: \((a, b)) => zipWith(a, b) at ([1.5, -0.7, 0.25, 2.5], [0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- > value_and_grad(fold_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (0.9129119999999998, [1.30416, -0.7022400000000001, 0.41496, 2.2822799999999996, 0.48047999999999996, -1.5215199999999998])
-- check-grad: fold_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(fold_1)([2.0, 0.0, 3.0])
-- (0.0, [0.0, 6.0, 0.0])
-- check-grad: fold_1 at [2.0, 0.0, 3.0]
-- > value_and_grad(fold_1)(zeros(0))
-- (1.0, [])
-- > value_and_grad(fold_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
-- check-grad: fold_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(fold_2)([4.5, -0.2, 3.75])
-- (4.5, [1.0, 0.0, 0.0])
-- check-grad: fold_2 at [4.5, -0.2, 3.75]
-- > value_and_grad(fold_3)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (7.1, [1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
-- check-grad: fold_3 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(fold1_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (0.9129119999999998, [1.3041600000000002, -0.70224, 0.41495999999999994, 2.2822799999999996, 0.48047999999999996, -1.5215199999999998])
-- check-grad: fold1_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(fold1_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.2, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
-- check-grad: fold1_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(replicate_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (-2.4195527516160004e-06, [-4.879770255360002e-06, 9.926370263039998e-06, -1.8559069401600004e-06, -7.777133844480003e-06, -2.1077773516800007e-06, -2.01629395968e-06])
-- check-grad: replicate_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(replicate_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.6125000000000003, [0.6, -0.4, 1.35, 0.44999999999999996, 1.2, -0.04999999999999999])
-- check-grad: replicate_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(replicate_3)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (867.0000000000001, [144.0, -96.00000000000001, 324.00000000000006, 108.0, 288.0, -11.999999999999996])
-- check-grad: replicate_3 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(replicate_4)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (867.0000000000002, [144.0, -96.00000000000001, 324.00000000000006, 108.0, 288.0, -11.999999999999996])
-- check-grad: replicate_4 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(slice_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.3, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: slice_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(slice_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (5.199999999999999, [1.0, 1.0, 1.0, 1.0, 2.0, 1.0])
-- check-grad: slice_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(reshape_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.7199999999999998, [1.6999999999999997, 1.6999999999999997, 1.6999999999999997, 1.6, 1.6, 1.6])
-- check-grad: reshape_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(reshape_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.3, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: reshape_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(backpermute_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (39.60000000000001, [12.0, 12.0, 12.0, 12.0, 12.0, 12.0])
-- check-grad: backpermute_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(backpermute_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (19.800000000000004, [6.0, 6.0, 6.0, 6.0, 6.0, 6.0])
-- check-grad: backpermute_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
