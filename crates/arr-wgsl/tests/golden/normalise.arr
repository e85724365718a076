--| Two reductions, scalar code, and a map that reads their results.
def main(x: [n]f32) -> [n]f32 =
  let mean = sum(x) / f32(n)
  let spread = sqrt(sum((x - mean) * (x - mean)) / f32(n))
  in (x - mean) / spread
