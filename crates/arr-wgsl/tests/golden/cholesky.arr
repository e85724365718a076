--| A factor of a matrix, a column an iteration: one kernel, whose state changes between two places.
def main(a: [n][n]f32) -> [n][n]f32 =
  loop l = (for i < n, j < n => 0.0f32) for j < n do
    let column = for i < n => a[i, j] - sum(for k < j => l[i, k] * l[j, k])
    let root = sqrt(abs(column[j]) + 1.0f32)
    in for i < n, k < n => if k == j and i >= j then column[i] / root else l[i, k]
