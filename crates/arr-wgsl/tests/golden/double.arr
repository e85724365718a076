--| Double precision, which a device must have.
def main(x: [n]f64, y: [n]f64) -> f64 = sum(exp(x) * y)
