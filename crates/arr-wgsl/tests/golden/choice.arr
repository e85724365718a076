--| A branch of the program on what a kernel found.
def main(x: [n]f32) -> [n]f32 = if sum(x) > 1.0 then exp(x) else for i < n => x[n - 1 - i]
