--| Sums of a few elements are scalar code, taken in order, in the loop and after it.
def main(x: [4]f32, n: i64) -> f32 =
  let y = loop y = x for i < n do for j => 0.5f32 * y[j] + 0.1f32 * sum(y)
  in sum(y) + maximum(y)
