-- A matrix product, whose kernel the sizes choose.
def main(a: [n][k]f32, b: [k][m]f32) -> [n][m]f32 =
  a @ b
