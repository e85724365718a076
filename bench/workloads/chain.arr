-- A chain of elementwise operations, and its derivative by every element.

def f(x: f64) -> f64 = sin(exp(-x * x)) * sqrt(1.0 + x * x)

def value(x: [n]f64) -> f64 = sum(map(f, x))

def gradient(x: [n]f64) -> [n]f64 = grad(value)(x)
