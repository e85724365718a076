-- E6: the matrix product by indices and by whole arrays; dA = C B', dB = A' C.
def by_index(a: [k][m]f64, b: [m][n]f64) -> [k][n]f64 =
  for i < k, j < n => sum(for p => a[i, p] * b[p, j])

def by_array(a: [k][m]f64, b: [m][n]f64) -> [k][n]f64 =
  let product = transpose(replicate(n, a)) * replicate(k, transpose(b))
  in sum(permute(product, (2, 0, 1)))

def a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
def b = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]

-- > by_index(a, b)
-- [[38.0, 44.0, 50.0, 56.0], [83.0, 98.0, 113.0, 128.0]]
-- > by_array(a, b)
-- [[38.0, 44.0, 50.0, 56.0], [83.0, 98.0, 113.0, 128.0]]
-- > a @ b
-- [[38.0, 44.0, 50.0, 56.0], [83.0, 98.0, 113.0, 128.0]]
-- > grad(\((a, b)) => sum(sum(by_index(a, b))))((a, b))
-- ([[10.0, 26.0, 42.0], [10.0, 26.0, 42.0]], [[5.0, 5.0, 5.0, 5.0], [7.0, 7.0, 7.0, 7.0], [9.0, 9.0, 9.0, 9.0]])
-- > grad(\((a, b)) => sum(sum(by_array(a, b))))((a, b))
-- ([[10.0, 26.0, 42.0], [10.0, 26.0, 42.0]], [[5.0, 5.0, 5.0, 5.0], [7.0, 7.0, 7.0, 7.0], [9.0, 9.0, 9.0, 9.0]])
-- > grad(\((a, b)) => sum(sum(a @ b)))((a, b))
-- ([[10.0, 26.0, 42.0], [10.0, 26.0, 42.0]], [[5.0, 5.0, 5.0, 5.0], [7.0, 7.0, 7.0, 7.0], [9.0, 9.0, 9.0, 9.0]])
-- check-grad: \((a, b)) => by_index(a, b) at (a, b)
-- check-grad: \((a, b)) => by_array(a, b) at (a, b)
-- check-grad: \((a, b)) => a @ b at (a, b)
