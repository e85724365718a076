--| A matrix times a vector, with more around it.
def main(a: [n][m]f32, x: [m]f32, y: [n]f32) -> [n]f32 = tanh(a @ x + y)
