-- GradBench's `ba`: bundle adjustment, the errors of points seen by cameras, and their derivatives as a sparse matrix.
--
-- $ arr test examples/gradbench/ba.arr

--| A point or a direction, taken apart, so that a whole observation is numbers and no arrays.
type Vec = { x: f64, y: f64, z: f64 }

def vec(a: [3]f64) -> Vec = { x = a[0], y = a[1], z = a[2] }
def dot(a: Vec, b: Vec) -> f64 = a.x * b.x + a.y * b.y + a.z * b.z

--| > cross({ x = 1.0, y = 0.0, z = 0.0 }, { x = 0.0, y = 1.0, z = 0.0 })
--| {x = 0.0, y = 0.0, z = 1.0}
def cross(a: Vec, b: Vec) -> Vec = {
  x = a.y * b.z - a.z * b.y,
  y = a.z * b.x - a.x * b.z,
  z = a.x * b.y - a.y * b.x
}

--| A point turned about the axis `r` by its length (Rodrigues).
--| > turned({ x = 0.0, y = 0.0, z = 0.0 }, { x = 1.0, y = 2.0, z = 3.0 })
--| {x = 1.0, y = 2.0, z = 3.0}
def turned(r: Vec, p: Vec) -> Vec =
  let square = dot(r, r)
  in if square == 0.0 then let c = cross(r, p) in { x = p.x + c.x, y = p.y + c.y, z = p.z + c.z }
     else
       let angle = sqrt(square)
       let (s, c) = (sin(angle) / angle, cos(angle))
       let along = (1.0 - c) * dot(r, p) / square
       let q = cross(r, p)
       in {
         x = c * p.x + s * q.x + along * r.x,
         y = c * p.y + s * q.y + along * r.y,
         z = c * p.z + s * q.z + along * r.z
       }

--| A camera: rotation, centre, focal length, origin of the picture, and radial distortion.
type Camera = { turn: Vec, at: Vec, focal: f64, origin: (f64, f64), radial: (f64, f64) }

def camera(c: [11]f64) -> Camera = {
  turn = vec(c[0:3]),
  at = vec(c[3:6]),
  focal = c[6],
  origin = (c[7], c[8]),
  radial = (c[9], c[10])
}

--| Where a camera sees a point.
def project(c: Camera, p: Vec) -> (f64, f64) =
  let q = turned(c.turn, { x = p.x - c.at.x, y = p.y - c.at.y, z = p.z - c.at.z })
  let (x, y) = (q.x / q.z, q.y / q.z)
  let square = x * x + y * y
  let stretch = c.focal * (1.0 + c.radial.0 * square + c.radial.1 * square * square)
  in (stretch * x + c.origin.0, stretch * y + c.origin.1)

def reprojection((c, p, w): (Camera, Vec, f64), feat: (f64, f64)) -> (f64, f64) =
  let (x, y) = project(c, p)
  in (w * (x - feat.0), w * (y - feat.1))

--| Derivatives by camera, point and weight in the order of the matrix.
def row((c, p, w): (Camera, Vec, f64)) -> [15]f64 = [
  c.turn.x,
  c.turn.y,
  c.turn.z,
  c.at.x,
  c.at.y,
  c.at.z,
  c.focal,
  c.origin.0,
  c.origin.1,
  c.radial.0,
  c.radial.1,
  p.x,
  p.y,
  p.z,
  w
]

def weight_error(w: f64) -> f64 = 1.0 - w * w

--| What the evaluation sends stands for many equal cameras, points and observations.
def input(n: i64, m: i64, p: i64, cam: [11]f64, x: [3]f64, w: f64, feat: [2]f64) -> {
  cams: [n][11]f64,
  points: [m][3]f64,
  weights: [p]f64,
  feats: [p][2]f64,
  obs: [p][2]i64
} = {
  cams = replicate(n, cam),
  points = replicate(m, x),
  weights = replicate(p, w),
  feats = replicate(p, feat),
  obs = for i < p => [i % n, i % m]
}

--| Errors of all observations, and of their weights. `obs` has the camera and the point of each.
def objective(
  cams: [n][11]f64,
  points: [m][3]f64,
  weights: [p]f64,
  feats: [p][2]f64,
  obs: [p][2]i64
) -> { errors: [p][2]f64, weights: [p]f64 } = {
  errors = for i < p =>
    let seen = (camera(cams[obs[i, 0]]), vec(points[obs[i, 1]]), weights[i])
    let (x, y) = reprojection(seen, (feats[i, 0], feats[i, 1]))
    in [x, y],
  weights = map(weight_error, weights)
}

--| All errors are equal, so that the evaluation is told one.
def objective_output(y: { errors: [p][2]f64, weights: [p]f64 }) -> {
  reproj_error: { elements: [2]f64, repeated: i64 },
  w_err: { element: f64, repeated: i64 }
} = {
  reproj_error = { elements = y.errors[0], repeated = p },
  w_err = { element = y.weights[0], repeated = p }
}

--| The derivative of all errors by cameras, points and weights, row by row: `rows` says where each begins, `cols` and `vals` what
--| is in it. The error of an observation depends on its own camera, point and weight alone, 15 numbers.
def jacobian(
  cams: [n][11]f64,
  points: [m][3]f64,
  weights: [p]f64,
  feats: [p][2]f64,
  obs: [p][2]i64
) -> { rows: [3*p+1]i32, cols: [31*p]i32, vals: [31*p]f64 } =
  let blocks = for i < p =>
    let seen = (camera(cams[obs[i, 0]]), vec(points[obs[i, 1]]), weights[i])
    let (x, y) = jacrev(reprojection)(seen, (feats[i, 0], feats[i, 1]))
    in [row(x), row(y)]
  let columns = for i < p, r < 2, c < 15 =>
    i32(
      if c < 11 then 11 * obs[i, 0] + c
      else if c < 14 then 11 * n + 3 * obs[i, 1] + c - 11
      else 11 * n + 3 * m + i
    )
  in {
    rows = for r < 3 * p + 1 => i32(if r < 2 * p then 15 * r else 28 * p + r),
    cols = concat(flatten(columns), for i < p => i32(11 * n + 3 * m + i)),
    vals = concat(flatten(blocks), for w in weights => grad(weight_error)(w))
  }

--| The first 30 entries, those of the first observation, and the last.
def jacobian_output(y: { rows: [r]i32, cols: [e]i32, vals: [e]f64 }) -> {
  rows: [31]i32,
  cols: [31]i32,
  vals: [31]f64
} = {
  rows = for k < 31 => y.rows[if k < 30 then k else r - 1],
  cols = for k < 31 => y.cols[if k < 30 then k else e - 1],
  vals = for k < 31 => y.vals[if k < 30 then k else e - 1]
}

def _camera = [0.1, -0.2, 0.3, 1.0, 2.0, -8.0, 500.0, 3.0, 4.0, -0.01, 0.002]
test "a turn leaves lengths" within 1e-12 =
  let p = turned({ x = 0.3, y = -0.4, z = 0.5 }, { x = 1.0, y = 2.0, z = 3.0 })
  in dot(p, p) == 14.0
test "rows of the matrix are derivatives" within 1e-9 =
  let { cams, points, weights, feats, obs } =
    input(2, 3, 4, _camera, [0.5, 0.6, 0.7], 0.9, [5.0, 6.0])
  let j = jacobian(cams, points, weights, feats, obs)
  let f = \c => let (x, y) = reprojection((camera(c), vec(points[0]), 0.9), (5.0, 6.0)) in [x, y]
  let full = jacfwd(f)(_camera)
  in (j.vals[0:11] == full[0], j.vals[15:26] == full[1], j.vals[123] == -1.8, j.cols[123] == 34)
