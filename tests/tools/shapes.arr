-- Sums as arguments of properties.

type Shape = Circle(f64) | Rect(f64, f64) | Dot

--| The area of a shape.
--| > area(Rect(2.0, 3.0))
--| 6.0
--| > [Circle(0.0), Dot]
--| [Circle(0.0), Dot]
def area(s: Shape) -> f64 =
  match s {
    Circle(r) => 3.141592653589793 * r * r,
    Rect(w, h) => abs(w * h),
    Dot => 0.0
  }

test "areas are not negative"(s: Shape) = area(s) >= 0.0
test "areas of all" within 1e-9 (xs: [n]Shape) =
  sum(for s in xs => area(s)) == sum(reverse(for s in xs => area(s)))
