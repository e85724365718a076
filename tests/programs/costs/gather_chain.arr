-- Gathers of gathers, whose index expressions share their parts.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def half(x: [n]f64) -> [n]f64 = for i < n => x[i] * x[(i * 3 + 1) % n]
def f(x: [n]f64) -> f64 = sum(half(half(half(half(x)))))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
