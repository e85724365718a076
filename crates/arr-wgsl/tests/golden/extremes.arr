--| Each kind of reduction.
def main(x: [n]f32, k: [n]i64) -> (f32, f32, f32, i64, bool, bool) =
  (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
