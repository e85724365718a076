-- Conditionals over arrays. `acond_3a` has branches of different shapes in the thesis; here the sum stands in each branch.
-- Values and gradients are those of a model of the thesis's language with dual numbers.
def acond_0(a: [n]f64) -> f64 = sum(if sum(a) > 0.0 then a else map(\x => x * 2.0, a))
def acond_0a(a: [n]f64) -> f64 = sum(if sum(a) > 0.0 then map(\x => x * 2.0, a) else a)

def acond_1(a: [n]f64) -> f64 =
  let b = map(\x => x * 2.0, a)
  let (a1, _) = if sum(a) > 0.0 then (a, b) else (b, a)
  in sum(map(\x => x * f64(length(a1)), b))

def acond_2a(a: [n]f64) -> f64 =
  let b = map(\x => 2.0 * x, a)
  let y = if sum(a) <= 2.0 then map(\x => x + 1.0, b) else map(\x => x - 1.0, map(\x => 2.0 * x, b))
  in sum(b * y)

def acond_2b(a: [n]f64) -> f64 =
  let b = map(\x => 2.0 * x, a)
  let y = if sum(a) <= 2.0 then map(\x => x + 1.0, b) else map(\x => x - 1.0, map(\x => 2.0 * x, b))
  in sum(y * b)

-- One contribution, from the branch that is not taken.
def acond_3a(a: [n]f64) -> f64 = if true then sum([42.0]) else sum(a)

-- Two contributions, both from the branch that is not taken.
def acond_3b(a: [n]f64) -> f64 =
  if n >= 0 then 42.0 else sum(map(\x => x * 2.0, a)) + sum(map(\x => x + 3.0, a))

-- > value_and_grad(acond_0)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (3.3, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: acond_0 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_0)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (-4.4, [2.0, 2.0, 2.0, 2.0, 2.0])
-- check-grad: acond_0 at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(acond_0a)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (6.6, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
-- check-grad: acond_0a at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_0a)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (-2.2, [1.0, 1.0, 1.0, 1.0, 1.0])
-- check-grad: acond_0a at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(acond_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (39.599999999999994, [12.0, 12.0, 12.0, 12.0, 12.0, 12.0])
-- check-grad: acond_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_1)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (-22.0, [10.0, 10.0, 10.0, 10.0, 10.0])
-- check-grad: acond_1 at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(acond_2a)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (82.60000000000001, [9.2, -22.8, 33.2, 4.4, 28.4, -11.6])
-- check-grad: acond_2a at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_2a)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (30.580000000000002, [-18.0, 4.4, -8.0, 8.4, 5.6])
-- check-grad: acond_2a at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(acond_2b)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (82.60000000000001, [9.2, -22.8, 33.2, 4.4, 28.4, -11.6])
-- check-grad: acond_2b at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_2b)([-2.5, 0.3, -1.25, 0.8, 0.45])
-- (30.580000000000002, [-18.0, 4.4, -8.0, 8.4, 5.6])
-- check-grad: acond_2b at [-2.5, 0.3, -1.25, 0.8, 0.45]
-- > value_and_grad(acond_3a)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (42.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
-- check-grad: acond_3a at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_3b)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (42.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
-- check-grad: acond_3b at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(acond_3b)(zeros(0))
-- (42.0, [])
