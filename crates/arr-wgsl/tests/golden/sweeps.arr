--| Loops in a loop: in-place updates, sums, a branch around nests and a loop that ends when it is near enough.
def main(x: [n]f32, steps: i64) -> ([n]f32, f32, i64) =
  loop (u, total, count) = (x, 0.0f32, 0) for t < steps do
    let v = loop v = u for i < n do v with [i] = 0.5f32 * v[i] + 0.25f32 * v[(i + 1) % n]
    let size = sum(for w in v => w * w)
    let (w, k) = loop (w, k) = (v, 0) while sum(for z in w => abs(z)) > 3.0f32 and k < 9 do
      (for z in w => 0.5f32 * z, k + 1)
    let next = if size > 4.0f32 then (for z in w => z - size / 64.0f32) else w
    in (next, total + size, count + k)
