-- Derivatives with structure: Jacobians and Hessians whose zeros are known.
--
-- A pattern is a list of places, `rows[e]` and `cols[e]` for each entry that may differ from zero, in any order, each place
-- once. Columns that meet no row together share one pass of forward mode (Curtis, Powell and Reid, "On the estimation of
-- sparse Jacobian matrices", 1974), rows that meet no column together one pass of reverse mode: a band of width 3 takes 3
-- passes at any size. An entry that the pattern leaves out spoils others, so the pattern must hold all of them.
--
-- A Jacobian of equal blocks needs no pattern. Where output `i` reads the inputs `a[p[i]]` and `b[q[i]]` alone, as in bundle
-- adjustment, its blocks are `for i => jacrev(f)((a[p[i]], b[q[i]]))`, one small Jacobian an output.

--| Colours for the columns of a pattern with `m` rows and `n` columns, so that no two columns of one colour meet a row
--| together. Colours are `0 .. count-1`, the lowest that fits, column by column. An index outside of the pattern's shape is
--| error E0601.
--| > column_colours([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 3], 3, 4)
--| {colour = [0, 1, 0, 1], count = 2}
--| > column_colours([0, 0, 0], [0, 1, 2], 1, 3).count
--| 3
def column_colours(rows: [z]i64, cols: [z]i64, m: i64, n: i64) -> { colour: [n]i64, count: i64 } =
  let by_row = _order(rows, m)
  let by_col = _order(cols, n)
  let (colour, _, count) = loop (colour, taken, count) = (replicate(n, -1), replicate(n, -1), 0)
      for j < n do
    let taken = loop taken = taken for s < by_col.start[j + 1] - by_col.start[j] do
      let i = rows[by_col.entry[by_col.start[j] + s]]
      in loop taken = taken for t < by_row.start[i + 1] - by_row.start[i] do
        let c = colour[cols[by_row.entry[by_row.start[i] + t]]]
        in if c >= 0 then taken with [c] = j else taken
    let c = loop c = 0 while (if c < n then taken[c] == j else false) do c + 1
    in (colour with [j] = c, taken, max(count, c + 1))
  in { colour = colour, count = count }

-- The entries of a pattern sorted by an index below `k`, and where those of each index begin.
def _order(is: [z]i64, k: i64) -> { entry: [z]i64, start: [k+1]i64 } =
  let entry = argsort(is)
  let inside = histogram((+), 0, k, is, replicate(z, 1))
  let start = concat([0], cumsum(inside)) :> [k+1]i64
  in { entry = entry, start = start }

--| The entries that a pattern names of the Jacobian at `x` of `f`, which has `m` results: by forward mode, one pass a
--| colour of the columns.
--| > jacobian(3, \x => for i < 3 => x[i] * x[i + 1], [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 3])
--| [2.0, 1.0, 3.0, 2.0, 4.0, 3.0]
def jacobian[t: float](m: i64, f: [n]t -> [m]t, x: [n]t, rows: [z]i64, cols: [z]i64) -> [z]t =
  let colours = column_colours(rows, cols, m, n)
  let passes = for c < colours.count =>
    let (_, dy) = jvp(f, x, for j < n => t(colours.colour[j] == c))
    in dy
  in for e < z => passes[colours.colour[cols[e]], rows[e]]

--| The same by reverse mode: one pass a colour of the rows. The better choice where a few rows have no column in common with
--| others, and columns are full.
--| > jacobian_by_rows(2, \x => [sum(x), x[0] * x[1]], [3.0, 4.0], [0, 0, 1, 1], [0, 1, 0, 1])
--| [1.0, 1.0, 4.0, 3.0]
def jacobian_by_rows[t: float](
  m: i64,
  f: [n]t -> [m]t,
  x: [n]t,
  rows: [z]i64,
  cols: [z]i64
) -> [z]t =
  let colours = column_colours(cols, rows, n, m)
  let (_, pullback) = vjp(f, x)
  let passes = for c < colours.count => pullback(for i < m => t(colours.colour[i] == c))
  in for e < z => passes[colours.colour[rows[e]], cols[e]]

--| The entries that a pattern names of the Hessian at `x` of `f`: the gradient's Jacobian, by forward mode over reverse
--| mode. The pattern holds both of two mirrored places.
--| > hessian_entries(\x => x[0] * x[0] * x[1] + x[2] ** 3, [1.0, 2.0, 3.0], [0, 0, 1, 2], [0, 1, 0, 2])
--| [4.0, 2.0, 2.0, 18.0]
def hessian_entries[t: float](f: [n]t -> t, x: [n]t, rows: [z]i64, cols: [z]i64) -> [z]t =
  jacobian(n, grad(f), x, rows, cols)

--| The full matrix of a pattern and its entries; zero elsewhere.
--| > dense([5.0, 7.0], [0, 1], [1, 2], 2, 3)
--| [[0.0, 5.0, 0.0], [0.0, 0.0, 7.0]]
def dense[t: num](values: [z]t, rows: [z]i64, cols: [z]i64, m: i64, n: i64) -> [m][n]t =
  loop a = zeros(m, n) for e < z do a with [rows[e], cols[e]] = values[e]

--| A matrix given by a pattern and its entries, times a vector. Entries of one place add up.
--| > times([5.0, 7.0, 1.0], [0, 1, 1], [1, 2, 0], 2, [1.0, 10.0, 100.0])
--| [50.0, 701.0]
def times[t: num](values: [z]t, rows: [z]i64, cols: [z]i64, m: i64, x: [n]t) -> [m]t =
  scatter_add(zeros(m), rows, for e < z => values[e] * x[cols[e]])

-- A pattern for tests: three diagonals.
def _tridiagonal(n: i64) -> { rows: [3*n]i64, cols: [3*n]i64 } =
  { rows = for e < 3 * n => e / 3, cols = for e < 3 * n => (e / 3 + e % 3 + n - 1) % n }

def _ring(x: [n]f64) -> [n]f64 =
  for i < n => x[(i + n - 1) % n] * x[i] - sin(x[(i + 1) % n])

test "a ring of three diagonals takes as many passes at any size" =
  let p = _tridiagonal(60)
  let q = _tridiagonal(300)
  in (
    column_colours(p.rows, p.cols, 60, 60).count == 3,
    column_colours(q.rows, q.cols, 300, 300).count == 3
  )

test "by columns, by rows and in full" within 1e-14 =
  let x = for i < 7 => 0.3 * f64(i) - 1.0
  let p = _tridiagonal(7)
  let full = jacrev(_ring)(x)
  let by_columns = jacobian(7, _ring, x, p.rows, p.cols)
  in (
    dense(by_columns, p.rows, p.cols, 7, 7) == full,
    jacobian_by_rows(7, _ring, x, p.rows, p.cols) == by_columns
  )

test "entries of a Hessian" within 1e-13 =
  let x = for i < 7 => 0.3 * f64(i) - 1.0
  let f = \x => sum(_ring(x) * x)
  let p = for e < 49 => (e / 7, e % 7)
  let (rows, cols) = unzip(p)
  in dense(hessian_entries(f, x, rows, cols), rows, cols, 7, 7) == hessian(f)(x)

test "slope of a product with a sparse matrix" gradient (v: [4]f64, x: [3]f64) =
  sum(times(v, [0, 1, 1, 0], [0, 2, 0, 0], 2, x) ** 2)
