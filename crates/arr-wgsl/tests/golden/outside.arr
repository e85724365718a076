--| An index that is never in range: the check stops the kernel.
def main(x: [n]f32) -> [n]f32 = x with [min(0, -1)] = 1.0
