-- Scalar code that reads arrays: every gradient is a scatter, or a gather where the index can be solved for.
def aindex_generate_1(a: [n]f64) -> f64 = sum(for i < n / 2 => a[2 * i])
def aindex_generate_2(a: [n]f64) -> f64 = sum(for i < 2 * n => a[i / 2] + a[min(i % 2, n - 1)])
def aindex_generate_3(a: [n]f64) -> f64 = sum(for i < 2 * n => if i < 5 then a[i / 2] else 42.0)
def aindex_generate_4(a: [n]f64) -> f64 = sum(for i < 2 * n => if i < n then a[i] else a[i - n])
def aindex_map_1(a: [n]f64) -> f64 = sum(map(\x => x + a[2], a))

-- An index that is computed from a float: it cuts the derivative.
def near(a: [n]f64, x: f64) -> f64 = a[i64(abs(round(x))) % n]
def aindex_map_2(a: [n]f64) -> f64 = sum(map(\x => x + near(a, x), a))

def aindex_map_3(a: [n]f64) -> f64 =
  let b = for i < n => reduce(max, -20.0, for j < n => a[bit_and(i, j)])
  in sum(map(\x => x * near(b, x), a))

def aindex_map_4(a: [n]f64) -> f64 =
  let b = for i < n => sum(for j < n => a[min(bit_xor(i, j), n - 1)])
  in sum(map(\x => x * near(a, x), b))

def aindex_acond(a: [n]f64) -> f64 =
  let s = i64(round(sum(a)))
  in sum(if 0 <= s and s < n then [a[s]] else [0.0])

def aindex_only(a: [n]f64) -> f64 = sum(for i < 5 => a[i % n])

-- > value_and_grad(aindex_generate_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (4.800000000000001, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
-- check-grad: aindex_generate_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_generate_1)(zeros(0))
-- (0.0, [])
-- > value_and_grad(aindex_generate_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.9999999999999987, [8.0, 8.0, 2.0, 2.0, 2.0, 2.0])
-- check-grad: aindex_generate_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_generate_3)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (295.0, [2.0, 2.0, 1.0, 0.0, 0.0, 0.0])
-- check-grad: aindex_generate_3 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_generate_4)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (6.600000000000001, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
-- check-grad: aindex_generate_4 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_map_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (16.5, [1.0, 1.0, 7.0, 1.0, 1.0, 1.0])
-- check-grad: aindex_map_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_map_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (4.5, [2.0, 4.0, 3.0, 1.0, 1.0, 1.0])
-- check-grad: aindex_map_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_map_3)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (8.46, [-0.10000000000000009, 0.7, 6.3, 0.7, 2.2, 0.7])
-- check-grad: aindex_map_3 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_map_4)([0.75, -1.3, 2.2, 0.45, 1.9, -0.62])
-- (2.1319999999999992, [-4.3, -3.5999999999999996, -1.7000000000000002, 5.0600000000000005, -1.7000000000000002, -12.100000000000001])
-- check-grad: aindex_map_4 at [0.75, -1.3, 2.2, 0.45, 1.9, -0.62]
-- > value_and_grad(aindex_acond)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (0.4, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
-- check-grad: aindex_acond at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(aindex_acond)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (0.0, [0.0, 0.0, 0.0, 0.0, 0.0])
-- check-grad: aindex_acond at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(aindex_only)([0.8, 2.4])
-- (7.2, [3.0, 2.0])
-- check-grad: aindex_only at [0.8, 2.4]
