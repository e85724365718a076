--| Differences of neighbours on a grid.
def main(u: [n][m]f32) -> [n][m]f32 =
  for i < n, j < m =>
    if i > 0 and j > 0 then u[i, j] - 0.5 * (u[i - 1, j] + u[i, j - 1]) else u[i, j]
