-- Bundle adjustment: where the points are that several cameras see. What a camera sees of a point depends on the two
-- alone, so the Jacobian of all residuals is a block for each sighting: one `jacrev` in a `for`.
--
-- $ arr run examples/bundle.arr rounds=4
-- $ arr eval examples/bundle.arr "let (cameras, points) = scene in blocks(cameras, points, sightings(cameras, points))[0]"
-- $ arr test examples/bundle.arr

import linalg

type Vec = [3]f64

--| A turn about the axis `turn` by its length, the place, the focal length, and how much the picture bends outwards.
type Camera = { turn: Vec, at: Vec, focal: f64, bend: [2]f64 }

--| Which camera saw which point, and where in its picture.
type Sighting = { camera: i64, point: i64, seen: [2]f64 }

def cross(a: Vec, b: Vec) -> Vec =
  for i < 3 => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]

--| Rodrigues' formula.
--| > turned([0.0, 0.0, 1.5707963267948966], [1.0, 0.0, 0.0])  -- within 1e-15
--| [0.0, 1.0, 0.0]
def turned(turn: Vec, x: Vec) -> Vec =
  let angle = linalg.norm(turn)
  in if angle == 0.0 then x + cross(turn, x)
     else
       let axis = turn / angle
       in cos(angle) * x + sin(angle) * cross(axis, x) + (1.0 - cos(angle)) * (axis @ x) * axis

def project(c: Camera, x: Vec) -> [2]f64 =
  let y = turned(c.turn, x - c.at)
  let flat = y[:2] / y[2]
  let r2 = flat @ flat
  in c.focal * (1.0 + c.bend[0] * r2 + c.bend[1] * r2 ** 2) * flat

def residual((c, x): (Camera, Vec), seen: [2]f64) -> [2]f64 = project(c, x) - seen

--| The blocks of the Jacobian: for each sighting two rows, each a camera and a point, of derivatives.
def blocks(cameras: [m]Camera, points: [n]Vec, sightings: [s]Sighting) =
  for o in sightings => jacrev(residual)((cameras[o.camera], points[o.point]), o.seen)

--| One step of the method of Gauss and Newton for the points, the cameras held: a system of three equations for each.
def refine(cameras: [m]Camera, points: [n]Vec, sightings: [s]Sighting) -> [n]Vec =
  let j = for block in blocks(cameras, points, sightings) =>
    for (by_camera, by_point) in block => by_point
  let r = for o in sightings => residual((cameras[o.camera], points[o.point]), o.seen)
  let which = for o in sightings => o.point
  let normal = scatter_add(zeros(n, 3, 3), which, for i => transpose(j[i]) @ j[i])
  let slope = scatter_add(zeros(n, 3), which, for i => r[i] @ j[i])
  in for i => points[i] - linalg.solve_spd(normal[i], slope[i])

def cost(cameras: [m]Camera, points: [n]Vec, sightings: [s]Sighting) -> f64 =
  0.5 * sum(for o in sightings => sum(residual((cameras[o.camera], points[o.point]), o.seen) ** 2))

--| Three cameras in front of the corners of a cube.
def scene: ([3]Camera, [8]Vec) =
  let cameras = for i < 3 => {
    turn = [0.0, 0.3 * f64(i - 1), 0.0],
    at = [1.5 * f64(i - 1), 0.2 * f64(i), -5.0],
    focal = 2.0,
    bend = [0.05, -0.01]
  }
  in (cameras, for i < 8 => [f64(i % 2), f64(i / 2 % 2), f64(i / 4)])

--| Every camera sees every point.
def sightings(cameras: [m]Camera, points: [n]Vec) -> [m*n]Sighting =
  for i < m * n => { camera = i / n, point = i % n, seen = project(cameras[i / n], points[i % n]) }

--| From points that are somewhat off: the cost before every round, and how far off the worst number is at the end.
def main(rounds: i64) -> { cost: [rounds]f64, off: f64 } =
  let (cameras, points) = scene
  let seen = sightings(cameras, points)
  let guess = for i < 8, c < 3 => points[i, c] + 0.3 * sin(f64(3 * i + c))
  let (found, costs) = loop (x, costs) = (guess, zeros(rounds)) for i < rounds do
    (refine(cameras, x, seen), costs with [i] = cost(cameras, x, seen))
  in { cost = costs, off = maximum(flatten(abs(found - points))) }

test "turning keeps lengths" within 1e-12 (turn: Vec, x: Vec) =
  linalg.norm(turned(turn, x)) == linalg.norm(x)
test "slopes of a sighting" gradient (turn: Vec, focal: f64, bend: [2]f64, x: Vec) =
  project({ turn, at = [0.0, 0.0, -20.0], focal, bend }, 0.3 * tanh(x))
