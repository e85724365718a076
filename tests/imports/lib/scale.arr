--| Used by `shapes.arr`.
def double(x: f64) -> f64 = 2.0 * x
def size = 7
