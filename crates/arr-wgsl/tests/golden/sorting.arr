--| Sorted values.
def main(x: [n]f32) -> [n]f32 = sort(x)
