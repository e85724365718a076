-- A mixture of Gaussians, written for fit.py, which spreads the rows of `xs` over devices and processes.
--
-- $ arr check-grad examples/distributed/mixture.arr --entry loss

import "../mixture.arr" as gaussians

--| Minus the mean logarithm of the density of the points `xs` under the mixture `p`.
def loss(p: gaussians.Mixture[k, d], xs: [n][d]f64) -> f64 = -gaussians.density(p, xs) / f64(n)
