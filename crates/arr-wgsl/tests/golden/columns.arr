--| Sums over the first axis, and the first of the greatest.
def main(x: [n][m]f32) -> ([m]f32, [m]i64) =
  (for j < m => sum(for i < n => x[i, j]), for j < m => argmax(for i < n => abs(x[i, j])))
