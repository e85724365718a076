-- A file with an error of each kind, that another one imports.
def bad(x: f64) -> f64 = x + * 2.0
def good(x: f64) -> f64 = y
