--| Rows that sum to one: kernels over the same rows.
def main(x: [n][m]f32) -> [n][m]f32 =
  for row in x =>
    let m = maximum(row)
    let e = exp(row - m)
    in e / sum(e)
