-- One name for two things in one place.
def f(x: f64) -> f64 = x
def f(y: f64) -> f64 = y
def g(x: f64, x: f64) -> f64 = x
def h(x: f64) -> f64 = let (a, a) = (x, x) in a
type R = { a: f64, a: f64 }
