-- The matrix product as a contraction (section 3), pairs of arrays (section 3.2), a pattern of places that are not zero (the
-- predicate R of section 2.4), and second derivatives, which are those of the derivative's program.
def product(a: [n][k]f64, b: [k][m]f64) -> [n][m]f64 =
  for i < n, j < m => sum(for p < k => a[i, p] * b[p, j])

def product_adjoint(a: [n][k]f64, b: [k][m]f64, dy: [n][m]f64) -> ([n][k]f64, [k][m]f64) =
  let (_, back) = vjp(\((a, b)) => product(a, b), (a, b)) in back(dy)

def pairs(x: [n]f64) -> f64 = let p = for v in x => (v, v * v) in sum(for (v, w) in p => v * w)

-- A matrix by its places, times a vector: only the places cost, whatever the matrix' size.
def sparse(n: i64, rows: [k]i64, cols: [k]i64, a: [k]f64, x: [m]f64) -> [n]f64 =
  scatter_add(zeros(n), rows, for p => a[p] * x[cols[p]])

def sparse_6(a: [5]f64, x: [6]f64) -> [6]f64 = sparse(6, [0, 0, 2, 3, 5], [1, 4, 0, 3, 2], a, x)

def sparse_6_adjoint(a: [5]f64, x: [6]f64, dy: [6]f64) -> ([5]f64, [6]f64) =
  let (_, back) = vjp(\((a, x)) => sparse_6(a, x), (a, x)) in back(dy)

def cubes(x: [n]f64) -> f64 = sum(x ** 3)
def hessian_vector(x: [n]f64, d: [n]f64) -> [n]f64 = jvp(grad(cubes), x, d).1

-- A reader with a mask: what the mask hides is not evaluated.
def masked(x: [n]f64) -> f64 = sum(for i < n => if i < 2 then log(x[i]) else 0.0)

-- Two arrays that do not overlap, added: no additions in either direction.
def disjoint(u: [n]f64, v: [n]f64) -> [n]f64 =
  for i < n => (if i < 1 then u[i] else 0.0) + (if i >= 2 then v[i] else 0.0)

def disjoint_adjoint(u: [n]f64, v: [n]f64, dy: [n]f64) -> ([n]f64, [n]f64) =
  let (_, back) = vjp(\((u, v)) => disjoint(u, v), (u, v)) in back(dy)

-- > product([[1.0, 2.0]], [[3.0], [4.0]])
-- [[11.0]]
-- > product_adjoint([[1.0, 2.0]], [[3.0], [4.0]], [[10.0]])
-- ([[30.0, 40.0]], [[10.0], [20.0]])
-- > value_and_grad(pairs)([1.0, 2.0])
-- (9.0, [3.0, 12.0])
-- > sparse_6([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0])
-- [20010.0, 0.0, 3.0, 4000.0, 0.0, 500.0]
-- > sparse_6_adjoint([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0], ones(6))
-- ([10.0, 10000.0, 1.0, 1000.0, 100.0], [3.0, 1.0, 5.0, 4.0, 2.0, 0.0])
-- > hessian_vector([1.0, 2.0], [1.0, 10.0])
-- [6.0, 120.0]
-- > value_and_grad(masked)([1.0, 0.5, 0.0, -1.0])
-- (-0.6931471805599453, [1.0, 2.0, 0.0, 0.0])
-- > disjoint_adjoint([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [1.0, 1.0, 1.0])
-- ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
-- check-grad: \((a, b)) => product(a, b) at ([[1.0, 2.0], [0.5, -1.0]], [[3.0, 1.0, 2.0], [4.0, 0.0, -2.0]])
-- check-grad: pairs at [1.0, 2.0]
-- check-grad: \((a, x)) => sparse_6(a, x) at ([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 0.5, -1.0, 3.0, 0.25])
-- check-grad: \x => grad(cubes)(x) at [1.0, 2.0]
-- operations: product a=[3][5] b=[5][4] is 108 (paper 108)
-- operations: product_adjoint a=[3][5] b=[5][4] dy=[3][4] is 205 (paper 205)
-- operations: sparse_6 a=[5] x=[6] is 6 (paper 6)
-- operations: sparse_6_adjoint a=[5] x=[6] dy=[6] is 10 (paper 10)
-- operations: disjoint u=[5] v=[5] is 0 (paper 0)
-- operations: disjoint_adjoint u=[5] v=[5] dy=[5] is 0 (paper 0)
