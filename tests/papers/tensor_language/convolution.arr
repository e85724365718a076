-- Convolution in one dimension (sections 2.1 and 2.3): derivatives by the signal, by the kernel, and of a loss over a batch.
def conv(x: [n+m-1]f64, c: [m]f64) -> [n]f64 =
  for i < n => sum(for j < m => x[i - j + m - 1] * c[j])

def adjoint(x: [n+m-1]f64, c: [m]f64, dy: [n]f64) -> ([n+m-1]f64, [m]f64) =
  let (_, back) = vjp(\((x, c)) => conv(x, c) :> [n]f64, (x, c)) in back(dy)

-- The correlation that section 2.1 derives, with the bounds that it leaves out.
def correlation(c: [m]f64, dy: [n]f64) -> [n+m-1]f64 =
  for a < n + m - 1 =>
    sum(for j < m => let i = a + j - m + 1 in if i >= 0 and i < n then dy[i] * c[j] else 0.0)

def loss(x: [n+m-1]f64, c: [m]f64, z: [n]f64) -> f64 = sum(((conv(x, c) :> [n]f64) - z) ** 2)
def batch(xs: [b][n+m-1]f64, c: [m]f64, zs: [b][n]f64) -> f64 =
  sum(for k < b => loss(xs[k], c, zs[k]))

def batch_gradient(xs: [b][n+m-1]f64, c: [m]f64, zs: [b][n]f64) -> [m]f64 =
  grad(\c => batch(xs, c, zs))(c)

def x = [1.0, 2.0, 0.5, -1.0, 3.0, 0.25]
def c = [2.0, -1.0, 0.5]
def dy = [1.0, 10.0, 100.0, 1000.0]

-- > conv(x, c) :> [4]f64
-- [-0.5, -1.5, 7.25, -3.0]
-- > adjoint(x, c, dy)
-- ([0.5, 4.0, 42.0, 420.0, -800.0, 2000.0], [540.5, 2907.0, -929.0])
-- > maximum(abs(adjoint(x, c, dy).0 - (correlation(c, dy) :> [6]f64))) < 1e-12
-- true

-- One place of the signal: the forward derivative along a basis vector is the kernel, moved.
-- > jvp(\x => (conv(x, c) :> [4]f64), x, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).1
-- [2.0, -1.0, 0.5, 0.0]
-- check-grad: \((x, c)) => (conv(x, c) :> [4]f64) at (x, c)
-- check-grad: \c => batch([x, 2.0 * x], c, [dy, [0.0, 1.0, 2.0, 3.0]]) at c
-- operations: conv x=[8] c=[3] is 30 (paper 30)
-- operations: adjoint x=[8] c=[3] dy=[6] is 61 (paper 61)
-- operations: conv x=[13] c=[4] is 70 (paper 70)
-- operations: adjoint x=[13] c=[4] dy=[10] is 143 (paper 143)
-- operations: batch_gradient xs=[2][8] c=[3] zs=[2][6] is 153 (paper 165)
-- operations: batch_gradient xs=[3][8] c=[4] zs=[3][5] is 251 (paper 266)
