-- Literals that cannot have the type that is needed.
def a(n: i64) -> i64 = n + 1.5
def b() -> u32 = -1
def c() -> [3]f64 = [1.0, 2.0]
def d() -> [2][2]i64 = [[1, 2], [3]]
def e() -> f64 = sum([])
