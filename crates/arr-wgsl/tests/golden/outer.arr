--| Three results of one nest.
def main(x: [n]f32, y: [m]f32) -> ([n][m]f32, [n][m]f32, [n][m]bool) =
  (for a in x, b in y => a * b, for a in x, b in y => a + b, for a in x, b in y => a < b)
