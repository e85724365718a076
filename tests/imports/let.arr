def f() -> f64 = 1.0
