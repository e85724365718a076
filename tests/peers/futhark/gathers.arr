-- Gathers, scatters and updates.

def gathered(x: [n]f64, is: [m]i64) -> [m]f64 = gather(x * x, is)

def gathered_rows(a: [n][m]f64, is: [k]i64, js: [k]i64) -> [k]f64 =
  for q => sum(a[is[q]]) * a[js[q], 1]

def gather_of_gather(x: [n]f64, is: [m]i64) -> f64 = sum(for i in is => x[is[i]] * x[i])

def scattered(d: [n]f64, is: [m]i64, v: [m]f64) -> [n]f64 = scatter(d, is, v * v)

--| Places are written twice, and what was overwritten counts for nothing.
def scattered_twice(d: [n]f64, is: [m]i64, v: [m]f64) -> [n]f64 =
  let first = scatter(d, is, v)
  in scatter(first, is, for k => first[is[k]] * v[k] + d[is[k]])

def rows_scattered(d: [n][m]f64, is: [k]i64, v: [k][m]f64) -> [n][m]f64 = sin(scatter(d, is, v))

def inverse_permutation(x: [n]f64, p: [n]i64) -> [n]f64 =
  let q = scatter(zeros(n) :> [n]i64, p, iota(n))
  in for i => x[q[i]] * x[i]

def update_depends_on_place(x: [n]f64, i: i64) -> [n]f64 = x with [i] = x[i] * x[0]

def updates_in_a_loop(x: [n]f64, is: [m]i64) -> [n]f64 =
  loop y = x for i in is do y with [i] = y[i] * y[0] + x[i]

--| The old array and the new one are both read.
def old_and_new(x: [n]f64, i: i64) -> f64 =
  let y = x * 2.0
  let z = y with [i] = y[0] * y[i]
  in sum(y * z)

def row_updates(a: [n][m]f64, v: [m]f64) -> [n][m]f64 =
  loop b = a for i < n do b with [i] = b[i] * v + b[0]

def slice_updates(x: [n]f64) -> [n]f64 =
  loop y = x for i < n - 2 do y with [i:i+2] = y[i+1:i+3] * y[i]

def column_updates(a: [n][m]f64) -> [n][m]f64 =
  loop b = a for j < m do b with [:, j] = b[:, 0] * b[:, j]

def csr_product(values: [z]f64, cols: [z]i64, start: [n+1]i64, x: [m]f64) -> [n]f64 =
  for i < n =>
    loop s = 0.0 for k < start[i + 1] - start[i] do s + values[start[i] + k] * x[cols[start[i] + k]]

def coordinate_product(values: [z]f64, rows: [z]i64, cols: [z]i64, x: [m]f64) -> [m]f64 =
  scatter_add(zeros(m), rows, for k => values[k] * x[cols[k]])

def stencil(x: [n][m]f64, k: i64) -> [n][m]f64 =
  loop u = x for t < k do
    for i < n, j < m =>
      if i == 0 or j == 0 or i == n - 1 or j == m - 1 then u[i, j]
      else
        u[i, j]
          + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]) * u[i, j]

def shifted_products(x: [n]f64, k: i64) -> [n]f64 = for i => x[i] * x[(i + k) % n] - rotate(x, 1)[i]
