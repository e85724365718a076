-- The worked examples of the text, beside the test programs: figures 2 and 3, sections 3.4.3 and 2.1.2, and the corners
-- that its rules have: an array of which a shorter one is read, a branch that reads an empty array and is not taken.
def figure_2(a: [n]f64) -> f64 = sum(map(\x => x * x, a) * map(\x => x + 1.0, a))
def near(a: [n]f64, x: f64) -> f64 = a[i64(abs(round(x))) % n]
def figure_3(a: [n]f64) -> f64 = sum(map(\x => x + near(a, x), a))
def shared(a: [n]f64) -> f64 = let b = map(\x => x * 3.0, a) in sum(map(\x => x * near(b, x), b))
def branches(a: [n]f64) -> f64 = if a[0] < 0.0 then sum(a[:5]) else sum(map(\x => 2.0 * x, a))
def h(x: f64, y: f64) -> f64 = x * y - y + log(y) * x

def nested(a: [n]f64) -> f64 =
  let s = sum(a)
  in sum(
    if s > 0.0 then let b = map(\x => x * x, a) in if s > 3.0 then map(\x => x * s, b) else b * a
    else map(\x => x * s, a)
  )

def in_nested(a: [n]f64) -> f64 =
  sum(map(\x => if x > 0.0 then if x > 1.0 then x * near(a, x) else 3.0 * a[0] else x * x, a))

def rank_two(a: [n]f64) -> f64 = sum(for i < 3 => product(for j < n => a[(i + j) % n]))
def twice(a: [n]f64) -> f64 = product(a) * sum(a)
def unused(a: [n]f64) -> f64 = let b = map(\x => x * x, a) in sum(a)

def empty_read(a: [n]f64) -> f64 =
  let b = a[:0]
  in sum(map(\x => if length(b) > 0 then b[0] * x else x * x, a))

def empty_branch(a: [n]f64) -> f64 = let b = a[:0] in if length(b) > 0 then b[0] else sum(a)
def index_in_condition(a: [n]f64) -> f64 = sum(map(\x => if x < a[0] then x * x else 2.0 * x, a))
def index_in_index(a: [n]f64) -> f64 = sum(map(\x => x * near(a, near(a, a[0])), a))

-- > value_and_grad(figure_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (26.651000000000003, [2.8699999999999997, 2.47, 18.92, 1.2799999999999998, 14.629999999999999, -0.12])
-- check-grad: figure_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(figure_3)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (4.5, [2.0, 4.0, 3.0, 1.0, 1.0, 1.0])
-- check-grad: figure_3 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(shared)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (-38.7, [36.9, 40.5, -10.8, -11.700000000000001, -5.400000000000002, 19.8])
-- check-grad: shared at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(branches)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (6.6, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
-- check-grad: branches at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(branches)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (-2.2, [1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: branches at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(\((x, y)) => h(x, y))((2.0, 0.5))
-- (-0.8862943611198906, (-0.1931471805599453, 5.0))
-- check-grad: \((x, y)) => h(x, y) at (2.0, 0.5)
-- > value_and_grad(nested)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (36.795, [15.77, 2.570000000000001, 25.669999999999998, 13.790000000000001, 23.689999999999998, 7.190000000000001])
-- check-grad: nested at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(nested)([4.5, -0.2, 3.75])
-- (276.53762500000005, [106.80250000000001, 31.1325, 94.72749999999999])
-- check-grad: nested at [4.5, -0.2, 3.75]
-- > value_and_grad(nested)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (4.84, [-4.4, -4.4, -4.4, -4.4, -4.4])
-- check-grad: nested at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(in_nested)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (15.27, [6.0, -2.6, 6.300000000000001, 0.0, 2.2, -1.2])
-- check-grad: in_nested at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(rank_two)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.738736, [3.9124800000000004, -2.10672, 1.24488, 6.84684, 1.44144, -4.56456])
-- check-grad: rank_two at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(twice)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.0126095999999993, [5.216639999999999, -1.4044800000000004, 2.2822799999999996, 8.444435999999998, 2.498496, -4.108103999999999])
-- check-grad: twice at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(twice)([2.0, 0.0, 3.0])
-- (0.0, [0.0, 30.0, 0.0])
-- check-grad: twice at [2.0, 0.0, 3.0]
-- > value_and_grad(unused)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.3, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: unused at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(empty_read)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (11.15, [1.4, -2.6, 4.4, 0.8, 3.8, -1.2])
-- check-grad: empty_read at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(empty_branch)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.3, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: empty_branch at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(index_in_condition)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (11.809999999999999, [2.0, -2.6, 2.0, 0.8, 2.0, -1.2])
-- check-grad: index_in_condition at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(index_in_index)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (-4.29, [-1.3, 2.0, -1.3, -1.3, -1.3, -1.3])
-- check-grad: index_in_index at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
