-- The logarithm of a sum of exponentials.

import stats

def value(x: [n]f64) -> f64 = stats.logsumexp(x)

def gradient(x: [n]f64) -> [n]f64 = grad(value)(x)
