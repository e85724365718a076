import "./broken.arr" as b
import "./broken_too.arr" as too
def f() -> f64 = b.good(1.0) + too.f() + b.bad(1.0)
