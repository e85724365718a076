-- Extents that cannot be inferred, or are inferred twice and differ.
def a(x: f64) -> f64 = sum(for i => x)
def b(x: [n]f64) -> [n]f64 = for i => x[i + 1]
def c(a: [n]f64, b: [m]f64) -> [n]f64 = for i => a[i] + b[i]
def d(x: [n]f64) -> f64 = sum(for j < k => x[j])
def e() -> [n]f64 = zeros(3)
