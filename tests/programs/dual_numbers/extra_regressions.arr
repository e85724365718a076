-- Programs beside the numbered ones: nested copies, `let` inside `for`, squared row sums, a rectifier, an `if` at the
-- top, and the trap in which a branch not taken has an infinite derivative.
def copy(a: [n][m]f64) -> [n][m]f64 = for i => for j => a[i, j]
def squares(a: [n]f64) -> [n]f64 = for i => let x = sin(a[i]) in x * x
def rows(a: [n][m]f64) -> f64 = sum(for i => sum(for j => a[i, j]) ** 2)
def relu(a: [n]f64) -> f64 = sum(for i => if a[i] > 0.0 then a[i] else 0.0)
def choice(a: [n]f64, s: f64) -> f64 = sum(if s > 0.0 then a * a else a)
def trap(a: [n]f64) -> f64 = sum(for i => if a[i] > 0.0 then log(a[i]) else 0.0)

-- > grad(\a => sum(sum(copy(a))))([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
-- [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
-- > grad(\a => sum(squares(a)))([1.0, 2.0, 3.0])
-- [0.9092974268256817, -0.7568024953079282, -0.27941549819892586]
-- > value_and_grad(rows)([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
-- (261.0, [[12.0, 12.0, 12.0], [30.0, 30.0, 30.0]])
-- > value_and_grad(relu)([-1.0, 2.0, -3.0, 4.0])
-- (6.0, [0.0, 1.0, 0.0, 1.0])
-- > value_and_grad(\a => choice(a, 1.0))([1.0, 2.0, 3.0])
-- (14.0, [2.0, 4.0, 6.0])
-- > value_and_grad(\a => choice(a, -1.0))([1.0, 2.0, 3.0])
-- (6.0, [1.0, 1.0, 1.0])
-- > value_and_grad(trap)([2.0, 0.0])
-- (0.6931471805599453, [0.5, 0.0])
-- check-grad: copy at [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
-- check-grad: squares at [1.0, 2.0, 3.0]
-- check-grad: rows at [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
-- check-grad: relu at [-1.0, 2.0, -3.0, 4.0]
-- check-grad: \a => choice(a, 1.0) at [1.0, 2.0, 3.0]
-- check-grad: trap at [2.0, -1.0]
