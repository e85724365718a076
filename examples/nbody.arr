-- Bodies under gravity. The forces are the gradient of the potential energy; nothing is derived by hand.
--
-- $ arr run examples/nbody.arr
-- $ arr eval examples/nbody.arr "forces([1.0, 2.0], [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])"
-- $ arr run examples/nbody.arr --entry sensitivity
-- $ arr test examples/nbody.arr
-- $ arr check-grad examples/nbody.arr --entry energy [1.0,0.5] [[0.0,0.1,0.0],[1.0,0.0,0.2]] [[0.1,0.0,0.0],[0.0,-0.9,0.3]]

def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)

--| The energy of every pair, once. At `i == j` the distance is zero, and its derivative infinite; but that branch is
--| not taken, so it adds exactly nothing to the forces.
def potential(m: [n]f64, q: [n][3]f64) -> f64 =
  -0.5 * sum(for i => sum(for j =>
    if i == j then 0.0
    else
      let r = q[i] - q[j]
      in m[i] * m[j] / sqrt(dot(r, r))))

def forces(m: [n]f64, q: [n][3]f64) -> [n][3]f64 =
  -grad(\x => potential(m, x))(q)

def energy(m: [n]f64, q: [n][3]f64, v: [n][3]f64) -> f64 =
  potential(m, q) + 0.5 * sum(for i => m[i] * dot(v[i], v[i]))

def accelerations(m: [n]f64, q: [n][3]f64) -> [n][3]f64 =
  let f = forces(m, q)
  in for i, c => f[i, c] / m[i]

--| `steps` steps of the leapfrog method, each `h` long.
def leapfrog(
  m: [n]f64,
  q0: [n][3]f64,
  v0: [n][3]f64,
  h: f64,
  steps: i64
) -> ([n][3]f64, [n][3]f64) =
  loop (q, v) = (q0, v0) for step < steps do
    let half = v + 0.5 * h * accelerations(m, q)
    let next = q + h * half
    in (next, half + 0.5 * h * accelerations(m, next))

type Bodies = { m: [3]f64, q: [3][3]f64, v: [3][3]f64 }

--| A heavy body and two light ones.
def begin: Bodies = {
  m = [1.0, 0.001, 0.0005],
  q = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.5, 0.0, 0.1]],
  v = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.8, 0.0]]
}

--| Where the bodies are after 400 steps, and how much the energy drifted.
def main() -> { position: [3][3]f64, drift: f64 } =
  let { m, q, v } = begin
  let (q1, v1) = leapfrog(m, q, v, 0.01, 400)
  in { position = q1, drift = (energy(m, q1, v1) - energy(m, q, v)) / energy(m, q, v) }

--| How far from the first body the second is in the end, and what that owes to masses, positions and velocities at the
--| beginning: the derivative of 400 steps, each of which takes two gradients.
def sensitivity() -> (f64, Bodies) =
  value_and_grad(\b => let (q, _) = leapfrog(b.m, b.q, b.v, 0.01, 400) in sum((q[1] - q[0]) ** 2))(
    begin
  )

test "forces balance" within 1e-9 (m: [n]f64, q: [n][3]f64) =
  sum(forces(abs(m), for i, c => q[i, c] + f64(10 * i))) == zeros(3)
test "energy is kept" within 1e-5 =
  let { m, q, v } = begin
  let (q1, v1) = leapfrog(m, q, v, 0.01, 400)
  in energy(m, q1, v1) == energy(m, q, v)
test "time runs back" within 1e-9 =
  let { m, q, v } = begin
  let (q1, v1) = leapfrog(m, q, v, 0.01, 400)
  let (q2, v2) = leapfrog(m, q1, -v1, 0.01, 400)
  in (q2 == q, -v2 == v)
