-- GradBench's `ode`: a system of differential equations by the method of Runge and Kutta, and the gradient of its last
-- unknown.
--
-- $ arr test examples/gradbench/ode.arr

--| The derivative of every unknown by time: each is fed by the one before it, the first by a constant.
def slope(x: [n]f64, y: [n]f64) -> [n]f64 = for i => if i == 0 then x[0] else x[i] * y[i - 1]

--| The unknowns at time 2 in `s` steps from 0.
--| > primal([1.0, 3.0], 1)
--| [2.0, 6.0]
def primal(x: [n]f64, s: i64) -> [n]f64 =
  let h = 2.0 / f64(s)
  in loop y = zeros(n) for step < s do
    let k1 = slope(x, y)
    let k2 = slope(x, y + h / 2.0 * k1)
    let k3 = slope(x, y + h / 2.0 * k2)
    let k4 = slope(x, y + h * k3)
    in y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

--| The gradient of the last unknown.
--| > gradient([1.0, 3.0], 1)
--| [6.0, 2.0]
def gradient(x: [n]f64, s: i64) -> [n]f64 = grad(\x => primal(x, s)[n - 1])(x)

test "slope" gradient (x: [4]f64) = primal(x, 5)[3]
