--| Two states that change places, and a third that some iterations take over: arrays that several references may be to.
def main(x: [n]f32, y: [n]f32, steps: i64) -> ([n]f32, [n]f32, [n]f32) =
  loop (a, b, c) = (x, y, x) for t < steps do
    let next = for i < n => 0.5f32 * a[i] + b[n - 1 - i]
    in (b, next, if t % 3 == 1 then a else c)
