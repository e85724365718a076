-- buffers: 4
--| More arrays than a kernel binds: some are bound as one.
def main(a: [n]f32, b: [n]f32, c: [n]f32, k: [n]i64, on: [n]bool) -> ([n]f32, [n]i64) =
  let x = for i < n => if on[i] then a[i] * b[i] else c[i]
  let y = for i < n => k[i] / 2
  in (x, y)
