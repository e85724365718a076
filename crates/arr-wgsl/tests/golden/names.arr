-- A parameter whose name is that of a function of the kernel.
def main(at: [n][3]f32) -> f32 =
  minimum(for i < n => at[i, 0] + at[i, 1])
