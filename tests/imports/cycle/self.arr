import "./self.arr" as me
def f(x: f64) -> f64 = me.f(x)
