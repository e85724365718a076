-- Sizes that cannot be shown equal. The names in the messages are the program's own.
def add(x: [n]f64, y: [m]f64) -> [n]f64 = x + y
def product(a: [n][m]f64, b: [n][m]f64) -> [n][m]f64 = a @ b
def tail(x: [n]f64) -> [n]f64 = x[1:]
def apply(a: [n][m]f64, x: [n]f64) -> [n]f64 = a @ x
def twice(x: [n]f64) -> [n]f64 = concat(x, x)
def call(x: [n]f64, y: [n+1]f64) -> [n]f64 = add2(x, y)
def add2(x: [k]f64, y: [k]f64) -> [k]f64 = x + y
