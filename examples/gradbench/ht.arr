-- GradBench's `ht`: a hand is posed so that points of it lie where they were measured; the residuals, and their derivatives by
-- the pose.
--
-- $ arr test examples/gradbench/ht.arr

--| A hand of `b` bones, a skin of `v` vertices, which follow the bones by their weights, and `f` triangles of it.
type Model[b, v, f] = {
  bone_count: i64,
  parents: [b]i64,
  base_relatives: [b][4][4]f64,
  inverse_base_absolutes: [b][4][4]f64,
  base_positions: [v][4]f64,
  weights: [v][b]f64,
  triangles: [f][3]i64,
  is_mirrored: bool
}

--| `n` measured points, and the vertex, or the triangle, to which each belongs.
type Data[b, v, f, n] = { model: Model[b, v, f], correspondences: [n]i64, points: [n][3]f64 }

--| The rotation about the axis `a` by its length.
--| > rotation([0.0, 0.0, 0.0])
--| [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
def rotation(a: [3]f64) -> [3][3]f64 =
  let angle = sqrt(sum(a * a))
  in if angle < 0.0001 then for i < 3, j < 3 => f64(i == j)
     else
       let (x, y, z) = (a[0] / angle, a[1] / angle, a[2] / angle)
       let (s, c) = (sin(angle), cos(angle))
       in [
         [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
         [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
         [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c]
       ]

--| How a joint turns: about the axis x, then y, then z.
def turn((x, z, y): (f64, f64, f64)) -> [4][4]f64 =
  let (sx, cx, sy, cy, sz, cz) = (sin(x), cos(x), sin(y), cos(y), sin(z), cos(z))
  in [
    [cy * cz, -cx * sz + sx * sy * cz, sx * sz + cx * sy * cz, 0.0],
    [cy * sz, cx * cz + sx * sy * sz, -sx * cz + cx * sy * sz, 0.0],
    [-sy, sx * cy, cx * cy, 0.0],
    [0.0, 0.0, 0.0, 1.0]
  ]

--| The angles of a bone. From the third bone on every four are a finger: its first turns in two ways, the next two in one, and
--| the last not at all.
--| > angles(iota(26) * 1.0, 2)
--| (6.0, 7.0, 0.0)
--| > angles(for i < 26 => f64(i), 7)
--| (12.0, 0.0, 0.0)
def angles(theta: [26]f64, bone: i64) -> (f64, f64, f64) =
  let (finger, joint) = ((bone - 2) / 4, (bone - 2) % 4)
  in if bone < 2 or finger >= 5 or joint == 3 then (0.0, 0.0, 0.0)
     else if joint == 0 then (theta[6 + 4 * finger], theta[7 + 4 * finger], 0.0)
     else (theta[7 + 4 * finger + joint], 0.0, 0.0)

--| How each bone moves from its rest: its parent's place, its own, and its turn.
def transforms(model: Model[b, v, f], theta: [26]f64) -> [b][4][4]f64 =
  let relatives = for i < b => model.base_relatives[i] @ turn(angles(theta, i))
  let absolutes = loop places = zeros(b, 4, 4) for i < b do
    let parent = model.parents[i]
    in places with [i] = if parent < 0 then relatives[i] else places[parent] @ relatives[i]
  in for i < b => absolutes[i] @ model.inverse_base_absolutes[i]

--| Each vertex at rest, weighted by its bones: column by column for each bone its four coordinates.
def skin(model: Model[b, v, f]) -> [4*b][v]f64 =
  let weighted = for i < b, k < 4, p < v => model.weights[p, i] * model.base_positions[p, k]
  in reshape(weighted, (4 * b, v))

--| How the coordinates of each bone's skin move in a pose: rotation (3 numbers), place (3), and angles of the fingers (20).
def moves(model: Model[b, v, f], theta: [26]f64) -> [3][4*b]f64 =
  let bones = transforms(model, theta)
  let mirror = [if model.is_mirrored then -1.0 else 1.0, 1.0, 1.0]
  let global = for c < 3, e < 3 => mirror[e] * rotation(theta[0:3])[c, e]
  let moved = for c < 3, i < b, k < 4 => sum(for e < 3 => global[c, e] * bones[i, e, k])
  in reshape(moved, (3, 4 * b))

--| The vertices of the hand in a pose: a row for each coordinate.
def vertices(skin: [4*b][v]f64, model: Model[b, v, f], theta: [26]f64) -> [3][v]f64 =
  let turned = moves(model, theta) @ skin
  in for c < 3, p < v => turned[c, p] + theta[3 + c]

--| Where each measured point should be: at its vertex, or where `us` are given, at that place of its triangle.
def residuals(at: [3][v]f64, us: [u][2]f64, data: Data[b, v, f, n]) -> [n][3]f64 =
  for i < n, c < 3 =>
    let here = data.correspondences[i]
    let hand =
      if u == 0 then at[c, here]
      else
        let t = data.model.triangles[here]
        in us[i, 0] * at[c, t[0]] + us[i, 1] * at[c, t[1]]
          + (1.0 - us[i, 0] - us[i, 1]) * at[c, t[2]]
    in data.points[i, c] - hand

def objective(theta: [26]f64, us: [u][2]f64, data: Data[b, v, f, n]) -> [3*n]f64 =
  flatten(residuals(vertices(skin(data.model), data.model, theta), us, data))

--| The derivatives by `us`, of which a residual depends on its own two, in two columns, then those by the pose: first of the
--| vertices, which are fewer than the residuals, then through them.
def jacobian(theta: [26]f64, us: [u][2]f64, data: Data[b, v, f, n]) =
  let rest = skin(data.model)
  let pose = \t => vertices(rest, data.model, t)
  let at = pose(theta)
  let moved = for k < 26 =>
    let (y, dat) = jvp(pose, theta, onehot(26, k))
    in dat
  let by_pose = for dat in moved =>
    let (y, dy) = jvp(\a => residuals(a, us, data), at, dat)
    in flatten(dy)
  let by_us = for k < (if u == 0 then 0 else 2) =>
    let (y, dy) = jvp(\w => residuals(at, w, data), us, for i < u, j < 2 => f64(j == k))
    in flatten(dy)
  in transpose(concat(by_us, by_pose))
