-- The heat equation on a rod, and what the temperature in the middle owes to the temperatures at the start.
--
-- $ arr run examples/heat.arr n=11 steps=40
-- $ arr run examples/heat.arr --entry influence n=11 steps=40

--| One explicit step with `rate` = (time step) * (conductivity) / (grid spacing)^2. The ends keep their temperature;
--| their neighbours outside the rod are never read.
def step(u: [n]f64, rate: f64) -> [n]f64 =
  for i =>
    if i == 0 or i == n - 1 then u[i]
    else u[i] + rate * (u[i - 1] - 2.0 * u[i] + u[i + 1])

def evolve(u0: [n]f64, rate: f64, steps: i64) -> [n]f64 =
  loop u = u0 for t < steps do step(u, rate)

--| Cold, with a hot end.
def begin(n: i64) -> [n]f64 = for i < n => if i == 0 then 100.0 else 0.0

def main(n: i64, steps: i64) -> [n]f64 = evolve(begin(n), 0.4, steps)

--| The derivative of the final temperature in the middle with respect to every temperature at the start: one reverse
--| sweep through the loop. The entries sum to 1, as raising every temperature by one degree raises the middle by one.
def influence(n: i64, steps: i64) -> ([n]f64, f64) =
  let g = grad(\u => evolve(u, 0.4, steps)[n / 2])(begin(n))
  in (g, sum(g))
