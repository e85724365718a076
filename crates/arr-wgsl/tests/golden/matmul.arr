--| A matrix product.
def main(a: [n][m]f32, b: [m][k]f32) -> [n][k]f32 = a @ b
