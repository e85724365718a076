--| A loop around a nest: one kernel of one workgroup where the nest is small, otherwise a kernel an iteration.
def main(x: [n]f32, steps: i64) -> [n]f32 =
  loop u = x for t < steps do
    for i < n => if i == 0 or i == n - 1 then u[i] else 0.25 * (u[i - 1] + u[i + 1]) + 0.5 * u[i]
