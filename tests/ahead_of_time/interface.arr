-- What C source gives its caller besides values: lengths that data decide, and constants for tags.

import arrays

type Shape = Circle(f64) | Rect(f64, f64) | Nothing
type Kept = All(Shape) | Few(i64)

-- Elements of a length that a sum decides.
def chosen(x: [n]f64, lo: f64) -> [?k]f64 =
  let m = sum(for v in x => i64(v > lo)) in for i < m => x[i]
def above(x: [n]f64, lo: f64) -> [?k]f64 = arrays.filter(\v => v > lo, x)
-- Two arrays of one length, which is given once, and one of another.
def pairs(x: [n]f64) -> { at: [?k]i64, x: [?k]f64, all: [n]f64 } =
  let m = i64(x[0]) in { at = for i < m => i, x = for i < m => 2.0 * x[i], all = x }
def area(s: Shape) -> f64 =
  match s { Circle(r) => 3.0 * r * r, Rect(a, b) => a * b, Nothing => 0.0 }
def areas(s: [n]Shape) -> [n]f64 = for x in s => area(x)
def kept(k: Kept) -> f64 = match k { All(s) => area(s), Few(n) => f64(n) }
def same(x: [n]f64, y: [n][m]f64) -> ([n]f64, [n][m]f64) = (x, y)
