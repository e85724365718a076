--| A loop of unknown length in a loop in order: for some elements it ends at once.
def main(x: [n]f32) -> f32 =
  loop d = 0.0 for i < n do
    let u = loop u = 10.0 * x[i] * x[i] while u < 5.0 do u * 1.5
    in 0.5 * d + u
