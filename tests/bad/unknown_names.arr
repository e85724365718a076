-- Names that do not exist, each close to one that does.
def density(weight: [n]f64) -> f64 = sum(wieght)
def main(x: [n]f64) -> f64 = densty(x) + sqroot(x[0]) + lenght(x)
def shape_of(p: { centre: f64, radius: f64 }) -> f64 = p.center
def typed(x: Float) -> f64 = 1.0
def sized(x: [n]f64) -> [m]f64 = x
