--| A running maximum, which is exact in any order.
def main(x: [n]f32) -> [n]f32 =
  let (out, _) = loop (out, s) = (for i < n => 0.0f32, -1000.0f32) for i < n do
    let t = max(s, x[i])
    in (out with [i] = t, t)
  in out
