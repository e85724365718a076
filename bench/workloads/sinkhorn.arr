-- Optimal transport between two clouds of points, blurred by entropy, by Sinkhorn's iterations in logarithms. Cuturi, Sinkhorn
-- distances (2013); Peyré and Cuturi, Computational optimal transport (2019), section 4.4.

import stats

--| The cost of moving the cloud `x` to the cloud `y`, all points of a cloud as heavy, after `steps` iterations.
def value(x: [n][d]f64, y: [m][d]f64, steps: i64) -> f64 =
  let eps = 0.1
  let cost = for p in x, q in y => sum((p - q) ** 2)
  let (light, heavy) = (log(1.0 / f64(n)), log(1.0 / f64(m)))
  let (f, g) = loop (f, g) = (zeros(n), zeros(m)) for t < steps do
    let f = for i => eps * (light - stats.logsumexp((g - cost[i]) / eps))
    let g = for j => eps * (heavy - stats.logsumexp((f - cost[:, j]) / eps))
    in (f, g)
  in sum(for i => sum(for j => exp((f[i] + g[j] - cost[i, j]) / eps) * cost[i, j]))

def gradient(x: [n][d]f64, y: [m][d]f64, steps: i64) -> ([n][d]f64, [m][d]f64) =
  grad(\((x, y)) => value(x, y, steps))((x, y))
