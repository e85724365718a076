--| Reads at computed places, which are checked.
def main(x: [n]f32, at: [m]i64) -> [m]f32 = for i in at => x[i]
