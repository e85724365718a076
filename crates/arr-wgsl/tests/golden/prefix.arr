--| A running sum as a loop of the program.
def main(x: [n]f32) -> [n]f32 =
  let (out, _) = loop (out, s) = (for i < n => 0.0f32, 0.0f32) for i < n do
    let t = s + x[i]
    in (out with [i] = t, t)
  in out
