-- The derivative of a loop at every point, in a `for`; the first loop is long.
-- cost: x=[N] sizes 16 64 256 factor 12 growth 2
def steps(y0: f64, m: i64) -> f64 = loop y = y0 for k < m do 0.5 * y + sin(y)
def f(x: [n]f64) -> f64 = sum(for i => steps(x[i], if i == 0 then n else 1))
def gradient(x: [n]f64) -> [n]f64 = for i => grad(steps)(x[i], if i == 0 then n else 1)
