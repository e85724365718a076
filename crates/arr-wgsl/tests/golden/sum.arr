--| A reduction, with scalar code after it.
def main(x: [n]f32, y: [n]f32) -> f32 = sqrt(sum(x * y)) / f32(n)
