-- Three faults in three definitions: each is reported, and the sound definitions between them are not.
def f(x: f64) -> f64 = x + * 2.0

def sound(x: f64) -> f64 = 2.0 * x

def g(x: f64) -> f64 = let y = x y + 1.0

def h(x: [n]f64) -> f64 = sum(x[0: 1]]
