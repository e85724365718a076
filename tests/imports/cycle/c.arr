import "./a.arr"
def f(x: f64) -> f64 = a.f(x)
