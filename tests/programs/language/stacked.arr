-- Weights that are one of many in an array: what is added to the derivative of one layer, row or element is summed first.

def layers(w: [l][c][c]f64, bias: [l][c]f64, x: [b][c]f64) -> [b][c]f64 =
  loop y = x for i < l do for row in y @ w[i] => for k => tanh(row[k] + bias[i, k])

--| The layer is chosen by data, which is read even where the batch is empty only if the program reads it.
def chosen(w: [l][c][c]f64, which: [s]i64, x: [b][c]f64) -> [b][c]f64 =
  loop y = x for t < s do
    for row in y => for j => sum(for k => row[k] * w[which[t], k, j])

--| One element is read at every point, one row at every point of a row.
def shared(a: [n][m]f64, x: [b]f64) -> f64 =
  sum(for p in x => a[1, 2] * p + sum(for j < m => sin(a[2, j] * p)))

--| Rows by data, with a factor that every column shares.
def rows(table: [n][m]f64, scale: [k]f64, at: [k]i64) -> f64 =
  sum(for i < k => scale[i] * sum(for j < m => table[at[i], j] * table[at[i], 0]))

def layers_grad(w: [l][c][c]f64, bias: [l][c]f64, x: [b][c]f64) =
  grad(\((w, bias, x)) => sum(flatten(layers(w, bias, x))))((w, bias, x))

def chosen_grad(w: [l][c][c]f64, which: [s]i64, x: [b][c]f64) =
  grad(\((w, x)) => sum(flatten(chosen(w, which, x))))((w, x))

def shared_grad(a: [n][m]f64, x: [b]f64) = grad(\((a, x)) => shared(a, x))((a, x))

def rows_grad(table: [n][m]f64, scale: [k]f64, at: [k]i64) =
  grad(\((table, scale)) => rows(table, scale, at))((table, scale))

-- > chosen_grad([[[0.5, 0.25], [0.125, 1.0]], [[1.0, -1.0], [0.5, 0.5]]], [1, 1], [[1.0, 2.0]])
-- ([[[0.0, 0.0], [0.0, 0.0]], [[2.0, 3.0], [0.0, 2.0]]], [[-1.0, 0.5]])
-- > chosen_grad([[[0.5, 0.25], [0.125, 1.0]]], [7], zeros(0, 2))
-- ([[[0.0, 0.0], [0.0, 0.0]]], [])
-- > shared_grad([[1.0, 2.0]], zeros(0))
-- ([[0.0, 0.0]], [])
-- > rows_grad([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0, 0.5], [1, 0, 1])
-- ([[8.0, 2.0], [15.0, 4.5]], [21.0, 3.0, 21.0])
-- > rows_grad(zeros(2, 0), [1.0], [2])
-- ([[], []], [0.0])
