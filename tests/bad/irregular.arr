-- Arrays whose rows differ in length: the shape of a `for` body may not depend on its index.
def triangle(n: i64) -> f64 = sum(sum(for i < n => for j < i => 1.0))
def prefixes(x: [n]f64) -> f64 = sum(for i < n => sum(for row in (for k < n => x[0:k]) => sum(row)))
