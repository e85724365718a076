--| Integer arithmetic with divisions that are checked.
def main(x: [n]i64, d: i64) -> [n]i64 = for v in x => (v / d) * 2 + v % (d + 1)
