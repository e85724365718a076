-- E21: a Jacobian, row by row in reverse mode and column by column in forward mode.
def f(x: [3]f64) -> [2]f64 = [x[0] * x[1], sin(x[1]) + x[2] ** 2]
def by_rows(x: [3]f64) -> [2][3]f64 =
  for i < 2 => let (y, back) = vjp(f, x) in back(for k < 2 => f64(k == i))
def by_columns(x: [3]f64) -> [3][2]f64 =
  for j < 3 => let (y, dy) = jvp(f, x, for k < 3 => f64(k == j)) in dy

-- > by_rows([2.0, 0.0, 3.0])
-- [[0.0, 2.0, 0.0], [0.0, 1.0, 6.0]]
-- > transpose(by_columns([2.0, 0.0, 3.0]))
-- [[0.0, 2.0, 0.0], [0.0, 1.0, 6.0]]
-- check-grad: f at [2.0, 0.5, 3.0]
