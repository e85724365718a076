-- GradBench's `hello`: the square of a number and its derivative.
--
-- $ arr eval examples/gradbench/hello.arr 'double(3.0)'
-- $ arr test examples/gradbench/hello.arr

--| The square of a number.
--| > square(3.0)
--| 9.0
def square(x: f64) -> f64 = x * x

--| Its derivative: twice the number.
--| > double(3.0)
--| 6.0
def double(x: f64) -> f64 = grad(square)(x)
