-- Indices that are outside whatever the sizes are.
def last(x: [n]f64) -> f64 = x[-1]
def after(x: [n]f64) -> f64 = x[n] + x[length(x)]
def column(a: [n][3]f64) -> [n]f64 = a[:, 3]
def tail(x: [n]f64) -> f64 = sum(x[-2:])
def long(x: [n]f64) -> f64 = sum(x[:n+1])
def changed(x: [2]f64) -> [2]f64 = x with [2] = 1.0
def small(n: i64) -> f64 = zeros(n)[-1]

-- These may be right.
def guarded(x: [n]f64) -> f64 = if n > 3 then x[3] else 0.0
def chosen(x: [n]f64, i: i64) -> f64 = x[i - 1] + x[n - 4]
