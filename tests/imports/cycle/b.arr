import "../cycle/c.arr"
def f(x: f64) -> f64 = c.f(x)
