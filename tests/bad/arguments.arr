-- Arguments that do not fit the definition.
--
-- $ arr run bad/arguments.arr
-- $ arr run bad/arguments.arr 2.0
-- $ arr run bad/arguments.arr 2.0 [1.0] [2.0] 4.0
-- $ arr run bad/arguments.arr scale=2.0 x=[1.0] z=[2.0]
-- $ arr run bad/arguments.arr scale=2.0 scale=3.0 x=[1.0] y=[2.0]
-- $ arr run bad/arguments.arr 2.0 [1.0,2.0] [3.0]
-- $ arr run bad/arguments.arr [2.0] [1.0] [3.0]
-- $ arr run bad/arguments.arr 2.0 1.0 [3.0]
-- $ arr run bad/arguments.arr 2.0 [[1.0]] [3.0]
-- $ arr run bad/arguments.arr true [1.0] [3.0]
-- $ arr run bad/arguments.arr 2.0 [1.0,true] [3.0,4.0]
-- $ arr run bad/arguments.arr 2.0 "[1.0, [2.0]]" [3.0]
-- $ arr run bad/arguments.arr 2.0 [1.0 [3.0]
-- $ arr run bad/arguments.arr 2.0 oops [3.0]
-- $ arr run bad/arguments.arr 2.0 x.csv [3.0]
-- $ arr run bad/arguments.arr --entry counted 2.5
-- $ arr run bad/arguments.arr --entry counted 99999999999999999999
-- $ arr run bad/arguments.arr --entry point {x=1.0}
-- $ arr run bad/arguments.arr --entry point {x=1.0,y=2.0,z=3.0}
-- $ arr run bad/arguments.arr --entry pair (1.0,2.0,3.0)
-- $ arr run bad/arguments.arr --entry tail []
-- $ arr run bad/arguments.arr --entry square [[1.0,2.0]]
-- $ arr run bad/arguments.arr --entry nothing
-- $ arr run bad/arguments.arr --entry apply 1.0

def main(scale: f64, x: [n]f64, y: [n]f64) -> [n]f64 = scale * (x + y)
def counted(n: i64) -> i64 = n
def point(p: { x: f64, y: f64 }) -> f64 = p.x + p.y
def pair(p: (f64, f64)) -> f64 = p.0 + p.1
def tail(x: [n+1]f64) -> [n]f64 = x[1:]
def square(a: [n][n]f64) -> f64 = a[0, 0]
def apply(f: f64 -> f64, x: f64) -> f64 = f(x)
