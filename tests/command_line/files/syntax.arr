def f(x: f64) -> f64 = x + * 2.0
def g(x: f64) -> f64 = (x + 1.0
