-- GradBench's `ba`: bundle adjustment, the errors of points seen by cameras, and their derivatives as a sparse matrix.
--
-- $ arr test examples/gradbench/ba.arr

--| > cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
--| [0.0, 0.0, 1.0]
def cross(a: [3]f64, b: [3]f64) -> [3]f64 = [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0]
]

--| A point turned about the axis `r` by its length (Rodrigues).
--| > rotate([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])
--| [1.0, 2.0, 3.0]
def rotate(r: [3]f64, x: [3]f64) -> [3]f64 =
  let square = sum(r * r)
  in if square == 0.0 then x + cross(r, x)
     else
       let angle = sqrt(square)
       let axis = r / angle
       in cos(angle) * x + sin(angle) * cross(axis, x) + (1.0 - cos(angle)) * (axis @ x) * axis

--| Where a camera sees a point. Of a camera there are the rotation (3 numbers), the centre (3), the focal length, the origin of
--| the picture (2) and the radial distortion (2).
def project(cam: [11]f64, x: [3]f64) -> [2]f64 =
  let y = rotate(cam[0:3], x - cam[3:6])
  let p = [y[0] / y[2], y[1] / y[2]]
  let square = sum(p * p)
  let stretch = 1.0 + cam[9] * square + cam[10] * square * square
  in cam[6] * stretch * p + cam[7:9]

def reprojection(cam: [11]f64, x: [3]f64, w: f64, feat: [2]f64) -> [2]f64 =
  w * (project(cam, x) - feat)

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
    reprojection(cams[obs[i, 0]], points[obs[i, 1]], weights[i], feats[i]),
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
    let error = \((cam, x, w)) => reprojection(cam, x, w, feats[i])
    let rows = jacrev(error)((cams[obs[i, 0]], points[obs[i, 1]], weights[i]))
    in for (dcam, dx, dw) in rows, c < 15 =>
      if c < 11 then dcam[c] else if c < 14 then dx[c - 11] else dw
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
  sum(rotate([0.3, -0.4, 0.5], [1.0, 2.0, 3.0]) ** 2) == 14.0
test "rows of the matrix are derivatives" within 1e-9 =
  let { cams, points, weights, feats, obs } =
    input(2, 3, 4, _camera, [0.5, 0.6, 0.7], 0.9, [5.0, 6.0])
  let j = jacobian(cams, points, weights, feats, obs)
  let f = \c => reprojection(c, points[0], weights[0], feats[0])
  let full = jacfwd(f)(_camera)
  in (j.vals[0:11] == full[0], j.vals[15:26] == full[1], j.vals[123] == -1.8, j.cols[123] == 34)
