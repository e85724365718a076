--| A place that is outside of an array in some iteration stops the kernel, and ends its loops.
def main(x: [n]f32, at: [m]i64) -> ([n]f32, i64) =
  loop (u, k) = (x, 0) while k < 12 do
    let j = at[k % m] + k / 6
    in (for i < n => u[i] + u[j], k + 1)
