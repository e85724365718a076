-- What is no size.
def quotient(x: [n]f64) -> [n / 2]f64 = for i < n / 2 => x[i]
def negative() -> [-1]f64 = zeros(3)
def call(x: [n]f64) -> [max(n, 1)]f64 = x
def decimal() -> [1.5]f64 = zeros(1)
def unknown(x: [n]f64) -> [k]f64 = x[:k]
