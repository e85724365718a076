-- Characters that begin no token, and a number that does not fit.
def f(x: f64) -> f64 = x # 2.0
def g(x: f64) -> f64 = x ? 1.0
def h() -> i32 = 99999999999i32
