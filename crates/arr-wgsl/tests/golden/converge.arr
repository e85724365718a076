--| A loop of unknown length: one kernel where its nests are small, otherwise the host asks for its condition.
def main(x: [n]f32) -> ([n]f32, i64) =
  loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
