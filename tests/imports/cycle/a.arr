import "./b.arr"
def f(x: f64) -> f64 = b.f(x)
