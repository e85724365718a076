--| Rows less their means, over their deviations, and a check for each row: several reductions and a map of one point.
def main(x: [n][m]f32, at: [n]i64) -> [n][m]f32 =
  for i < n =>
    let mean = sum(x[i]) / f32(m)
    let spread = sqrt(sum((x[i] - mean) ** 2) / f32(m) + 1.0f32)
    in (x[i] - mean) / spread + x[at[i], 0]
