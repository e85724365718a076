-- A space that has no points.
def main(x: f32) -> [0][0]f32 =
  for i < 0, j < 0 => x + f32(i * j)
