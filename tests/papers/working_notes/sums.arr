-- Sums: `case` on an argument, on a computed value, nested, and in arrays; the branch not taken contributes zero.
type Either = Left(f64) | Right(f64, f64)
def on_argument(e: Either) -> f64 = match e { Left(x) => x * x, Right(x, y) => x * y }
def classify(x: f64) -> Either = if x > 0.0 then Left(sqrt(x)) else Right(-x, x * x)
def on_computed(x: f64) -> f64 = on_argument(classify(x)) * x

-- A case of a case: the outer value is made by the inner one.
def again(e: Either) -> Either =
  match e { Left(x) => if x > 1.0 then Right(x, x) else Left(x + 1.0), Right(x, _) => Left(x) }
def nested(e: Either) -> f64 = on_argument(again(again(e)))
def in_arrays(xs: [n]f64) -> f64 = sum(map(\x => on_argument(again(classify(x))), xs))

-- The branch that is not taken has an infinite derivative.
def infinite(e: Either) -> f64 = match e { Left(x) => x + 1.0, Right(x, y) => sqrt(x) / y }

-- > grad(on_argument)(Left(3.0))
-- Left(6.0)
-- > grad(on_argument)(Right(3.0, 4.0))
-- Right(4.0, 3.0)
-- > value_and_grad(on_computed)(4.0)
-- (16.0, 8.0)
-- > value_and_grad(on_computed)(-2.0)
-- (-16.0, 32.0)
-- > grad(nested)(Left(2.0))
-- Left(4.0)
-- > grad(nested)(Right(0.5, 9.0))
-- Right(3.0, 0.0)
-- > value_and_grad(in_arrays)([4.0, -2.0, 0.25])
-- (10.25, [1.0, -4.0, 3.0])
-- > grad(infinite)(Left(0.0))
-- Left(1.0)
-- check-grad: on_argument at Right(3.0, 4.0)
-- check-grad: on_computed at -2.0
-- check-grad: nested at Left(2.0)
-- check-grad: in_arrays at [4.0, -2.0, 0.25]
