-- Particles that fall past two charges until each reaches the ground: a loop that ends when it is done.

type Vec = (f64, f64)

--| The force of two charges at (10, 10 - w) and (10, 0).
def force((x, y): Vec, w: f64) -> Vec =
  let pull = \cy =>
    let (dx, dy) = (x - 10.0, y - cy)
    let d2 = dx * dx + dy * dy
    in (dx / (d2 * sqrt(d2)), dy / (d2 * sqrt(d2)))
  let ((ax, ay), (bx, by)) = (pull(10.0 - w), pull(0.0))
  in (ax + bx, ay + by)

--| Where a particle with a control `w` meets the ground.
def landing(w: f64, y0: f64, v0: f64) -> f64 =
  let ((x, y), (vx, vy)) = loop ((x, y), (vx, vy)) = ((0.0, y0), (v0, 0.0)) while y > 0.0 do
    let (ax, ay) = force((x, y), w)
    in ((x + 0.01 * vx, y + 0.01 * vy), (vx + 0.01 * ax, vy + 0.01 * (ay - 0.5)))
  in x - y * vx / vy

def value(w: [n]f64, y0: [n]f64, v0: [n]f64) -> f64 =
  sum(for i => landing(w[i], y0[i], v0[i]) ** 2)

def gradient(w: [n]f64, y0: [n]f64, v0: [n]f64) -> [n]f64 = grad(value)(w, y0, v0)
