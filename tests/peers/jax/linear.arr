-- Linear algebra: products, factorisations, systems, functions of matrices.
import linalg

def symmetric(a: [n][n]f64) -> [n][n]f64 = a @ transpose(a) + linalg.identity(n)

def batched_product(a: [b][n][m]f64, c: [b][m][p]f64) -> [b][n][p]f64 = for i => a[i] @ c[i]
--| Two axes of each operand are contracted.
def two_axes(a: [n][m][p]f64, c: [m][p][q]f64) -> [n][q]f64 =
  for i, j => sum(for k => sum(for l => a[i, k, l] * c[k, l, j]))
def einsum(a: [i][j]f64, b: [j][k]f64, c: [k][i]f64) -> f64 =
  sum(for x < i => sum(for y < j => sum(for z < k => a[x, y] * b[y, z] * c[z, x])))
def bilinear(x: [n]f64, a: [n][m]f64, y: [m]f64) -> f64 = x @ a @ y
def cholesky_factor(a: [n][n]f64) -> [n][n]f64 = linalg.cholesky(symmetric(a))
def lu_factors(a: [n][n]f64) -> [n][n]f64 = linalg.lu(a).factors
def qr_factors(a: [m][n]f64) -> ([m][n]f64, [n][n]f64) = let f = linalg.qr(a) in (f.q, f.r)
def eigenvalues(a: [n][n]f64) -> [n]f64 = linalg.eigh(linalg.symmetrize(a)).values
--| What does not depend on the signs of the vectors.
def eigenvectors(a: [n][n]f64) -> [n][n]f64 =
  let e = linalg.eigh(linalg.symmetrize(a))
  in for i < n, j < n => e.vectors[i, j] ** 2 * e.values[j]
def singular_values(a: [m][n]f64) -> [n]f64 = linalg.svd(a).s
def solved(a: [n][n]f64, b: [n]f64) -> [n]f64 = linalg.solve(a, b)
def solved_many(a: [n][n]f64, b: [n][m]f64) -> [n][m]f64 = linalg.solve_many(a, b)
def solved_lower(a: [n][n]f64, b: [n]f64) -> [n]f64 = linalg.solve_lower(linalg.tril(a), b)
def solved_upper(a: [n][n]f64, b: [n][m]f64) -> [n][m]f64 =
  linalg.solve_upper_many(linalg.triu(a), b)
def solved_positive(a: [n][n]f64, b: [n]f64) -> [n]f64 = linalg.solve_spd(symmetric(a), b)
def determinant(a: [n][n]f64) -> f64 = linalg.det(a)
def log_determinant(a: [n][n]f64) -> f64 = let (_, l) = linalg.slogdet(a) in l
def inverted(a: [n][n]f64) -> [n][n]f64 = linalg.inverse(a)
def matrix_exponential(a: [n][n]f64) -> [n][n]f64 = linalg.expm(a)
def raised(a: [n][n]f64) -> [n][n]f64 = linalg.power(a, 5)
def least_squares(a: [m][n]f64, b: [m]f64) -> [n]f64 = linalg.lstsq(a, b)
def kronecker(a: [n][m]f64, b: [p][q]f64) = linalg.kron(a, b)
def quadratic_form(a: [n][n]f64, b: [n]f64) -> f64 =
  b @ linalg.solve_spd(symmetric(a), b) + linalg.slogdet(symmetric(a)).1
def tridiagonal(l: [n]f64, d: [n]f64, u: [n]f64, b: [n]f64) -> [n]f64 =
  let (c, g, _, _) = loop (c, g, p, q) = (zeros(n), zeros(n), 0.0, 0.0) for i < n do
    let w = d[i] - l[i] * p
    let (s, t) = (u[i] / w, (b[i] - l[i] * q) / w)
    in (c with [i] = s, g with [i] = t, s, t)
  let (x, _) = loop (x, after) = (zeros(n), 0.0) for k < n do
    let i = n - 1 - k
    let v = g[i] - c[i] * after
    in (x with [i] = v, v)
  in x
def projected(a: [m][n]f64, x: [m]f64) -> [m]f64 = let q = linalg.qr(a).q in q @ (transpose(q) @ x)
def conjugate_gradients(a: [n][n]f64, b: [n]f64) -> [n]f64 =
  let m = symmetric(a) in linalg.cg(\x => m @ x, b, n)
def norms(x: [n]f64) -> (f64, f64, f64) = (linalg.norm(x), linalg.norm1(x), linalg.norm_inf(x))
