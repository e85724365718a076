-- A neural ordinary differential equation: a small network says how the state changes, and trajectories are fitted to
-- where they should end. Chen et al., Neural ordinary differential equations (2018), by the method of Runge and Kutta.

import ode

type Net[d, h] = { w1: [h][d]f64, b1: [h]f64, w2: [d][h]f64, b2: [d]f64 }

def slope(net: Net[d, h], y: [d]f64) -> [d]f64 =
  net.w2 @ tanh(net.w1 @ y + net.b1) + net.b2

--| The mean squared distance of the ends of `b` trajectories from `target`.
def value(
  w1: [h][d]f64,
  b1: [h]f64,
  w2: [d][h]f64,
  b2: [d]f64,
  start: [b][d]f64,
  target: [b][d]f64,
  steps: i64
) -> f64 =
  let net = { w1, b1, w2, b2 }
  in mean(for i =>
    let end = ode.rk4(\(t, y) => slope(net, y), start[i], 0.0, 1.0, steps)
    in sum((end - target[i]) ** 2))

def gradient(
  w1: [h][d]f64,
  b1: [h]f64,
  w2: [d][h]f64,
  b2: [d]f64,
  start: [b][d]f64,
  target: [b][d]f64,
  steps: i64
) =
  grad(\((w1, b1, w2, b2, start)) => value(w1, b1, w2, b2, start, target, steps))(
    (w1, b1, w2, b2, start)
  )
