--| A sum for each row.
def main(x: [n][m]f32) -> [n]f32 = for row in x => sum(exp(row))
