-- Reads at affine indices. Their gradients, in gathers.txt, are gathers: no element is added to, no array is filled with zeros.

def transposed(x: [n][m]f64, w: [m][n]f64) -> f64 = sum(flatten(transpose(x) * w))

def reversed(x: [n]f64, w: [n]f64) -> f64 = sum(reverse(x) * w)

def sliced(x: [n]f64) -> f64 =
  let y = x[2:n-1]
  in sum(y * y)

def neighbours(x: [n]f64) -> f64 = sum(x[1:] * x[:n-1])

def joined(x: [n]f64, y: [m]f64, w: [n+m]f64) -> f64 = sum(concat(x, y) * w)

def convolved(x: [n]f64, k: [m]f64, w: [n-m+1]f64) -> f64 =
  sum(for i < n - m + 1 => w[i] * sum(for j < m => x[i + j] * k[j]))

def diagonal(x: [n][n]f64) -> f64 = sum(for i < n => x[i, i] * x[i, i])

def spread(x: [n]f64, w: [n][m]f64) -> f64 = sum(flatten(for i < n, j < m => x[i] * w[i, j]))

def padded(x: [n]f64, w: [n+3]f64) -> f64 = sum(pad(x, (1, 2), 0.0) * w)

def turned(x: [n]f64, w: [n]f64) -> f64 = sum(rotate(x, 1) * w)
