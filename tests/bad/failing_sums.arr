-- $ arr test bad/failing_sums.arr
-- $ arr eval bad/failing_sums.arr 'let s: Shape = Rect(1.0, 1.0) in width(s) == 0.0'

type Shape = Circle(f64) | Rect(f64, f64) | Dot

--| > [Circle(1.0), Dot]
--| [Circle(1.0), Circle(2.0)]
--| > Circle(1.0)
--| Circle(1.5)
def width(s: Shape) -> f64 =
  match s {
    Circle(_) => 0.0,
    Rect(w, _) => w,
    Dot => 0.0
  }

test "flat"(s: Shape) = width(s) == 0.0
test "all flat"(xs: [n]{ shape: Shape, id: i64 }) = for x in xs => width(x.shape) < 2.0
