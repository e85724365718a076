--| A reduction over two axes.
def main(x: [n][m]f32) -> f32 = sum(for i < n => sum(x[i] * x[i]))
