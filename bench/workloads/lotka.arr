-- An ensemble of predators and their prey: the equations of Lotka and Volterra by the method of Runge and Kutta.

type Rates = { grow: f64, eaten: f64, starve: f64, feed: f64 }

def slope(r: Rates, (x, y): (f64, f64)) -> (f64, f64) =
  (r.grow * x - r.eaten * x * y, r.feed * x * y - r.starve * y)

def moved((x, y): (f64, f64), (dx, dy): (f64, f64), h: f64) -> (f64, f64) = (x + h * dx, y + h * dy)

def rk4(r: Rates, s: (f64, f64), h: f64) -> (f64, f64) =
  let k1 = slope(r, s)
  let k2 = slope(r, moved(s, k1, 0.5 * h))
  let k3 = slope(r, moved(s, k2, 0.5 * h))
  let k4 = slope(r, moved(s, k3, h))
  in moved(moved(s, k1, h / 6.0), (2.0 * (k2.0 + k3.0) + k4.0, 2.0 * (k2.1 + k3.1) + k4.1), h / 6.0)

--| The prey in the end, of `n` places with rates of their own, a row of `rates` each.
def value(rates: [n][4]f64, prey: [n]f64, hunters: [n]f64, steps: i64) -> f64 =
  let h = 5.0 / f64(steps)
  in sum(for i =>
    let r = { grow = rates[i, 0], eaten = rates[i, 1], starve = rates[i, 2], feed = rates[i, 3] }
    let (x, _) = loop s = (prey[i], hunters[i]) for t < steps do rk4(r, s, h)
    in x)

def gradient(
  rates: [n][4]f64,
  prey: [n]f64,
  hunters: [n]f64,
  steps: i64
) -> ([n][4]f64, [n]f64, [n]f64) =
  grad(\((rates, prey, hunters)) => value(rates, prey, hunters, steps))((rates, prey, hunters))
