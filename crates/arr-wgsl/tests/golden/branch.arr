--| A branch at every point, of which one side is expensive.
def main(x: [n]f32) -> [n]f32 =
  for v in x => if v > 0.0 then log(v) * exp(v) + sin(v) else lgamma(0.0 - v)
