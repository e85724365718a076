import "./broken.arr"
def f() -> f64 = broken.good(1.0, 2.0)
