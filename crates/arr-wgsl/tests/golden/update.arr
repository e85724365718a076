--| One element changed in a copy.
def main(x: [n]f32, k: i64, v: f32) -> [n]f32 = x with [k] = v
