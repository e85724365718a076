--| Elementwise, over two axes with a broadcast.
def main(x: [n][m]f32, y: [m]f32) -> [n][m]f32 = for i < n, j < m => 2.0 * x[i, j] + y[j]
