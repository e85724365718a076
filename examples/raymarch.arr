-- A picture of a scene of solids, made by marching along rays, and the derivatives of its distance from another
-- picture with respect to every number in the scene.
--
-- $ arr run examples/raymarch.arr @examples/data/scene.json
-- $ arr run examples/raymarch.arr --entry improve @examples/data/scene.json steps=4
-- $ arr test examples/raymarch.arr
-- $ arr check-grad examples/raymarch.arr --entry loss "[Sphere([0.1, 0.9, 0.2], 0.7), Plane(-0.1)]" [[0.1,0.3],[0.2,0.4]]

type Vec = [3]f64
type Solid = Sphere(Vec, f64) | Box(Vec, Vec) | Plane(f64)

--| Of the zero vector 0, and so is its derivative.
def norm(v: Vec) -> f64 = let s = v @ v in if s > 0.0 then sqrt(s) else 0.0

--| The distance of a point from a solid, negative inside: a sphere with centre and radius, a box with centre and half its
--| edges, a level ground at a height.
def distance(s: Solid, p: Vec) -> f64 = match s {
  Sphere(at, r) => norm(p - at) - r,
  Box(at, half) => let q = abs(p - at) - half in norm(max(q, 0.0)) + min(maximum(q), 0.0),
  Plane(height) => p[1] - height
}

def nearest(scene: [n]Solid, p: Vec) -> f64 = minimum(for s in scene => distance(s, p))

--| How far a ray goes until it is within a thousandth of something, or is far away: as nothing is nearer than the
--| distance, the ray can always go on by as much.
--| > march([Plane(0.0)], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0])
--| 1.0
def march(scene: [n]Solid, eye: Vec, ray: Vec) -> f64 =
  let (t, gap) = loop (t, gap) = (0.0, nearest(scene, eye)) while gap > 1e-3 and t < 20.0 do
    (t + gap, nearest(scene, eye + (t + gap) * ray))
  in t

--| Near things are bright.
def picture(scene: [n]Solid, h: i64, w: i64) -> [h][w]f64 = for i < h, j < w =>
  let to = [(f64(j) + 0.5) / f64(w) - 0.5, 0.5 - (f64(i) + 0.5) / f64(h), 1.0]
  in exp(-0.3 * march(scene, [0.0, 1.0, -4.0], to / norm(to)))

def loss(scene: [n]Solid, target: [h][w]f64) -> f64 =
  sum(flatten((picture(scene, h, w) - target) ** 2))

--| One step down the gradient, which is a scene too: of the same solids.
def step(scene: [n]Solid, target: [h][w]f64) -> [n]Solid =
  for (s, d) in zip(scene, grad(loss)(scene, target)) => match (s, d) {
    (Sphere(at, r), Sphere(d_at, d_r)) => Sphere(at - 0.1 * d_at, r - 0.1 * d_r),
    (Box(at, half), Box(d_at, d_half)) => Box(at - 0.1 * d_at, half - 0.1 * d_half),
    (Plane(height), Plane(d_height)) => Plane(height - 0.1 * d_height),
    _ => s
  }

def main(scene: [n]Solid) -> [4][6]f64 = picture(scene, 4, 6)

--| Looks for the scene from its picture, from a sphere and a ground that are not quite right. Where a solid's edge lies
--| in the picture has no derivative, only how far away things are: so the start must not be far off.
def improve(scene: [n]Solid, steps: i64) -> { before: f64, after: f64, found: [2]Solid } =
  let target = picture(scene, 4, 6)
  let start = [Sphere([0.05, 1.0, 0.2], 0.75), Plane(-0.1)]
  let found = loop s = start for i < steps do step(s, target)
  in { before = loss(start, target), after = loss(found, target), found = found }

test "a ball, from outside and inside" = (
  distance(Sphere([0.0, 0.0, 2.0], 0.5), zeros(3)) == 1.5,
  distance(Sphere(zeros(3), 0.5), zeros(3)) == -0.5
)
test "a box, off a face, off a corner, inside" =
  (for p in [[3.0, 0.0, 0.0], [1.0, 4.0, 5.0], [0.5, 0.0, 0.0]] =>
     distance(Box(zeros(3), ones(3)), p))
    == [2.0, 5.0, -0.5]
test "slopes of distances" gradient (p: Vec, at: Vec, r: f64) =
  minimum(for s in [Sphere(at, r), Box(at, [1.0, 2.0, 3.0]), Plane(r)] => distance(s, p))
