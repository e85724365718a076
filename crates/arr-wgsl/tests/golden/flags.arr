--| Elements that are bools, in and out.
def main(x: [n]bool, y: [n]f32) -> [n]bool = for i < n => x[i] and y[i] > 0.25
