-- Hand tracking, as in ADBench: how far points of a hand are from where they were measured, and the Jacobian by the pose.

import "../../examples/gradbench/ht.arr" as hand

--| The bones and the skin of a hand; `n` points belong to the vertices `at` of it.
def value(
  theta: [26]f64,
  parents: [b]i64,
  relatives: [b][4][4]f64,
  inverses: [b][4][4]f64,
  positions: [v][4]f64,
  weights: [v][b]f64,
  at: [n]i64,
  points: [n][3]f64
) -> [3*n]f64 =
  let model: hand.Model[b, v, 1] = {
    bone_count = b,
    parents,
    base_relatives = relatives,
    inverse_base_absolutes = inverses,
    base_positions = positions,
    weights,
    triangles = zeros(1, 3),
    is_mirrored = false
  }
  in hand.objective(theta, zeros(0, 2), { model, correspondences = at, points })

def gradient(
  theta: [26]f64,
  parents: [b]i64,
  relatives: [b][4][4]f64,
  inverses: [b][4][4]f64,
  positions: [v][4]f64,
  weights: [v][b]f64,
  at: [n]i64,
  points: [n][3]f64
) -> [3*n][26]f64 =
  jacfwd(\t => value(t, parents, relatives, inverses, positions, weights, at, points))(theta)
