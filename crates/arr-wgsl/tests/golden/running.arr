-- A scan in chunks.
def main(x: [n]f32) -> [n]f32 =
  cumsum(x)
