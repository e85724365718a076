--| Rows at computed places: the check is before the inner axis.
def main(x: [n][d]f32, at: [m]i64) -> [m][d]f32 = for i in at, j < d => x[i, j]
