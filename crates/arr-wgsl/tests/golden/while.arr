--| A loop of unknown length at every point.
def main(x: [n]f32) -> [n]i64 =
  for v in x =>
    let (_, k) = loop (z, k) = (v, 0) while z * z < 100.0 and k < 50 do (z * z + v, k + 1)
    in k
