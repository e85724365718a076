-- Linear algebra on dense vectors and matrices.
--
-- A vector is `[n]t`; a matrix is `[n][m]t`, `n` rows of `m`. `t` is `f64` or `f32`. Matrices are small enough to be
-- factorised directly: the costs given are numbers of multiplications, to leading order.
--
-- Names that begin with `_` are parts of other definitions.

-- ---- Products and norms

--| The inner product of two vectors.
--| > dot([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
--| 32.0
def dot[t: num](x: [n]t, y: [n]t) -> t = sum(x * y)

--| The outer product: element `i, j` is `x[i] * y[j]`.
--| > outer([1.0, 2.0], [3.0, 4.0, 5.0])
--| [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]
def outer[t: num](x: [n]t, y: [m]t) -> [n][m]t = for i, j => x[i] * y[j]

--| The Kronecker product: block `i, j` is `a[i, j] * b`.
--| > kron([[1.0, 2.0]], [[1.0], [10.0]])
--| [[1.0, 2.0], [10.0, 20.0]]
def kron[t: num](a: [n][m]t, b: [p][q]t) -> [n*p][m*q]t =
  reshape(for i < n, k < p, j < m, l < q => a[i, j] * b[k, l], (n * p, m * q))

--| The Euclidean norm, the square root of the sum of squares. Its derivative at zero is zero. Squares that overflow
--| give infinity: scale vectors whose elements lie beyond `1e154`.
--| > norm([3.0, 4.0])
--| 5.0
--| > grad(norm)([0.0, 0.0])
--| [0.0, 0.0]
def norm[t: float](x: [n]t) -> t =
  let squares = sum(x * x)
  in if squares == 0 then 0 else sqrt(squares)

--| The sum of absolute values. Its derivative with respect to an element that is zero is zero.
--| > norm1([3.0, -4.0])
--| 7.0
def norm1[t: float](x: [n]t) -> t = sum(abs(x))

--| The largest absolute value; 0 for an empty vector. Its derivative goes to the first of the largest elements.
--| > norm_inf([3.0, -4.0])
--| 4.0
def norm_inf[t: float](x: [n]t) -> t = if n == 0 then 0 else maximum(abs(x))

--| The square root of the sum of squares of a matrix. Its derivative at zero is zero.
--| > frobenius([[1.0, 2.0], [2.0, 4.0]])
--| 5.0
def frobenius[t: float](a: [n][m]t) -> t = norm(flatten(a))

--| The cross product of two vectors in space.
--| > cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
--| [0.0, 0.0, 1.0]
def cross[t: num](x: [3]t, y: [3]t) -> [3]t =
  [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]

-- ---- Parts of matrices

--| The identity matrix with `n` rows.
--| > identity(2)
--| [[1.0, 0.0], [0.0, 1.0]]
def identity[t: num](n: i64) -> [n][n]t = for i < n, j < n => t(i == j)

--| The sum of the diagonal.
--| > trace([[1.0, 2.0], [3.0, 4.0]])
--| 5.0
def trace[t: num](a: [n][n]t) -> t = sum(diagonal(a))

--| The matrix with `x` on its diagonal and 0 elsewhere.
--| > diag([1.0, 2.0])
--| [[1.0, 0.0], [0.0, 2.0]]
def diag[t: num](x: [n]t) -> [n][n]t = for i < n, j < n => if i == j then x[i] else 0

--| The diagonal of a square matrix.
--| > diagonal([[1.0, 2.0], [3.0, 4.0]])
--| [1.0, 4.0]
def diagonal[t: num](a: [n][n]t) -> [n]t = for i < n => a[i, i]

--| The lower triangle, diagonal included, and 0 above.
--| > tril([[1.0, 2.0], [3.0, 4.0]])
--| [[1.0, 0.0], [3.0, 4.0]]
def tril[t: num](a: [n][m]t) -> [n][m]t = for i, j => if j <= i then a[i, j] else 0

--| The upper triangle, diagonal included, and 0 below.
--| > triu([[1.0, 2.0], [3.0, 4.0]])
--| [[1.0, 2.0], [0.0, 4.0]]
def triu[t: num](a: [n][m]t) -> [n][m]t = for i, j => if j >= i then a[i, j] else 0

--| The mean of a matrix and its transpose.
--| > symmetrize([[1.0, 2.0], [4.0, 3.0]])
--| [[1.0, 3.0], [3.0, 3.0]]
def symmetrize[t: float](a: [n][n]t) -> [n][n]t = for i < n, j < n => 0.5 * (a[i, j] + a[j, i])

--| The matrix whose diagonals are constant, with the first column `c` and the first row `r`. The corner is `c[0]`.
--| > toeplitz([1.0, 2.0], [1.0, 3.0, 4.0])
--| [[1.0, 3.0, 4.0], [2.0, 1.0, 3.0]]
def toeplitz[t: num](c: [n]t, r: [m]t) -> [n][m]t =
  for i < n, j < m => if i >= j then c[i - j] else r[j - i]

--| Two matrices along a diagonal, zeros elsewhere.
--| > block_diag([[1.0, 2.0]], [[3.0]])
--| [[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
def block_diag[t: num](a: [n][m]t, b: [p][q]t) -> [n+p][m+q]t =
  for i < n + p, j < m + q =>
    if i < n and j < m then a[i, j] else if i >= n and j >= m then b[i - n, j - m] else 0

-- ---- Triangular systems

--| The solution `x` of `l @ x == b` with a lower triangular `l`; what stands above the diagonal is not read. A zero
--| on the diagonal gives infinities or NaN. `n^2 / 2`.
--| > solve_lower([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])
--| [1.0, 2.0]
def solve_lower[t: float](l: [n][n]t, b: [n]t) -> [n]t =
  loop x = zeros(n) for i < n do
    x with [i] = (b[i] - sum(for j < i => l[i, j] * x[j])) / l[i, i]

derivative solve_lower(l, b, x, dx) =
  let db = solve_upper(transpose(l), dx)
  in (-tril(outer(db, x)), db)

--| The solution `x` of `u @ x == b` with an upper triangular `u`; what stands below the diagonal is not read. A zero
--| on the diagonal gives infinities or NaN. `n^2 / 2`.
--| > solve_upper([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0])
--| [1.0, 2.0]
def solve_upper[t: float](u: [n][n]t, b: [n]t) -> [n]t =
  loop x = zeros(n) for k < n do
    let i = n - 1 - k
    in x with [i] = (b[i] - sum(for j < k => u[i, i + 1 + j] * x[i + 1 + j])) / u[i, i]

derivative solve_upper(u, b, x, dx) =
  let db = solve_lower(transpose(u), dx)
  in (-triu(outer(db, x)), db)

--| Like `solve_lower`, for the columns of `b`.
--| > solve_lower_many([[2.0, 0.0], [1.0, 4.0]], [[2.0, 4.0], [9.0, 2.0]])
--| [[1.0, 2.0], [2.0, 0.0]]
def solve_lower_many[t: float](l: [n][n]t, b: [n][m]t) -> [n][m]t =
  loop x = zeros(n, m) for i < n do
    x with [i] = for c < m => (b[i, c] - sum(for j < i => l[i, j] * x[j, c])) / l[i, i]

derivative solve_lower_many(l, b, x, dx) =
  let db = solve_upper_many(transpose(l), dx)
  in (-tril(db @ transpose(x)), db)

--| Like `solve_upper`, for the columns of `b`.
--| > solve_upper_many([[2.0, 1.0], [0.0, 4.0]], [[4.0, 2.0], [8.0, 0.0]])
--| [[1.0, 1.0], [2.0, 0.0]]
def solve_upper_many[t: float](u: [n][n]t, b: [n][m]t) -> [n][m]t =
  loop x = zeros(n, m) for k < n do
    let i = n - 1 - k
    in x with [i] =
      for c < m => (b[i, c] - sum(for j < k => u[i, i + 1 + j] * x[i + 1 + j, c])) / u[i, i]

derivative solve_upper_many(u, b, x, dx) =
  let db = solve_lower_many(transpose(u), dx)
  in (-triu(db @ transpose(x)), db)

-- ---- LU: general systems, inverses, determinants

--| A matrix with its rows in another order as a product of triangles, see `lu`.
type Lu[n, t: float] = { factors: [n][n]t, perm: [n]i64, sign: t }

--| The factorisation `l @ u` of a matrix with its rows exchanged, by Gaussian elimination with partial pivoting.
--| `factors` holds `l` below the diagonal (its diagonal is 1) and `u` on and above it. Row `i` of `l @ u` is row
--| `perm[i]` of `a`; `sign` is the sign of that permutation. A singular matrix has a zero on the diagonal of `u`.
--| `n^3 / 3`. Golub and Van Loan, Matrix Computations, 4th edition, algorithm 3.4.1.
--| > lu([[1.0, 2.0], [4.0, 4.0]])
--| {factors = [[4.0, 4.0], [0.25, 1.0]], perm = [1, 0], sign = -1.0}
def lu[t: float](a: [n][n]t) -> Lu[n, t] =
  let (f, perm, sign) =
    loop (f, perm, sign) = (a, iota(n), t(1)) for k < n do
      let at = k + argmax(for i < n - k => abs(f[k + i, k]))
      let (f, perm, sign) =
        if at == k then (f, perm, sign)
        else (_exchange_rows(f, k, at), _exchange(perm, k, at), -sign)
      in (_eliminate(f, k), perm, sign)
  in { factors = f, perm = perm, sign = sign }

-- Of a[perm] == l @ u: what reaches `l` and `u` is brought to one triangle each, and back through both.
derivative lu(a, f, df) =
  let l = _unit_lower(f.factors)
  let below = transpose(l) @ _below(df.factors)
  let above = triu(df.factors) @ transpose(triu(f.factors))
  let inner = _below(below) + triu(above)
  let rows =
    transpose(solve_upper_many(f.factors, transpose(solve_upper_many(transpose(l), inner))))
  in scatter(zeros(n, n), f.perm, rows)

-- What stands below the diagonal.
def _below[t: num](a: [n][n]t) -> [n][n]t = for i < n, j < n => if j < i then a[i, j] else 0

def _exchange_rows[t: float](f: [n][n]t, i: i64, j: i64) -> [n][n]t =
  loop f = f for c < n do
    let (x, y) = (f[i, c], f[j, c])
    in f with [i, c] = y with [j, c] = x

def _exchange(p: [n]i64, i: i64, j: i64) -> [n]i64 =
  let (x, y) = (p[i], p[j])
  in p with [i] = y with [j] = x

-- Column `k` below the diagonal is eliminated; the multipliers take its place. A zero pivot is the largest of its
-- column, so that there is nothing to eliminate.
def _eliminate[t: float](f: [n][n]t, k: i64) -> [n][n]t =
  loop f = f for below < n - k - 1 do
    let i = k + 1 + below
    let factor = if f[k, k] == 0 then 0 else f[i, k] / f[k, k]
    in loop f = f with [i, k] = factor for right < n - k - 1 do
      let j = k + 1 + right
      in f with [i, j] = f[i, j] - factor * f[k, j]

--| The solution `x` of `a @ x == b`, from the factorisation of `a`. `n^2`.
--| > lu_solve(lu([[1.0, 2.0], [4.0, 4.0]]), [5.0, 12.0])
--| [1.0, 2.0]
def lu_solve[t: float](f: Lu[n, t], b: [n]t) -> [n]t =
  solve_upper(f.factors, solve_lower(_unit_lower(f.factors), gather(b, f.perm)))

-- The factor below the diagonal, with its diagonal of ones.
def _unit_lower[t: float](f: [n][n]t) -> [n][n]t =
  for i < n, j < n => if i == j then 1 else if j < i then f[i, j] else 0

--| The determinant, from the factorisation of a matrix by `lu`.
--| > lu_det(lu([[1.0, 2.0], [4.0, 4.0]]))
--| -4.0
def lu_det[t: float](f: Lu[n, t]) -> t = f.sign * product(diagonal(f.factors))

--| Like `lu_solve`, for the columns of `b`.
--| > lu_solve_many(lu([[1.0, 2.0], [4.0, 4.0]]), [[5.0], [12.0]])
--| [[1.0], [2.0]]
def lu_solve_many[t: float](f: Lu[n, t], b: [n][m]t) -> [n][m]t =
  solve_upper_many(f.factors, solve_lower_many(_unit_lower(f.factors), gather(b, f.perm)))

--| The solution `x` of `a @ x == b`, by `lu`. A singular `a` gives infinities or NaN. `n^3 / 3`.
--| > solve([[3.0, 1.0], [1.0, 2.0]], [9.0, 8.0])
--| [2.0, 3.0]
def solve[t: float](a: [n][n]t, b: [n]t) -> [n]t = lu_solve(lu(a), b)

derivative solve(a, b, x, dx) =
  let db = solve_transposed(a, dx)
  in (-outer(db, x), db)

--| The solution of `transpose(a) @ x == b`, as `solve` finds it.
--| > solve_transposed([[2.0, 1.0], [0.0, 4.0]], [2.0, 9.0])
--| [1.0, 2.0]
def solve_transposed[t: float](a: [n][n]t, b: [n]t) -> [n]t = lu_solve(lu(transpose(a)), b)

derivative solve_transposed(a, b, x, dx) =
  let db = solve(a, dx)
  in (-outer(x, db), db)

--| Like `solve`, for the columns of `b`.
--| > solve_many([[3.0, 1.0], [1.0, 2.0]], [[9.0, 4.0], [8.0, 3.0]])
--| [[2.0, 1.0], [3.0, 1.0]]
def solve_many[t: float](a: [n][n]t, b: [n][m]t) -> [n][m]t = lu_solve_many(lu(a), b)

derivative solve_many(a, b, x, dx) =
  let db = solve_transposed_many(a, dx)
  in (-(db @ transpose(x)), db)

--| Like `solve_transposed`, for the columns of `b`.
--| > solve_transposed_many([[2.0, 1.0], [0.0, 4.0]], [[2.0], [9.0]])
--| [[1.0], [2.0]]
def solve_transposed_many[t: float](a: [n][n]t, b: [n][m]t) -> [n][m]t =
  lu_solve_many(lu(transpose(a)), b)

derivative solve_transposed_many(a, b, x, dx) =
  let db = solve_many(a, dx)
  in (-(x @ transpose(db)), db)

--| The inverse. A singular matrix gives infinities or NaN. To solve a system `solve` is cheaper and more exact.
--| `n^3`.
--| > inverse([[1.0, 2.0], [3.0, 4.0]])  -- within 1e-14
--| [[-2.0, 1.0], [1.5, -0.5]]
def inverse[t: float](a: [n][n]t) -> [n][n]t = solve_many(a, identity(n))

derivative inverse(a, y, dy) =
  let b = transpose(y)
  in -(b @ dy @ b)

--| The determinant, by `lu`. It can overflow where `slogdet` does not. The gradient, the matrix of cofactors, is
--| right for singular matrices too, but derivatives of higher order are not.
--| > grad(det)([[1.0, 2.0], [2.0, 4.0]])
--| [[4.0, -2.0], [-2.0, 1.0]]
--| > det([[1.0, 2.0], [3.0, 4.0]])  -- within 1e-14
--| -2.0
def det[t: float](a: [n][n]t) -> t =
  let f = lu(a)
  in f.sign * product(diagonal(f.factors))

-- The matrix of cofactors is `det(a)` times the transposed inverse; of a singular matrix it is found without that.
derivative det(a, y, dy) =
  if y == 0 then dy * _cofactors(a) else dy * y * transpose(inverse(a))

-- The cofactors of a singular matrix, by elimination with complete pivoting: the product of all pivots but the last,
-- times the outer product of the vectors that `a` takes to zero from the left and from the right.
def _cofactors[t: float](a: [n][n]t) -> [n][n]t =
  let (f, rows, columns, sign) =
    loop (f, rows, columns, sign) = (a, iota(n), iota(n), t(1)) for k < n do
      let at = argmax(for s < (n - k) * (n - k) => abs(f[k + s / (n - k), k + s % (n - k)]))
      let (i, j) = (k + at / (n - k), k + at % (n - k))
      let f = transpose(_exchange_rows(transpose(_exchange_rows(f, k, i)), k, j))
      let sign = if (i == k) == (j == k) then sign else -sign
      in (_eliminate(f, k), _exchange(rows, k, i), _exchange(columns, k, j), sign)
  let others = product(for i < n => if i == n - 1 then 1 else f[i, i])
  -- The last row of the inverse of `l`, and the solution of `u @ x == 0` that ends with 1.
  let left = solve_upper(transpose(_unit_lower(f)), for i < n => t(i == n - 1))
  let right = solve_upper(
    for i < n, j < n => if i == n - 1 then t(i == j) else f[i, j],
    for i < n => t(i == n - 1)
  )
  in if others == 0 then zeros(n, n)
     else
       let found = sign * others * outer(left, right)
       in scatter(zeros(n, n), rows, for row in found => scatter(zeros(n), columns, row))

--| The sign of the determinant and the logarithm of its absolute value: `(0, -inf)` for a singular matrix.
--| > slogdet([[1.0, 2.0], [3.0, 4.0]])  -- within 1e-14
--| (-1.0, 0.6931471805599453)
def slogdet[t: float](a: [n][n]t) -> (t, t) =
  let f = lu(a)
  let u = diagonal(f.factors)
  in (f.sign * product(sign(u)), sum(log(abs(u))))

derivative slogdet(a, y, dy) = dy.1 * transpose(inverse(a))

-- ---- Cholesky: symmetric positive definite systems

--| The lower triangular `l` with `l @ transpose(l) == a` and a positive diagonal, for a symmetric positive definite
--| `a`; of an `a` that is not symmetric the symmetric part is taken. Where `a` is not positive definite `l` has NaN
--| from the first row on that shows it. `n^3 / 6`. Golub and Van Loan, section 4.2.
--| > cholesky([[4.0, 2.0], [2.0, 5.0]])
--| [[2.0, 0.0], [1.0, 2.0]]
--| > is_nan(cholesky([[1.0, 2.0], [2.0, 1.0]])[1, 1])
--| true
def cholesky[t: float](a: [n][n]t) -> [n][n]t =
  loop l = zeros(n, n) for i < n do
    loop l = l for j < i + 1 do
      let rest = 0.5 * (a[i, j] + a[j, i]) - sum(for k < j => l[i, k] * l[j, k])
      in l with [i, j] = if i == j then sqrt(rest) else rest / l[j, j]

-- Murray, Differentiation of the Cholesky decomposition (2016).
derivative cholesky(a, l, dl) =
  let inner = transpose(l) @ dl
  let half =
    for i < n, j < n => if i == j then 0.5 * inner[i, i] else if j < i then inner[i, j] else 0
  let back = solve_upper_many(transpose(l), half)
  in symmetrize(solve_upper_many(transpose(l), transpose(back)))

--| The solution `x` of `l @ transpose(l) @ x == b`, where `l` comes from `cholesky`. `n^2`.
--| > cholesky_solve(cholesky([[4.0, 2.0], [2.0, 5.0]]), [8.0, 12.0])
--| [1.0, 2.0]
def cholesky_solve[t: float](l: [n][n]t, b: [n]t) -> [n]t =
  solve_upper(transpose(l), solve_lower(l, b))

--| The solution `x` of `a @ x == b` with a symmetric positive definite `a`, by `cholesky`: twice as fast as `solve`.
--| NaN where `a` is not positive definite. `n^3 / 6`.
--| > solve_spd([[4.0, 2.0], [2.0, 5.0]], [8.0, 12.0])
--| [1.0, 2.0]
def solve_spd[t: float](a: [n][n]t, b: [n]t) -> [n]t = cholesky_solve(cholesky(a), b)

derivative solve_spd(a, b, x, dx) =
  let db = cholesky_solve(cholesky(a), dx)
  in (-symmetrize(outer(db, x)), db)

-- ---- QR: least squares

--| The thin factorisation `q @ r` of a matrix with at least as many rows as columns: the columns of `q` are
--| orthonormal, `r` is upper triangular and its diagonal is not negative. A matrix with more columns than rows gives
--| the error E0601. By Householder reflections, `2 m n^2`. Golub and Van Loan, section 5.2.
--| > let { q, r } = qr([[3.0, 1.0], [4.0, 2.0]]) in (q, r)  -- within 1e-14
--| ([[0.6, -0.8], [0.8, 0.6]], [[5.0, 2.2], [0.0, 0.4]])
def qr[t: float](a: [m][n]t) -> { q: [m][n]t, r: [n][n]t } =
  let (r, vs) = loop (r, vs): ([m][n]t, [n][m]t) = (a, zeros(n, m)) for k < n do
    let v = _reflector(r[:, k], k)
    in (_reflect(r, v, k), vs with [k] = v)
  let thin = for i < m, j < n => t(i == j)
  let q = loop q = thin for back < n do
    let k = n - 1 - back
    in _reflect(q, vs[k], k)
  -- The sign of each row of `r`, and so of each column of `q`, is free.
  let flip = for j < n => if r[j, j] < 0 then t(-1) else 1
  in {
    q = for i < m, j < n => q[i, j] * flip[j],
    r = for i < n, j < n => if j >= i then r[i, j] * flip[i] else 0
  }

-- Walter and Lehmann, Algorithmic differentiation of linear algebra functions (2010).
derivative qr(a, y, dy) =
  let inner = y.r @ transpose(dy.r) - transpose(dy.q) @ y.q
  let both = for i < n, j < n => if j <= i then inner[i, j] else inner[j, i]
  in transpose(solve_upper_many(y.r, transpose(dy.q + y.q @ both)))

-- The unit vector, zero before `k`, whose reflection takes `x` from `k` on to a multiple of the unit vector `k`; zero
-- if `x` is zero there.
def _reflector[t: float](x: [m]t, k: i64) -> [m]t =
  let tail = for i < m => if i < k then 0 else x[i]
  let size = norm(tail)
  let v = tail with [k] = if tail[k] < 0 then tail[k] - size else tail[k] + size
  let length = norm(v)
  in if length == 0 then v else v / length

-- `a - 2 v (v' a)`, where `v` is zero before `k`.
def _reflect[t: float](a: [m][n]t, v: [m]t, k: i64) -> [m][n]t =
  let w = 2 * (v @ a)
  in loop a = a for i < m - k do a with [k + i] = for j => a[k + i, j] - v[k + i] * w[j]

--| The `x` that makes `norm(a @ x - b)` smallest, by `qr`. `a` must have full column rank, and at least as many rows
--| as columns (error E0601): without full rank the answer has infinities or NaN.
--| > lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 2.0, 4.0])  -- within 1e-14
--| [0.8333333333333334, 1.5]
def lstsq[t: float](a: [m][n]t, b: [m]t) -> [n]t =
  let { q, r } = qr(a)
  in solve_upper(r, b @ q)

-- Of the normal equations `a' a x == a' b`, with `a' a == r' r`.
derivative lstsq(a, b, x, dx) =
  let r = qr(a).r
  let back = solve_upper(r, solve_lower(transpose(r), dx))
  let db = a @ back
  in (outer(b - a @ x, back) - outer(db, x), db)

-- ---- Eigenvalues and singular values

--| The eigenvalues of a symmetric matrix in ascending order, and orthonormal eigenvectors as the columns of
--| `vectors`: `a @ vectors == vectors @ diag(values)`. Of an `a` that is not symmetric the symmetric part is taken.
--| The largest component of each vector (the first of those) is positive. By reflections to a tridiagonal matrix and
--| implicit QL steps, about `6 n^3`. Golub and Van Loan, section 8.3; Martin and Wilkinson, The implicit QL algorithm
--| (1968).
--| > eigh([[2.0, 1.0], [1.0, 2.0]]).values  -- within 1e-14
--| [1.0, 3.0]
--| > eigh([[2.0, 1.0], [1.0, 2.0]]).vectors  -- within 1e-14
--| [[0.7071067811865475, 0.7071067811865475], [-0.7071067811865475, 0.7071067811865475]]
def eigh[t: float](a: [n][n]t) -> { values: [n]t, vectors: [n][n]t } =
  -- The derivative is the one below in both modes: steps that are repeated until they converge have none of their own.
  let { band, reflectors } = _tridiagonal(symmetrize(stop_gradient(a)))
  let beside = for i < n => if i + 1 < n then band[i, i + 1] else 0
  let (values, rows) = _ql(diagonal(band), beside, transpose(_reflected(reflectors)))
  let order = argsort(values)
  in { values = gather(values, order), vectors = transpose(for j in order => _with_sign(rows[j])) }

-- Giles, Collected matrix derivative results for forward and reverse mode (2008). Vectors of equal eigenvalues have
-- no derivative: what would turn one of them to another is left out, so that functions of the eigenspace are right.
derivative eigh(a, y, dy) =
  let turn = transpose(y.vectors) @ dy.vectors
  let inner = for i < n, j < n =>
    if i == j then dy.values[i] else turn[i, j] * _inverse_gap(y.values[j], y.values[i])
  in symmetrize(y.vectors @ inner @ transpose(y.vectors))

--| The eigenvalues of a symmetric matrix in ascending order, those of `eigh`, and with its derivative: each value has
--| `v @ da @ v` with its eigenvector `v`. The vectors are not computed: about `4/3 n^3`. Of an `a` that is not
--| symmetric the symmetric part is taken.
--| > eigvalsh([[2.0, 1.0], [1.0, 2.0]])  -- within 1e-14
--| [1.0, 3.0]
def eigvalsh[t: float](a: [n][n]t) -> [n]t = eigh(a).values

-- `1 / (x - y)`, and 0 where they are equal up to rounding.
def _inverse_gap[t: float](x: t, y: t) -> t =
  if abs(x - y) <= 8 * _epsilon() * (abs(x) + abs(y)) then 0 else 1 / (x - y)

-- The distance from 1 to the next number.
def _epsilon[t: float]() -> t = if t(1) + 1e-10 > 1 then 2.220446049250313e-16 else 1.1920929e-7

-- The tridiagonal matrix that reflections at the rows of `reflectors`, the first of them first, make of a symmetric one.
def _tridiagonal[t: float](a: [n][n]t) -> { band: [n][n]t, reflectors: [n][n]t } =
  let (band, reflectors) = loop (a, vs): ([n][n]t, [n][n]t) = (a, zeros(n, n)) for k < n - 2 do
    let v = _reflector(a[k], k + 1)
    let p =
      for i => if i < k then 0 else sum(for j < n - k - 1 => a[i, k + 1 + j] * v[k + 1 + j])
    let half = dot(v, p)
    let w = for i => 2 * (p[i] - half * v[i])
    let turned = loop a = a for i < n - k do
      a with [k + i] = for j => a[k + i, j] - v[k + i] * w[j] - w[k + i] * v[j]
    in (turned, vs with [k] = v)
  in { band = band, reflectors = reflectors }

-- The product of the reflections, the first of them leftmost.
def _reflected[t: float](reflectors: [n][n]t) -> [n][n]t =
  loop q = identity(n) for back < n - 2 do
    let k = n - 3 - back
    in _reflect(q, reflectors[k], k + 1)

-- The eigenvalues of the tridiagonal matrix with `d` on its diagonal and `e` beside it, and what the rotations that
-- find them make of the rows of `z`. Each eigenvalue takes two steps on average. A block ends where `e` is below
-- rounding errors.
def _ql[t: float](d: [n]t, e: [n]t, z: [n][m]t) -> ([n]t, [n][m]t) =
  let (d, _, z) =
    loop (d, e, z) = (d, e, z) for first < n do
      let (d, e, z, _, _) =
        loop (d, e, z, last, left) = (d, e, z, _end_of_block(d, e, first), 60)
            while last > first and left > 0 do
          let (d, e, z) = _ql_step(d, e, z, first, min(last, n - 1))
          in (d, e, z, _end_of_block(d, e, first), left - 1)
      in (d, e, z)
  in (d, z)

def _end_of_block[t: float](d: [n]t, e: [n]t, first: i64) -> i64 =
  loop i = first while i + 1 < n and not _is_small(d, e, min(i, n - 1)) do i + 1

def _is_small[t: float](d: [n]t, e: [n]t, i: i64) -> bool =
  not (abs(e[i]) > _epsilon() * (abs(d[i]) + abs(d[min(i + 1, n - 1)])))

-- A step with the shift of Wilkinson: from the last row of the block to the first, each rotation takes away what the one
-- before has put outside of the band.
def _ql_step[t: float](
  d: [n]t,
  e: [n]t,
  z: [n][m]t,
  first: i64,
  last: i64
) -> ([n]t, [n]t, [n][m]t) =
  let slope = (d[first + 1] - d[first]) / (2 * e[first])
  let root = _hypotenuse(slope, 1)
  let shift = d[first] - e[first] / (if slope < 0 then slope - root else slope + root)
  let (d, e, z, g, _, _, moved) =
    loop (d, e, z, g, s, c, moved) = (d, e, z, d[last] - shift, t(1), t(1), t(0))
        for back < last - first do
      let i = last - 1 - back
      let (f, b) = (s * e[i], c * e[i])
      let r = _hypotenuse(f, g)
      let (s, c) = if r == 0 then (t(0), t(1)) else (f / r, g / r)
      let above = d[i + 1] - moved
      let turned = (d[i] - above) * s + 2 * c * b
      let z = loop z = z for j < m do
        let (x, y) = (z[i, j], z[i + 1, j])
        in z with [i, j] = c * x - s * y with [i + 1, j] = s * x + c * y
      in (
        d with [i + 1] = above + s * turned,
        e with [i + 1] = r,
        z,
        c * turned - b,
        s,
        c,
        s * turned
      )
  in (d with [first] = d[first] - moved, e with [first] = g with [last] = 0, z)

-- The square root of `x^2 + y^2`, where the squares may overflow.
def _hypotenuse[t: float](x: t, y: t) -> t =
  let (large, small) = (max(abs(x), abs(y)), min(abs(x), abs(y)))
  let ratio = if large == 0 then 0 else small / large
  in large * sqrt(1 + ratio * ratio)

-- The tangent of the angle that diagonalises [[x, z], [z, y]], in a form that is smooth at z = 0.
def _jacobi[t: float](x: t, y: t, z: t) -> t =
  let gap = y - x
  let size = abs(gap) + sqrt(gap * gap + 4 * z * z)
  in if gap == 0 and z == 0 then 0 else if gap < 0 then -2 * z / size else 2 * z / size

def _rotate_rows[t: float](v: [n][m]t, p: i64, q: i64, tan: t) -> [n][m]t =
  let c = 1 / sqrt(1 + tan * tan)
  let s = tan * c
  in loop v = v for k < m do
    let (x, y) = (v[p, k], v[q, k])
    in v with [p, k] = c * x - s * y with [q, k] = s * x + c * y

-- With its largest component positive.
def _with_sign[t: float](v: [n]t) -> [n]t =
  if n == 0 then v
  else if v[argmax(abs(v))] < 0 then -v
  else v

--| The thin singular value decomposition of a matrix with at least as many rows as columns (error E0601 otherwise):
--| `a == u @ diag(s) @ vt`. `s` is not negative and descends; the columns of `u` and the rows of `vt` are
--| orthonormal, and the largest component of each row of `vt` (the first of those) is positive. By one-sided Jacobi
--| rotations, which begin near the end, with the eigenvectors of `transpose(a) @ a`: about `10 m n^2 + 6 n^3`. Golub and
--| Van Loan, section 8.6.
--| > svd([[3.0, 0.0], [4.0, 5.0]]).s  -- within 1e-14
--| [6.708203932499369, 2.23606797749979]
--| > let { u, s, vt } = svd([[3.0, 0.0], [4.0, 5.0]]) in u @ diag(s) @ vt  -- within 1e-14
--| [[3.0, 0.0], [4.0, 5.0]]
def svd[t: float](a: [m][n]t) -> { u: [m][n]t, s: [n]t, vt: [n][n]t } =
  -- The derivative is the one below in both modes, as for `eigh`.
  let a = stop_gradient(a)
  -- There are as many rows as columns.
  let _ = if n == 0 then 0 else a[n - 1, 0]
  let near = transpose(eigh(transpose(a) @ a).vectors)
  let (w, v, _): ([n][m]t, [n][n]t, i64) =
    loop (w, v, left): ([n][m]t, [n][n]t, i64) = (near @ transpose(a), near, _max_sweeps)
        while left > 0 do
      let (w, v, off) = _svd_sweep(w, v)
      in (w, v, if off > 4 * _epsilon() then left - 1 else 0)
  let sizes = for row in w => norm(row)
  let order = argsort(-sizes)
  let s = gather(sizes, order)
  let signs =
    for j in order => if n == 0 then t(1) else if v[j, argmax(abs(v[j]))] < 0 then -1 else 1
  -- The rows of `w` are orthogonal. Where one is zero, the factor `q` of them all has what is orthogonal to the others.
  let whole = for j in order, i => w[j, i]
  let q = if n == 0 or s[n - 1] > 0 then whole else transpose(qr(transpose(whole)).q)
  let u = for i < m, j < n => signs[j] * (if s[j] > 0 then whole[j, i] / s[j] else q[j, i])
  in { u = u, s = s, vt = for i < n, j < n => signs[i] * v[order[i], j] }

-- Giles (2008), see `eigh`; what leaves the space of the columns of `u` is divided by the singular values, where they
-- are not zero.
derivative svd(a, y, dy) =
  let (u, s, v) = (y.u, y.s, transpose(y.vt))
  let left = transpose(u) @ dy.u
  let right = transpose(v) @ transpose(dy.vt)
  let inner = for i < n, j < n =>
    if i == j then dy.s[i]
    else
      let gap = _inverse_gap(s[j] * s[j], s[i] * s[i])
      in gap * ((left[i, j] - left[j, i]) * s[j] + s[i] * (right[i, j] - right[j, i]))
  let beyond = dy.u - u @ left
  let scaled = for i < m, j < n => if s[j] == 0 then 0 else beyond[i, j] / s[j]
  in (u @ inner + scaled) @ y.vt

-- Jacobi's method converges quadratically: ten sweeps are enough for hundreds of rows.
def _max_sweeps = 40

-- One rotation of each pair of rows of `w`, and the largest cosine between two of them before it.
def _svd_sweep[t: float](w: [n][m]t, v: [n][n]t) -> ([n][m]t, [n][n]t, t) =
  loop (w, v, off) = (w, v, t(0)) for p < n do
    loop (w, v, off) = (w, v, off) for after < n - p - 1 do
      let q = p + 1 + after
      let (x, y, z) = (dot(w[p], w[p]), dot(w[q], w[q]), dot(w[p], w[q]))
      let tan = _jacobi(x, y, z)
      let cosine = if x == 0 or y == 0 then 0 else abs(z) / (sqrt(x) * sqrt(y))
      in (_rotate_rows(w, p, q, tan), _rotate_rows(v, p, q, tan), max(off, cosine))

--| The pseudo-inverse of Moore and Penrose. Singular values of at most `max(m, n)` rounding errors of the largest count
--| as zero.
--| > pinv([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])  -- within 1e-14
--| [[1.0, 0.0, 0.0], [0.0, 0.5, 0.0]]
def pinv[t: float](a: [m][n]t) -> [n][m]t =
  if m >= n then _tall_pinv(a) else transpose(_tall_pinv(transpose(a)))

def _tall_pinv[t: float](a: [m][n]t) -> [n][m]t =
  let { u, s, vt } = svd(a)
  let least = if n == 0 then 0 else _epsilon() * t(max(m, n)) * s[0]
  let inverses = for v in s => if v > least then 1 / v else 0
  in for i < n, j < m => sum(for k < n => vt[k, i] * inverses[k] * u[j, k])

--| How many singular values are more than `max(m, n)` rounding errors of the largest.
--| > matrix_rank([[1.0, 2.0], [2.0, 4.0]])
--| 1
def matrix_rank[t: float](a: [m][n]t) -> i64 =
  if m >= n then _rank(svd(a).s, m) else _rank(svd(transpose(a)).s, n)

def _rank[t: float](s: [k]t, longer: i64) -> i64 =
  sum(for v in s => i64(v > _epsilon() * t(longer) * s[0]))

--| The condition number: the largest singular value over the smallest. At least as many rows as columns.
--| > cond([[2.0, 0.0], [0.0, 8.0]])
--| 4.0
def cond[t: float](a: [m][n]t) -> t = let s = svd(a).s in s[0] / s[n - 1]

-- ---- General matrices: Schur form, eigenvalues and eigenvectors

--| The eigenvalues of a square matrix, as real and imaginary parts: those of `eig`, in its order, with its derivative
--| `dvalues[i] = (inverse(v) @ da @ v)[i, i]` for eigenvectors in the columns of `v`. The vectors are not computed:
--| about `15 n^3`.
--| > eigvals([[1.0, -2.0], [2.0, 1.0]])  -- within 1e-14
--| {re = [1.0, 1.0], im = [-2.0, 2.0]}
def eigvals[t: float](a: [n][n]t) -> { re: [n]t, im: [n]t } = eig(a).values

--| The eigenvalues and eigenvectors of a square matrix, complex in general: records of real and imaginary parts, as
--| in `signal`. The values ascend by their real parts, and where these are equal by their imaginary parts. Those of a
--| pair are exact conjugates, and so are their vectors; real values have vectors whose imaginary part is 0. Column
--| `j` of `vectors` belongs to value `j`. It has norm 1, and its largest component (the first of those that are equal
--| up to rounding) is real and positive. By `schur`, of the matrix with its rows and columns scaled to equal sizes by
--| powers of 2: about `40 n^3`. James, Langou and Lowery, On matrix balancing and eigenvector computation (2014).
--|
--| The values are those of a matrix that differs from `a` by rounding errors; an eigenvalue of multiplicity `k` that
--| has fewer vectors is off by about the `k`th root of a rounding error, and its vectors are nearly parallel. A
--| matrix with NaN or infinity has NaN in all values, and so has one for which the iteration does not end, see
--| `schur`. The derivative needs vectors that are linearly independent. Vectors of equal eigenvalues have none: what
--| would turn one of them to another is left out, as for `eigh`.
--| > let { values, vectors } = eig([[2.0, 0.0], [1.0, 3.0]]) in (values.re, vectors.re)  -- within 1e-14
--| ([2.0, 3.0], [[0.7071067811865475, 0.0], [-0.7071067811865475, 1.0]])
def eig[t: float](
  a: [n][n]t
) -> { values: { re: [n]t, im: [n]t }, vectors: { re: [n][n]t, im: [n][n]t } } =
  let a = stop_gradient(a)
  let scale = _balance(a)
  let { form, basis, values } =
    _complex_schur(for i < n, j < n => a[i, j] * scale[j] / scale[i])
  let (re, im) = _triangular_vectors(form.re, form.im)
  let v = _complex_times(basis, { re = transpose(re), im = transpose(im) })
  let order = argsort(values.im)
  let order = gather(order, argsort(gather(values.re, order)))
  let rows = for j in order =>
    -- The second of a pair is the conjugate of the first.
    let first = if values.im[j] < 0 then j - 1 else j
    let side = if values.im[j] < 0 then t(-1) else if values.im[j] == 0 then 0 else 1
    let (x, y) = (scale * v.re[:, first], scale * v.im[:, first])
    let k = _leading(x, y)
    let size = _hypotenuse(x[k], y[k])
    let (c, s) = (x[k] / size, y[k] / size)
    let turned = for i < n => (
      (c * x[i] + s * y[i]) / size,
      if i == k or side == 0 then 0 else side * (c * y[i] - s * x[i]) / size
    )
    let length = sqrt(sum(for z in turned => z.0 * z.0 + z.1 * z.1))
    in for z in turned => (z.0 / length, z.1 / length)
  in {
    values = { re = gather(values.re, order), im = gather(values.im, order) },
    vectors = { re = for i < n, j < n => rows[j, i].0, im = for i < n, j < n => rows[j, i].1 }
  }

-- With `m = inverse(v) @ da @ v`: `dvalues` is the diagonal of `m`, and `dv = v @ c` with
-- `c[i, j] = m[i, j] / (values[j] - values[i])` beside the diagonal, and on it what keeps the norms and the
-- components that are real. Giles (2008).
derivative eig(a, y, dy) =
  let (v, values) = (y.vectors, y.values)
  let turns = for j < n =>
    let (x, z, dx, dz) = (v.re[:, j], v.im[:, j], dy.vectors.re[:, j], dy.vectors.im[:, j])
    let k = _leading(x, z)
    let (along, across) = (dot(dx, x) + dot(dz, z), dot(dx, z) - dot(dz, x))
    in (
      for i < n => dx[i] - along * x[i],
      for i < n => dz[i] - along * z[i] + (if i == k then across / x[k] else 0)
    )
  let adjoint = _adjoint(v)
  let beside = _complex_times(
    adjoint,
    { re = for i < n, j < n => turns[j].0[i], im = for i < n, j < n => turns[j].1[i] }
  )
  let inner = for i < n, j < n =>
    if i == j then (dy.values.re[i], dy.values.im[i])
    else
      let (gap_re, gap_im) = (values.re[j] - values.re[i], values.im[j] - values.im[i])
      let size = _hypotenuse(gap_re, gap_im)
      let least = abs(values.re[i]) + abs(values.im[i]) + abs(values.re[j]) + abs(values.im[j])
      in if size <= 8 * _epsilon() * least then (0, 0)
         else
           -- Divided by the conjugate of the gap.
           let (c, s) = (gap_re / size / size, gap_im / size / size)
           let (p, q) = (beside.re[i, j], beside.im[i, j])
           in (c * p - s * q, c * q + s * p)
  let right = _complex_times(
    { re = for row in inner => for z in row => z.0, im = for row in inner => for z in row => z.1 },
    adjoint
  )
  -- `inverse(adjoint) @ right`, of which the real part is wanted.
  let whole = for i < 2 * n, j < 2 * n =>
    let (k, l) = (i % n, j % n)
    in if (i < n) == (j < n) then adjoint.re[k, l]
       else if i < n then -adjoint.im[k, l]
       else adjoint.im[k, l]
  in solve_many(whole, for i < 2 * n, j < n =>
    if i < n then right.re[i, j] else right.im[i - n, j])[:n]

-- The absolute values of complex numbers.
def _sizes[t: float](re: [n]t, im: [n]t) -> [n]t = for i < n => _hypotenuse(re[i], im[i])

-- The first component that is as large as the largest, up to rounding.
def _leading[t: float](re: [n]t, im: [n]t) -> i64 =
  let sizes = _sizes(re, im)
  let least = 0.99999 * maximum(sizes)
  in argmax(for v in sizes => i64(v >= least))

def _adjoint[t: float](a: { re: [n][m]t, im: [n][m]t }) -> { re: [m][n]t, im: [m][n]t } =
  { re = transpose(a.re), im = -transpose(a.im) }

def _complex_times[t: float](
  a: { re: [n][m]t, im: [n][m]t },
  b: { re: [m][k]t, im: [m][k]t }
) -> { re: [n][k]t, im: [n][k]t } =
  { re = a.re @ b.re - a.im @ b.im, im = a.re @ b.im + a.im @ b.re }

-- Powers of 2 for which `a[i, j] * d[j] / d[i]` has rows and columns of nearly equal sizes: those of each row and its
-- column are brought together in turn, while that makes their sum smaller.
def _balance[t: float](a: [n][n]t) -> [n]t =
  let (d, _, _) = loop (d, left, moved): ([n]t, i64, bool) = (ones(n), 20, true)
      while moved and left > 0 do
    let (d, moved) = loop (d, moved) = (d, false) for i < n do
      let column = sum(for j => if i == j then 0 else abs(a[j, i]) * d[i] / d[j])
      let row = sum(for j => if i == j then 0 else abs(a[i, j]) * d[j] / d[i])
      let ratio = if column > 0 and row > 0 then row / column else 1
      let factor =
        if is_finite(ratio) then t(2) ** i64(round(log(ratio) / 1.3862943611198906)) else 1
      in if column * factor + row / factor < 0.95 * (column + row) then
           (d with [i] = d[i] * factor, true)
         else (d, moved)
    in (d, left - 1, moved)
  in d

--| The real Schur form: `a == z @ t @ transpose(z)` with an orthogonal `z` and a `t` that is upper triangular but for
--| blocks of two rows on its diagonal, one for each pair of complex eigenvalues. The block of `p + i q` and `p - i q`
--| has `p` twice on its diagonal, and beside it two numbers whose product is `-q^2`. By Householder reflections to
--| Hessenberg form and steps of Francis with two shifts, about `25 n^3`. Golub and Van Loan, sections 7.4 and 7.5.
--|
--| NaN where `a` has NaN or infinity, and where more than 30 steps for each eigenvalue are needed (300 in all for
--| small matrices), which no known matrix does. The order of the eigenvalues and the signs of the columns of `z` are
--| those that the iteration finds. The derivative keeps them; it solves a system of `n (n - 1) / 2` equations
--| directly, `n^6 / 24`, and is infinite or NaN where eigenvalues are equal.
--| > schur([[1.0, 2.0], [2.0, 1.0]]).t  -- within 1e-14
--| [[3.0, 0.0], [0.0, -1.0]]
def schur[t: float](a: [n][n]t) -> { t: [n][n]t, z: [n][n]t } =
  let a = stop_gradient(a)
  let (h, z) = _hessenberg(a)
  let (h, z, last, _, _) =
    loop (h, z, last, tries, left): ([n][n]t, [n][n]t, i64, i64, i64) = (
      h,
      z,
      n - 1,
      0,
      30 * max(n, 10)
    ) while last > 0 and left > 0 do
      let first = _start_of_block(h, last)
      let h = h with [first, max(first - 1, 0)] = if first > 0 then 0 else h[0, 0]
      in if first + 1 >= last then (h, z, first - 1, 0, left)
         else
           let (h, z) = _francis_step(h, z, first, last, tries)
           in (h, z, last, tries + 1, left - 1)
  let (h, z) = _standard_blocks(h, z)
  let sound = last <= 0 and all(for x in flatten(a) => is_finite(x))
  let zero = if sound then 0 else t(0) / t(0)
  in { t = for i < n, j < n => zero + h[i, j], z = for i < n, j < n => zero + z[j, i] }

-- With the skew `x = transpose(z) @ dz`, `transpose(z) @ da @ z == x @ t - t @ x + dt`. Below its blocks `dt` is 0,
-- and within them it has the same numbers on the diagonal: as many equations as `x` has numbers below its diagonal.
derivative schur(a, y, dy) =
  let f = y.t
  let places = for p < n * (n - 1) / 2 =>
    let i = i64(0.5 + 0.5 * sqrt(1.0 + 8.0 * f64(p)))
    in (i, p - i * (i - 1) / 2)
  -- Element `i, j` of `x @ t - t @ x`, where `x` is 1 at `k, l` and -1 at `l, k`.
  let change = \(i: i64, j: i64, k: i64, l: i64) =>
    (if i == k then f[l, j] else 0) - (if i == l then f[k, j] else 0)
      - (if j == l then f[i, k] else 0)
      + (if j == k then f[i, l] else 0)
  let equations = for (i, j) in places, (k, l) in places =>
    if i == j + 1 and f[i, j] != 0 then change(j, j, k, l) - change(i, i, k, l)
    else change(i, j, k, l)
  let turn = transpose(y.z) @ dy.z - dy.t @ transpose(f) + transpose(f) @ dy.t
  let weights = solve_transposed(equations, for (k, l) in places => turn[k, l] - turn[l, k])
  let inner = loop m = dy.t for p < n * (n - 1) / 2 do
    let (i, j) = places[p]
    let w = weights[p]
    in if i == j + 1 and f[i, j] != 0 then
         m with [j, j] = m[j, j] + w with [i, i] = m[i, i] - w
       else m with [i, j] = m[i, j] + w
  in y.z @ inner @ transpose(y.z)

-- An upper Hessenberg matrix `h` and the transpose of `z`, with `a == z @ h @ transpose(z)`.
def _hessenberg[t: float](a: [n][n]t) -> ([n][n]t, [n][n]t) =
  let (h, z) = loop (h, z): ([n][n]t, [n][n]t) = (a, identity(n)) for k < n - 2 do
    let v = _reflector(h[:, k], k + 1)
    let h = transpose(_reflect(h, v, k + 1))
    in (transpose(_reflect(h, v, k + 1)), _reflect(z, v, k + 1))
  in (for i < n, j < n => if i > j + 1 then 0 else h[i, j], z)

-- The first row of the block that ends with row `last`: what stands below the diagonal before it is a rounding error.
def _start_of_block[t: float](h: [n][n]t, last: i64) -> i64 =
  let size = maximum(for row in h => maximum(abs(row)))
  let eps: t = _epsilon()
  in loop k = last
      while k > 0
        and abs(h[max(k, 1), max(k, 1) - 1])
          > eps * (abs(h[max(k, 1) - 1, max(k, 1) - 1]) + abs(h[k, k]) + eps * size) do
    k - 1

-- A step with the eigenvalues of the last two rows of the block as shifts: reflections of three rows take what the
-- first of them puts below the diagonal down to the end. Every tenth step without success has the shifts of Martin,
-- Peters and Wilkinson, The QR algorithm for real Hessenberg matrices (1970).
def _francis_step[t: float](
  h: [n][n]t,
  z: [n][n]t,
  first: i64,
  last: i64,
  tries: i64
) -> ([n][n]t, [n][n]t) =
  let spread = abs(h[last, last - 1]) + abs(h[last - 1, last - 2])
  let odd = tries % 10 == 9
  let middle = h[last, last] + 0.75 * spread
  let (x, y, w) =
    if odd then (middle, middle, -0.4375 * spread * spread)
    else (h[last, last], h[last - 1, last - 1], h[last, last - 1] * h[last - 1, last])
  let (p, q) = (h[first, first], h[first + 1, first + 1])
  let start = (
    ((x - p) * (y - p) - w) / h[first + 1, first] + h[first, first + 1],
    p + q - x - y,
    h[first + 2, first + 1]
  )
  let (h, z, _) = loop (h, z, next): ([n][n]t, [n][n]t, (t, t, t)) = (h, z, start)
      for step < last - first do
    let k = first + step
    let end = min(k + 2, last)
    let (u, v, w) = _reflector3(next)
    let before = if step > 0 then k - 1 else k
    let h = loop h = h for beyond < n - before do
      let j = before + beyond
      let (x, y, z) = (h[k, j], h[k + 1, j], h[end, j])
      let s = u * x + v * y + w * z
      -- What the reflection is made for is zero.
      let keep: t = if j < k then 0 else 1
      in h with [end, j] = keep * (z - s * w) with [k + 1, j] = keep * (y - s * v)
        with [k, j] = x - s * u
    let h = loop h = h for i < min(k + 4, last + 1) do
      let (x, y, z) = (h[i, k], h[i, k + 1], h[i, end])
      let s = u * x + v * y + w * z
      in h with [i, end] = z - s * w with [i, k + 1] = y - s * v with [i, k] = x - s * u
    let z = loop z = z for j < n do
      let (a, b, c) = (z[k, j], z[k + 1, j], z[end, j])
      let s = u * a + v * b + w * c
      in z with [end, j] = c - s * w with [k + 1, j] = b - s * v with [k, j] = a - s * u
    let third = if k + 3 > last then 0 else h[min(k + 3, last), k]
    in (h, z, (h[k + 1, k], if k + 2 > last then 0 else h[end, k], third))
  in (h, z)

-- The vector `v` of length `sqrt(2)` for which `x - v (v' x)` has only its first component, or zero.
def _reflector3[t: float](x: (t, t, t)) -> (t, t, t) =
  let largest = max(abs(x.0), max(abs(x.1), abs(x.2)))
  in if largest == 0 then (0, 0, 0)
     else
       let (a, b, c) = (x.0 / largest, x.1 / largest, x.2 / largest)
       let size = sqrt(a * a + b * b + c * c)
       let a = if a < 0 then a - size else a + size
       let scale = sqrt(2 / (a * a + b * b + c * c))
       in (scale * a, scale * b, scale * c)

-- Rotations that leave of each block of two rows with real eigenvalues a triangle, and bring the diagonal of the
-- others to one value. `z` is transposed.
def _standard_blocks[t: float](h: [n][n]t, z: [n][n]t) -> ([n][n]t, [n][n]t) =
  loop (h, z) = (h, z) for k < n - 1 do
    let (a, b, c, d) = (h[k, k], h[k, k + 1], h[k + 1, k], h[k + 1, k + 1])
    in if c == 0 then (h, z)
       else
         let p = 0.5 * (a - d)
         let square = p * p + b * c
         let root = if square < 0 then 0 else if p < 0 then p - sqrt(square) else p + sqrt(square)
         -- The first of the two signs makes the upper number of a pair the larger one.
         let side = if b < c then t(-1) else 1
         let angle =
           if square < 0 then 0.5 * atan2(-2 * side * p, side * (b + c)) else atan2(c, root)
         let (x, y) = (cos(angle), sin(angle))
         let h = transpose(_turn_rows(transpose(_turn_rows(h, k, x, y)), k, x, y))
         let upper = if square < 0 then 0.5 * (b - c + side * _hypotenuse(2 * p, b + c)) else b - c
         let top = if square < 0 then d + p else d + root
         let bottom = if square < 0 then d + p else if root == 0 then d else d - b * c / root
         let lower = if square < 0 then square / upper else 0
         in (
           h with [k, k] = top with [k + 1, k + 1] = bottom with [k, k + 1] = upper
             with [k + 1, k] = lower,
           _turn_rows(z, k, x, y)
         )

-- Rows `k` and `k + 1`, turned by the angle with cosine `c` and sine `s`.
def _turn_rows[t: float](v: [n][m]t, k: i64, c: t, s: t) -> [n][m]t =
  loop v = v for j < m do
    let (x, y) = (v[k, j], v[k + 1, j])
    in v with [k, j] = c * x + s * y with [k + 1, j] = c * y - s * x

-- The complex Schur form: `a == u @ t @ adjoint(u)`, with a triangular `t` (`form`) and a unitary `u` (`basis`). The
-- eigenvalues of a pair are on the diagonal one after the other, that with the positive imaginary part first.
def _complex_schur[t: float](
  a: [n][n]t
) -> {
  form: { re: [n][n]t, im: [n][n]t },
  basis: { re: [n][n]t, im: [n][n]t },
  values: { re: [n]t, im: [n]t }
} =
  let form = schur(a)
  let h = form.t
  -- Of each row: whether it is the first of a pair (1), the second (-1) or alone (0), and the numbers beside the
  -- diagonal.
  let parts = for i < n =>
    if i + 1 < n and h[min(i + 1, n - 1), i] != 0 then
      (t(1), h[i, min(i + 1, n - 1)], h[min(i + 1, n - 1), i])
    else if i > 0 and h[i, max(i - 1, 0)] != 0 then (-1, h[max(i - 1, 0), i], h[i, max(i - 1, 0)])
    else (0, 1, 0)
  let im = for (side, b, c) in parts => if c == 0 then 0 else side * sqrt(abs(b / c)) * abs(c)
  -- The eigenvectors of a block are the columns of [[b, i q], [i q, b]].
  let turn = for i < n, j < n =>
    let (side, b, _) = parts[i]
    let r = _hypotenuse(b, im[i])
    in if i == j then (b / r, t(0))
       else if j - i == i64(side) then (0, abs(im[i]) / r)
       else (0, 0)
  let turn = {
    re = for i < n, j < n => turn[i, j].0,
    im = for i < n, j < n => turn[i, j].1
  }
  let right = { re = h @ turn.re, im = h @ turn.im }
  -- `turn` is symmetric.
  let full = _complex_times({ re = turn.re, im = -turn.im }, right)
  let re = diagonal(h)
  in {
    form = {
      re = for i < n, j < n => if i < j then full.re[i, j] else if i == j then re[i] else 0,
      im = for i < n, j < n => if i < j then full.im[i, j] else if i == j then im[i] else 0
    },
    basis = { re = form.z @ turn.re, im = form.z @ turn.im },
    values = { re = re, im = im }
  }

-- The eigenvectors of a complex triangular matrix, as rows. A gap between eigenvalues that is a rounding error is
-- made one, and vectors that grow are scaled.
def _triangular_vectors[t: float](re: [n][n]t, im: [n][n]t) -> ([n][n]t, [n][n]t) =
  let size =
    if n == 0 then 0 else maximum(for i < n => max(maximum(abs(re[i])), maximum(abs(im[i]))))
  let least = if size == 0 then 1 else _epsilon() * size
  let rows = for k < n =>
    loop (x, y): ([n]t, [n]t) = (onehot(n, k), zeros(n)) for back < k do
      let i = k - 1 - back
      let p =
        sum(for j < k - i => re[i, i + 1 + j] * x[i + 1 + j] - im[i, i + 1 + j] * y[i + 1 + j])
      let q =
        sum(for j < k - i => re[i, i + 1 + j] * y[i + 1 + j] + im[i, i + 1 + j] * x[i + 1 + j])
      let (c, d) = (re[k, k] - re[i, i], im[k, k] - im[i, i])
      let (c, d) = if _hypotenuse(c, d) < least then (least, t(0)) else (c, d)
      let (p, q) = _quotient((p, q), (c, d))
      let large = _hypotenuse(p, q)
      let scale = if large > 1e15 then 1 / large else 1
      let (x, y) = if large > 1e15 then (scale * x, scale * y) else (x, y)
      in (x with [i] = scale * p, y with [i] = scale * q)
  in (for row in rows => row.0, for row in rows => row.1)

-- A quotient of complex numbers.
def _quotient[t: float](a: (t, t), b: (t, t)) -> (t, t) =
  let size = max(abs(b.0), abs(b.1))
  let (c, s) = (b.0 / size, b.1 / size)
  let square = (c * c + s * s) * size
  in ((a.0 * c + a.1 * s) / square, (a.1 * c - a.0 * s) / square)

-- ---- Functions of matrices

--| The matrix power `a^k`; the inverse's power if `k` is negative. About `2 log2(k)` products.
--| > power([[1.0, 1.0], [1.0, 0.0]], 10)
--| [[89.0, 55.0], [55.0, 34.0]]
--| > power([[2.0]], -2)
--| [[0.25]]
def power[t: float](a: [n][n]t, k: i64) -> [n][n]t =
  let base = if k < 0 then inverse(a) else a
  let bits = if k == 0 then 0 else i64(log(abs(f64(k))) / log(2.0)) + 2
  let (p, b, left) = loop (p, b, left): ([n][n]t, [n][n]t, i64) = (identity(n), base, abs(k))
      for step < bits do
    (if left % 2 == 1 then p @ b else p, if left > 1 then b @ b else b, left / 2)
  in p

--| The exponential of a matrix, by a diagonal Padé approximant of degree 13 with scaling and squaring. Higham, The
--| scaling and squaring method for the matrix exponential revisited, SIAM Journal on Matrix Analysis 26 (2005).
--| > expm([[0.0, 1.0], [-1.0, 0.0]])  -- within 1e-14
--| [[0.5403023058681398, 0.8414709848078965], [-0.8414709848078965, 0.5403023058681398]]
def expm[t: float](a: [n][n]t) -> [n][n]t =
  let squarings = _squarings(stop_gradient(a))
  let small = a / t(2) ** squarings
  in iterate(squarings, \x => x @ x, _pade13(small))

-- How often to halve the matrix until its 1-norm is below 5.37.
def _squarings[t: float](a: [n][n]t) -> i64 =
  let size = f64(norm_inf(sum(abs(a))))
  in if size <= 5.371920351148152 or not is_finite(size) then 0
     else i64(ceil(log(size / 5.371920351148152) / log(2.0)))

def _pade13[t: float](a: [n][n]t) -> [n][n]t =
  let one: [n][n]t = identity(n)
  let a2 = a @ a
  let a4 = a2 @ a2
  let a6 = a4 @ a2
  let odd =
    a @ (a6 @ (a6 + 16380.0 * a4 + 40840800.0 * a2)
       + 33522128640.0 * a6
       + 10559470521600.0 * a4
       + 1187353796428800.0 * a2
       + 32382376266240000.0 * one)
  let even =
    a6 @ (182.0 * a6 + 960960.0 * a4 + 1323241920.0 * a2)
      + 670442572800.0 * a6
      + 129060195264000.0 * a4
      + 7771770303897600.0 * a2
      + 64764752532480000.0 * one
  in solve_many(even - odd, even + odd)

--| The principal square root of a matrix: the `x` with `x @ x == a` whose eigenvalues have positive real parts. NaN
--| where `a` has an eigenvalue below 0, whose root is not real. Eigenvalues that are 0 up to rounding count as 0:
--| there the root may have fewer exact digits, or infinities or NaN where it does not exist, and the derivative is
--| not finite. By the complex Schur form, about `35 n^3`. Björck and Hammarling, A Schur method for the square root
--| of a matrix (1983). The derivative solves `x @ dx + dx @ x == da`, by an iteration whose error is that of
--| `inverse(x)`.
--| > sqrtm([[5.0, 4.0], [4.0, 5.0]])  -- within 1e-14
--| [[2.0, 1.0], [1.0, 2.0]]
--| > is_nan(sqrtm([[-1.0]])[0, 0])
--| true
def sqrtm[t: float](a: [n][n]t) -> [n][n]t =
  let { form, basis } = _complex_schur(stop_gradient(a))
  let least = t(n) * _epsilon() * frobenius(form.re)
  let roots = for i < n => _complex_root(form.re[i, i], form.im[i, i], least)
  let start = (
    for i < n, j < n => if i == j then roots[i].0 else form.re[i, j],
    for i < n, j < n => if i == j then roots[i].1 else form.im[i, j]
  )
  -- Column by column, from the diagonal upwards.
  let (re, im) = loop (re, im): ([n][n]t, [n][n]t) = start for j < n do
    loop (re, im) = (re, im) for back < j do
      let i = j - 1 - back
      let p = sum(for k < back =>
        re[i, i + 1 + k] * re[i + 1 + k, j] - im[i, i + 1 + k] * im[i + 1 + k, j])
      let q = sum(for k < back =>
        re[i, i + 1 + k] * im[i + 1 + k, j] + im[i, i + 1 + k] * re[i + 1 + k, j])
      let (p, q) = (re[i, j] - p, im[i, j] - q)
      let (x, y) =
        if p == 0 and q == 0 then (0, 0)
        else _quotient((p, q), (re[i, i] + re[j, j], im[i, i] + im[j, j]))
      in (re with [i, j] = x, im with [i, j] = y)
  in _complex_times(_complex_times(basis, { re = re, im = im }), _adjoint(basis)).re

derivative sqrtm(a, x, dx) = _between(transpose(x), dx)

-- The solution `y` of `x @ y + y @ x == e`, where the eigenvalues of `x` have positive real parts, by Newton's
-- iteration for the sign of [[x, e], [0, -x]], which takes `x` to the identity. Roberts, Linear model reduction and
-- solution of the algebraic Riccati equation by use of the sign function (1980). The determinant scales `x`. The
-- convergence is quadratic, that of derivatives a step later: three steps from 1e-3 on are enough for the second
-- ones.
def _between[t: float](x: [n][n]t, e: [n][n]t) -> [n][n]t =
  let (_, y, _, _) = loop (x, y, near, left): ([n][n]t, [n][n]t, bool, i64) = (x, e, false, 40)
      while left > 0 do
    let size = stop_gradient(slogdet(x).1) / t(max(n, 1))
    let scale = if near then 1 else exp(-size)
    let p = scale * x
    let q = inverse(p)
    let y = scale * y
    let close = frobenius(q - p) < 2e-3
    let left = if close and not near then 3 else left - 1
    in (0.5 * (p + q), 0.5 * (y + q @ y @ q), close or near, if is_finite(size) then left else 0)
  in 0.5 * y

-- The root with a positive real part. Of a number below 0 it is NaN, and 0 if it is no further from 0 than `least`.
def _complex_root[t: float](re: t, im: t, least: t) -> (t, t) =
  if im == 0 then (if re < 0 and re >= -least then 0 else sqrt(re), 0)
  else
    let large = sqrt(0.5 * (_hypotenuse(re, im) + abs(re)))
    let small = 0.5 * abs(im) / large
    let (x, y) = if re < 0 then (small, large) else (large, small)
    in (x, if im < 0 then -y else y)

--| The principal logarithm of a matrix: the `x` with `expm(x) == a` whose eigenvalues have imaginary parts between
--| `-pi` and `pi`. NaN where `a` has an eigenvalue of 0 or below. Square roots bring `a` near to the identity, where
--| a Padé approximant of degree 7 is enough, in the form of 7 fractions: about `40 n^3` for each root. Of a well
--| conditioned matrix the errors are about 1e-13 of the largest element. Higham, Functions of Matrices (2008),
--| section 11.5. The derivative is that of these steps, with the one of `sqrtm`.
--| > logm([[1.0, 1.0], [0.0, 1.0]])  -- within 1e-14
--| [[0.0, 1.0], [0.0, 0.0]]
def logm[t: float](a: [n][n]t) -> [n][n]t =
  let one: [n][n]t = identity(n)
  -- Of numbers between the least and the greatest there are 12 roots are enough; more are needed for vectors that are
  -- nearly parallel, and without end where an eigenvalue is 0.
  let (root, taken) = loop (x, taken) = (a, 0)
      while norm_inf(sum(abs(x - one))) > 0.264 and taken < 60 do
    (sqrtm(x), taken + 1)
  let x = root - one
  -- The nodes and weights of Gauss and Legendre on 0 .. 1.
  let rule: [7](t, t) = [
    (0.02544604382862073, 0.06474248308443485),
    (0.12923440720030277, 0.1398526957446383),
    (0.2970774243113014, 0.19091502525255946),
    (0.5, 0.20897959183673468),
    (0.7029225756886986, 0.19091502525255946),
    (0.8707655927996972, 0.1398526957446383),
    (0.9745539561713793, 0.06474248308443485)
  ]
  let near = sum(for (node, weight) in rule => weight * solve_many(one + node * x, x))
  let scale = if taken < 60 then t(2) ** taken else t(0) / t(0)
  in scale * near

--| `steps` steps of the method of conjugate gradients for `a @ x == b`, from zero, where `apply(x)` is `a @ x` and
--| `a` is symmetric and positive definite. In exact arithmetic `n` steps give the solution. Once the residual is zero
--| nothing changes any more. Golub and Van Loan, algorithm 11.3.3.
--| > cg(\x => [[4.0, 1.0], [1.0, 3.0]] @ x, [1.0, 2.0], 2)  -- within 1e-14
--| [0.09090909090909091, 0.6363636363636364]
def cg[t: float](apply: [n]t -> [n]t, b: [n]t, steps: i64) -> [n]t =
  let (x, r, p) = loop (x, r, p): ([n]t, [n]t, [n]t) = (zeros(n), b, b) for step < steps do
    let (ap, rr) = (apply(p), dot(r, r))
    let pap = dot(p, ap)
    let along = if pap == 0 then 0 else rr / pap
    let rest = r - along * ap
    let keep = if rr == 0 then 0 else dot(rest, rest) / rr
    in (x + along * p, rest, rest + keep * p)
  in x

--| The method of generalised minimal residuals for `a @ x == b`, from zero, where `apply(x)` is `a @ x` and `a` any
--| regular matrix. It begins anew after every `restart` steps, for which it keeps as many vectors; `restart >= n` is
--| never needed. It ends once `residual`, which is `norm(a @ x - b)`, is at most `tolerance * norm(b)`, or after
--| `most` steps, each with one product: then `converged` says whether it is. With restarts it may stand still, and a
--| tolerance of less than rounding errors is not reached. Saad and Schultz (1986); Golub and Van Loan, section 11.4.
--|
--| The derivative of `x` is that of the solution, whatever the number of steps, and so it is right where they have
--| converged. It alone needs the matrix, from `n` products, and solves with it, `n^3 / 3`. `residual` has none. The
--| value takes `n^2` checks more where `apply` reads elements at computed places.
--| > let a = [[4.0, 1.0], [-1.0, 3.0]] in gmres(\x => a @ x, [6.0, 5.0], 10, 1e-12, 100).x  -- within 1e-14
--| [1.0, 2.0]
--| > gmres(\x => 0.5 * x, [3.0, 4.0], 10, 1e-12, 100).steps
--| 1
def gmres[t: float](
  apply: [n]t -> [n]t,
  b: [n]t,
  restart: i64,
  tolerance: t,
  most: i64
) -> { x: [n]t, residual: t, steps: i64, converged: bool } =
  let least = tolerance * norm(b)
  let (x, rest, steps): ([n]t, [n]t, i64) =
    loop (x, rest, steps): ([n]t, [n]t, i64) = (zeros(n), b, 0)
        while norm(rest) > least and steps < most do
      let width = max(1, min(min(restart, n), most - steps))
      let (change, taken) = _gmres_steps(apply, rest, width, least)
      let x = x + change
      in (x, b - apply(x), steps + taken)
  let columns: [n][n]t = identity(n)
  let matrix = transpose(for unit in columns => apply(unit))
  let residual = stop_gradient(norm(rest))
  in {
    x = _solution(matrix, b, x),
    residual = residual,
    steps = steps,
    converged = residual <= least
  }

-- The `x` that is found, with the derivative of the solution of `a @ x == b`.
def _solution[t: float](_a: [n][n]t, _b: [n]t, x: [n]t) -> [n]t = stop_gradient(x)

derivative _solution(a, b, x, y, dy) =
  let db = solve_transposed(a, dy) in (-outer(db, y), db, zeros(n))

-- At most `width` steps: orthonormal vectors in the rows of `v` (Arnoldi's method, by modified Gram-Schmidt), the
-- columns of a triangle in the rows of `r`, and the rotations that make it. A column of zero on the diagonal is left
-- out.
def _gmres_steps[t: float](
  apply: [n]t -> [n]t,
  rest: [n]t,
  width: i64,
  least: t
) -> ([n]t, i64) =
  let size = norm(rest)
  let v: [width+1][n]t = zeros(width + 1, n)
  let g: [width+1]t = zeros(width + 1)
  let start: ([width+1][n]t, [width][width]t, [width+1]t, [width][2]t, i64) =
    (v with [0] = rest / size, zeros(width, width), g with [0] = size, zeros(width, 2), 0)
  let (v, r, g, _, taken) = loop (v, r, g, turns, k) = start
      while k < width and abs(g[k]) > least do
    let image = apply(v[k])
    let (w, h) = loop (w, h): ([n]t, [width+1]t) = (image, zeros(width + 1)) for i < k + 1 do
      let c = dot(w, v[i])
      in (for j < n => w[j] - c * v[i, j], h with [i] = c)
    let h = loop h = h for i < k do
      let (x, y) = (h[i], h[i + 1])
      in h with [i] = turns[i, 0] * x + turns[i, 1] * y
        with [i + 1] = turns[i, 0] * y - turns[i, 1] * x
    -- What is left of the image is zero if it is a rounding error.
    let least = 4 * _epsilon() * norm(image)
    let below = if norm(w) <= least then 0 else norm(w)
    let length = if _hypotenuse(h[k], below) <= least then 0 else _hypotenuse(h[k], below)
    let (c, s) = if length == 0 then (t(0), t(1)) else (h[k] / length, below / length)
    let h = h with [k] = length
    in (
      v with [k + 1] = if below == 0 then w else w / below,
      r with [k] = h[:width],
      g with [k + 1] = -s * g[k] with [k] = c * g[k],
      turns with [k, 0] = c with [k, 1] = s,
      k + 1
    )
  let used = for i < width => i < taken and r[i, i] != 0
  let y = solve_upper(
    for i < width, j < width => if used[i] and used[j] then r[j, i] else t(i == j),
    for i < width => if used[i] then g[i] else 0
  )
  in (y @ v[:width], taken)

-- ---- Tests

-- Matrices to test with: well conditioned, positive definite, with separate eigenvalues or singular values.
def _regular(a: [n][n]f64) -> [n][n]f64 = tanh(a) + 4.0 * identity(n)
def _positive(a: [n][n]f64) -> [n][n]f64 = let s = tanh(a) in s @ transpose(s) + identity(n)
def _separate(a: [n][n]f64) -> [n][n]f64 = symmetrize(tanh(a)) + diag(for i < n => 4.0 * f64(i))
def _tall(a: [m][n]f64) -> [m][n]f64 = for i, j => 0.3 * tanh(a[i, j]) + f64(n - j) * f64(i == j)

test "dot gradient" gradient (x: [3]f64, y: [3]f64) = dot(x, y)
test "outer gradient" gradient (x: [2]f64, y: [3]f64) = outer(x, y)
test "kron gradient" gradient (a: [2][3]f64, b: [1][2]f64) = kron(a, b)
test "norm gradient" gradient (x: [3]f64) = norm(x)
test "norm1 gradient" gradient (x: [3]f64) = norm1(1.0 + x * x)
test "norm_inf gradient" gradient (x: [3]f64) = norm_inf([1.0, 2.0, -4.0] + tanh(x))
test "frobenius gradient" gradient (a: [2][3]f64) = frobenius(a)
test "parts gradient" gradient (a: [3][3]f64) =
  (trace(a), diag(diagonal(a)), tril(a), triu(a), symmetrize(a))
test "solve_lower gradient" gradient (a: [3][3]f64, b: [3]f64) = solve_lower(_regular(a), b)
test "solve_upper gradient" gradient (a: [3][3]f64, b: [3]f64) = solve_upper(_regular(a), b)
test "solve_lower_many gradient" gradient (a: [3][3]f64, b: [3][2]f64) =
  solve_lower_many(_regular(a), b)
test "solve_upper_many gradient" gradient (a: [3][3]f64, b: [3][2]f64) =
  solve_upper_many(_regular(a), b)
test "lu gradient" gradient (a: [4][4]f64) = lu(reverse(_regular(a))).factors
test "lu_solve gradient" gradient (a: [3][3]f64, b: [3]f64) = lu_solve(lu(reverse(_regular(a))), b)
test "lu_solve_many gradient" gradient (a: [3][3]f64, b: [3][2]f64) =
  lu_solve_many(lu(reverse(_regular(a))), b)
test "solve gradient" gradient (a: [3][3]f64, b: [3]f64) = solve(_regular(a), b)
test "solve_many gradient" gradient (a: [3][3]f64, b: [3][2]f64) =
  solve_many(reverse(_regular(a)), b)
test "inverse gradient" gradient (a: [3][3]f64) = inverse(_regular(a))
test "det gradient" gradient (a: [3][3]f64) = det(_regular(a))
test "slogdet gradient" gradient (a: [3][3]f64) = slogdet(reverse(_regular(a)))
test "cholesky gradient" gradient (a: [4][4]f64) = cholesky(_positive(a))
test "cholesky_solve gradient" gradient (l: [3][3]f64, b: [3]f64) = cholesky_solve(_regular(l), b)
test "solve_spd gradient" gradient (a: [3][3]f64, b: [3]f64) = solve_spd(_positive(a), b)
test "qr gradient" gradient (a: [4][3]f64) = qr(_tall(a))
test "square qr gradient" gradient (a: [3][3]f64) = qr(_regular(a))
test "lstsq gradient" gradient (a: [4][3]f64, b: [4]f64) = lstsq(_tall(a), b)
test "eigh gradient" gradient (a: [4][4]f64) = eigh(_separate(a))
test "svd gradient" gradient (a: [4][3]f64) = svd(_tall(a))
test "power gradient" gradient (a: [2][2]f64) =
  (power(tanh(a), 5), power(tanh(a), 0), power(_regular(a), -2))
test "expm gradient" gradient (a: [3][3]f64) = expm(tanh(a))
test "scaled expm gradient" gradient (a: [2][2]f64) = expm(5.0 * identity(2) + tanh(a))
test "cg gradient" gradient (a: [3][3]f64, b: [3]f64) =
  let p = _positive(a) in cg(\x => p @ x, b, 2)

test "lu" within 1e-12 (a: [4][4]f64) =
  let f = lu(a)
  in (tril(f.factors) - diag(diagonal(f.factors)) + identity(4)) @ triu(f.factors)
    == gather(a, f.perm)
test "qr" within 1e-12 (a: [5][3]f64) =
  let { q, r } = qr(a)
  in (q @ r == a, transpose(q) @ q == identity(3), minimum(diagonal(r)) >= 0.0)
test "qr of a matrix without full rank" within 1e-12 =
  let { q, r } = qr([[1.0, 1.0, 2.0], [2.0, 2.0, 1.0], [3.0, 3.0, 0.0], [0.0, 0.0, 1.0]])
  in (
    transpose(q) @ q == identity(3),
    q @ r == [[1.0, 1.0, 2.0], [2.0, 2.0, 1.0], [3.0, 3.0, 0.0], [0.0, 0.0, 1.0]]
  )
test "eigh" within 1e-12 (a: [5][5]f64) =
  let { values, vectors } = eigh(a)
  in (
    symmetrize(a) @ vectors == vectors @ diag(values),
    transpose(vectors) @ vectors == identity(5),
    minimum(values[1:] - values[:4]) >= 0.0
  )
test "eigenvalues that are equal" =
  let { values, vectors } = eigh(identity(3))
  in (values == [1.0, 1.0, 1.0], vectors == identity(3))
-- The tridiagonal matrix of second differences has the eigenvalues 2 - 2 cos(k pi / (n + 1)).
test "eigenvalues of second differences" within 1e-14 =
  let a = for i < 6, j < 6 => if i == j then 2.0 else if abs(i - j) == 1 then -1.0 else 0.0
  in eigh(a).values == (for k < 6 => 2.0 - 2.0 * cos(3.141592653589793 * f64(k + 1) / 7.0))
test "svd" within 1e-12 (a: [5][3]f64) =
  let { u, s, vt } = svd(a)
  in (
    u @ diag(s) @ vt == a,
    transpose(u) @ u == identity(3),
    vt @ transpose(vt) == identity(3),
    minimum(s[:2] - s[1:]) >= 0.0
  )
test "svd of a matrix of rank 1" within 1e-12 =
  let { u, s, vt } = svd(outer([1.0, 2.0, 2.0], [3.0, 4.0]))
  in (s == [15.0, 0.0], transpose(u) @ u == identity(2), vt @ transpose(vt) == identity(2))
-- Moler and Van Loan, Nineteen dubious ways to compute the exponential of a matrix, example 1.
test "expm of Moler and Van Loan" within 1e-13 =
  expm([[-49.0, 24.0], [-64.0, 31.0]])
    == [[-0.7357587581447531, 0.5518190996580977], [-1.4715175990882605, 1.1036382407155726]]
-- A Hilbert matrix and its inverse, whose elements are integers.
test "inverse of a Hilbert matrix" within 1e-9 =
  inverse(for i < 3, j < 3 => 1.0 / f64(i + j + 1))
    == [[9.0, -36.0, 30.0], [-36.0, 192.0, -180.0], [30.0, -180.0, 180.0]]
test "single precision" = (
  cholesky([[4.0f32, 2.0], [2.0, 5.0]]) == [[2.0, 0.0], [1.0, 2.0]],
  solve([[2.0f32]], [3.0]) == [1.5],
  eigh([[2.0f32]]).values == [2.0],
  svd([[2.0f32]]).s == [2.0],
  expm([[0.0f32]]) == [[1.0]],
  power([[2.0f32]], 3) == [[8.0]]
)
test "nothing at all" =
  let empty = zeros(0, 0)
  in (
    det(empty) == 1.0,
    trace(empty) == 0.0,
    norm_inf(zeros(0)) == 0.0,
    length(solve(empty, zeros(0))) == 0,
    length(cholesky(empty)) == 0,
    length(qr(empty).q) == 0,
    length(eigh(empty).values) == 0,
    length(svd(empty).s) == 0,
    length(expm(empty)) == 0
  )
test "cross gradient" gradient (x: [3]f64, y: [3]f64) = cross(x, y)
test "made of parts gradient" gradient (c: [2]f64, r: [3]f64, a: [2][1]f64) =
  (toeplitz(c, r), block_diag(a, [[r[0]]]))
test "pinv gradient" gradient (e: [3][2]f64) =
  let a = [[2.0, 0.5], [0.0, 1.0], [1.0, 0.0]] + 0.1 * tanh(e)
  in (pinv(a), pinv(transpose(a)), cond(a))
test "the pseudo-inverse of a singular matrix" within 1e-12 =
  let a = [[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]]
  in (a @ pinv(a) @ a == a, pinv(a) @ a @ pinv(a) == pinv(a))
test "ranks" = (
  matrix_rank([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]]) == 2,
  matrix_rank([[0.0]]) == 0,
  matrix_rank(identity(3) :> [3][3]f64) == 3
)

-- A matrix with a pair of complex eigenvalues and a real one.
def _mixed_spectrum(a: [3][3]f64) -> [3][3]f64 =
  0.5 * tanh(a) + [[0.0, -2.0, 0.0], [3.0, 0.0, 0.5], [0.0, 0.0, 4.0]]

test "eigvalsh gradient" gradient (a: [3][3]f64) = eigvalsh(_separate(a))
test "eig gradient" gradient (a: [3][3]f64) = eig(_mixed_spectrum(a))
test "lu_det gradient" gradient (a: [3][3]f64) = lu_det(lu(reverse(_regular(a))))
test "sqrtm gradient" gradient (a: [3][3]f64) = sqrtm(_regular(a))
test "logm gradient" gradient (a: [3][3]f64) = logm(_regular(a))
test "gmres gradient" gradient (a: [3][3]f64, b: [3]f64) =
  let m = _regular(a) in gmres(\x => m @ x, b, 3, 1e-14, 100).x
test "schur gradient" gradient (a: [3][3]f64) = schur(_mixed_spectrum(a))

-- Values of SciPy 1.17.1 and NumPy 2.4.6; the derivative is that of SciPy's logarithm of [[b', w], [0, b']].
test "values of SciPy" within 1e-12 =
  let a =
    [[1.0, 2.0, 0.0, -1.0], [-3.0, 1.0, 4.0, 0.5], [0.5, 0.0, -2.0, 1.0], [2.0, -1.0, 0.25, 3.0]]
  let b = [[5.0, 2.0, 0.5], [-3.0, 4.0, 1.0], [0.0, 0.25, 0.125]]
  let { re, im } = eigvals(a)
  let (log_b, back) = vjp(logm, b)
  in (
    re == [-2.1622369436834554, 1.2311688725657371, 1.2311688725657371, 2.6998991985519809],
    im == [0.0, -2.871957335034834, 2.871957335034834, 0.0],
    sqrtm(b)
      == [
        [2.30447747422176, 0.45503531917893516, 0.1126275207246473],
        [-0.6893408331889217, 2.0656467239314274, 0.4605673280272842],
        [0.027151417682075728, 0.1015661231657832, 0.27416047340518226]
      ],
    log_b
      == [
        [1.7302274556384198, 0.4059788551487482, 0.09723312851071255],
        [-0.6345377943819694, 1.4846221752993007, 1.0808759945281222],
        [0.10227804663538813, 0.21907997531433648, -2.72934181515602]
      ],
    back(for i < 3, j < 3 => f64(3 * i + j - 3))
      == [
        [-0.46962777592797955, -0.1833745748358348, -1.6503354321111137],
        [-0.0080360376623827, 0.5324836955425968, -1.1757603506620506],
        [0.9886599130973429, -11.529171544398451, 67.55252869576996]
      ]
  )
test "eig and schur" within 1e-12 (a: [5][5]f64) =
  let a = tanh(a)
  let { values, vectors } = eig(a)
  let { t, z } = schur(a)
  in (
    a @ vectors.re
      == (for i < 5, j < 5 =>
         vectors.re[i, j] * values.re[j] - vectors.im[i, j] * values.im[j]),
    a @ vectors.im
      == (for i < 5, j < 5 =>
         vectors.re[i, j] * values.im[j] + vectors.im[i, j] * values.re[j]),
    (for row in transpose(vectors.re) => dot(row, row))
      + (for row in transpose(vectors.im) => dot(row, row))
      == ones(5),
    minimum(values.re[1:] - values.re[:4]) >= 0.0,
    z @ t @ transpose(z) == a,
    transpose(z) @ z == identity(5),
    tril(t) - diag(diagonal(t)) == (for i < 5, j < 5 => if i == j + 1 then t[i, j] else 0)
  )
-- A cyclic shift, a block of Jordan, the identity, zero, and a matrix with NaN.
test "eigenvalues of special matrices" within 1e-12 =
  let all = for kind < 5 => eig(
    for i < 8, j < 8 =>
      if kind == 0 then f64(j == (i + 1) % 8)
      else if kind == 1 then (if i == j then 3.0 else f64(j == i + 1))
      else if kind == 2 then f64(i == j)
      else if kind == 3 or i > j then 0.0
      else 0.0 / 0.0
  )
  let half = sqrt(0.5)
  in (
    sort(all[0].values.re) == [-1.0, -half, -half, 0.0, 0.0, half, half, 1.0],
    sort(all[0].values.im) == [-1.0, -half, -half, 0.0, 0.0, half, half, 1.0],
    all[1].values.re == 3.0 * ones(8),
    all[1].vectors.re[0] == ones(8),
    all[2].vectors.re == identity(8),
    all[3].values.re == zeros(8),
    for v in all[4].values.re => is_nan(v)
  )
test "functions of singular matrices" within 1e-12 =
  let roots = for a in [
        [[0.0, 0.0], [0.0, 0.0]],
        [[2.0, 2.0], [2.0, 2.0]],
        [[0.0, 1.0], [0.0, 0.0]]
      ] =>
    sqrtm(a)
  in (
    roots[0] == zeros(2, 2),
    roots[1] == ones(2, 2),
    is_nan(roots[2, 0, 1]),
    is_nan(logm(roots[1])[0, 0])
  )
test "gmres" within 1e-10 (a: [6][6]f64, b: [6]f64) =
  let m = _regular(a)
  let full = gmres(\x => m @ x, b, 6, 1e-13, 100)
  let again = gmres(\x => m @ x, b, 2, 1e-13, 1000)
  in (full.x == solve(m, b), full.converged, again.x == full.x)
-- The cyclic shift takes as many steps as there are rows; with a restart before, nothing moves.
test "gmres that stands still" =
  let stuck = gmres(\x => rotate(x, 1), [1.0, 0.0, 0.0, 0.0], 3, 1e-10, 20)
  let whole = gmres(\x => rotate(x, 1), [1.0, 0.0, 0.0, 0.0], 4, 1e-10, 20)
  let singular = gmres(\x => 0.0 * x, [1.0, 2.0], 2, 1e-10, 5)
  in (
    not stuck.converged,
    stuck.steps == 20,
    stuck.x == zeros(4),
    whole.x == [0.0, 1.0, 0.0, 0.0],
    whole.steps == 4,
    singular.x == [0.0, 0.0],
    not singular.converged,
    gmres(\x => x, zeros(2), 2, 1e-10, 5).steps == 0
  )
test "general matrices in single precision" within 1e-6 = (
  eig([[1.0f32, 2.0], [-2.0, 1.0]]).values.im == [-2.0, 2.0],
  eigvalsh([[2.0f32]]) == [2.0],
  sqrtm([[5.0f32, 4.0], [4.0, 5.0]]) == [[2.0, 1.0], [1.0, 2.0]],
  logm([[1.0f32, 1.0], [0.0, 1.0]]) == [[0.0, 1.0], [0.0, 0.0]],
  gmres(\x => 2.0 * x, [4.0f32], 1, 1e-6, 5).x == [2.0],
  lu_det(lu([[2.0f32]])) == 2.0
)
test "nothing at all, in general" =
  let empty = zeros(0, 0)
  in (
    lu_det(lu(empty)) == 1.0,
    length(eigvalsh(empty)) == 0,
    length(eigvals(empty).re) == 0,
    length(eig(empty).vectors.im) == 0,
    length(schur(empty).t) == 0,
    length(sqrtm(empty)) == 0,
    length(logm(empty)) == 0,
    length(gmres(\x => x, zeros(0), 3, 1e-6, 5).x) == 0
  )
