-- Bundle adjustment, as in ADBench: the errors of projection, and the blocks of their sparse Jacobian.

def cross(a: [3]f64, b: [3]f64) -> [3]f64 =
  for i < 3 => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]

--| A camera is a turn, a place, a focal length, the centre of the picture and two numbers of radial distortion.
def project(camera: [11]f64, x: [3]f64) -> [2]f64 =
  let turn = camera[:3]
  let angle = sqrt(turn @ turn)
  let axis = turn / angle
  let v = x - camera[3:6]
  let y = cos(angle) * v + sin(angle) * cross(axis, v) + (1.0 - cos(angle)) * (axis @ v) * axis
  let flat = y[:2] / y[2]
  let r2 = flat @ flat
  in camera[7:9] + camera[6] * (1.0 + camera[9] * r2 + camera[10] * r2 ** 2) * flat

def residual((camera, x, w): ([11]f64, [3]f64, f64), seen: [2]f64) -> [2]f64 =
  w * (project(camera, x) - seen)

--| The residuals of `p` sightings, and what keeps their weights near 1.
def value(
  cameras: [n][11]f64,
  points: [m][3]f64,
  w: [p]f64,
  seen: [p][2]f64,
  camera: [p]i64,
  point: [p]i64
) -> ([p][2]f64, [p]f64) = (
  for i => residual((cameras[camera[i]], points[point[i]], w[i]), seen[i]),
  for i => 1.0 - w[i] ** 2
)

--| For every sighting two rows of derivatives: by the camera, by the point, by the weight.
def gradient(
  cameras: [n][11]f64,
  points: [m][3]f64,
  w: [p]f64,
  seen: [p][2]f64,
  camera: [p]i64,
  point: [p]i64
) =
  let blocks = for i =>
    jacrev(residual)((cameras[camera[i]], points[point[i]], w[i]), seen[i])
  in (
    for block in blocks => for (by_camera, _, _) in block => by_camera,
    for block in blocks => for (_, by_point, _) in block => by_point,
    for block in blocks => for (_, _, by_weight) in block => by_weight,
    for i => grad(\v => 1.0 - v ** 2)(w[i])
  )
