-- Where the hand of an arm of joints is, and how it turns, with the Jacobian by the angles. Denavit and Hartenberg, A kinematic
-- notation for lower-pair mechanisms based on matrices (1955).

--| From a joint to the next: a turn about z, a way along z, a way along x, and a twist about x.
def joint(angle: f64, offset: f64, length: f64, twist: f64) -> [4][4]f64 =
  let (c, s) = (cos(angle), sin(angle))
  let (ct, st) = (cos(twist), sin(twist))
  in [
    [c, -s * ct, s * st, length * c],
    [s, c * ct, -c * st, length * s],
    [0.0, st, ct, offset],
    [0.0, 0.0, 0.0, 1.0]
  ]

--| The upper three rows of the matrix that takes places seen from the hand to places seen from the shoulder.
def value(angles: [n]f64, offsets: [n]f64, lengths: [n]f64, twists: [n]f64) -> [3][4]f64 =
  let identity = for i < 4, j < 4 => f64(i == j)
  let pose = loop pose = identity for i < n do
    pose @ joint(angles[i], offsets[i], lengths[i], twists[i])
  in pose[:3]

def gradient(angles: [n]f64, offsets: [n]f64, lengths: [n]f64, twists: [n]f64) -> [3][4][n]f64 =
  jacfwd(\a => value(a, offsets, lengths, twists))(angles)
