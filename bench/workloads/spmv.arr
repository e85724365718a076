-- A sparse matrix, its rows one after the other, times a vector.

--| Row `i` of the product; its entries are those from `starts[i]` up to `starts[i + 1]`.
def row(i: i64, entries: [e]f64, columns: [e]i64, starts: [n+1]i64, x: [m]f64) -> f64 =
  let first = starts[i]
  in sum(for p < starts[i + 1] - first => entries[first + p] * x[columns[first + p]])

def value(entries: [e]f64, x: [m]f64, columns: [e]i64, starts: [n+1]i64) -> f64 =
  0.5 * sum(for i < n => row(i, entries, columns, starts, x) ** 2)

def gradient(entries: [e]f64, x: [m]f64, columns: [e]i64, starts: [n+1]i64) -> ([e]f64, [m]f64) =
  grad(\((entries, x)) => value(entries, x, columns, starts))((entries, x))
