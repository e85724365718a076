--| Another order of axes, and a reversed one.
def main(x: [n][m]f32) -> [m][n]f32 = for j < m, i < n => x[i, m - 1 - j]
