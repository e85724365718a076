-- A wave on a string whose speed differs from place to place, by the leapfrog method; both ends are held. LeVeque, Finite
-- difference methods for ordinary and partial differential equations (2007), section 10.2.

--| `speed` is in points per step. Half of the squared difference of the string from `target` at the end.
def value(speed: [n]f64, start: [n]f64, target: [n]f64, steps: i64) -> f64 =
  let (_, last) = loop (before, u) = (start, start) for t < steps do
    let next = for i < n =>
      if i == 0 or i == n - 1 then 0.0
      else 2.0 * u[i] - before[i] + speed[i] ** 2 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    in (u, next)
  in 0.5 * sum((last - target) ** 2)

def gradient(speed: [n]f64, start: [n]f64, target: [n]f64, steps: i64) -> ([n]f64, [n]f64) =
  grad(\((speed, start)) => value(speed, start, target, steps))((speed, start))
