-- An array multiplied by a number: one stream read and one written, as in copying.

def value(x: [n]f64) -> [n]f64 = 3.0 * x
