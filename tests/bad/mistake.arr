-- A vector of the wrong length.
def apply(a: [n][m]f64, x: [m]f64) -> [n]f64 = for i => sum(for j => a[i, j] * x[j])

def main(a: [rows][columns]f64, b: [rows]f64) -> [rows]f64 = apply(a, b)
