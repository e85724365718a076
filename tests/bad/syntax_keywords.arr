-- What people write who come from other languages.
def f(x: f64) -> f64 { return x }
def g(x) = x
def let(x: f64) -> f64 = x
def k(x: f64) -> f64 = if x > 0.0 then x
