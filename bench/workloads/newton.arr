-- A Newton step of logistic regression without the Hessian: conjugate gradients with its products with vectors. Nocedal and
-- Wright, Numerical optimization (2006), section 7.1.

import linalg

--| The mean loss, and a penalty for large weights.
def value(w: [d]f64, x: [n][d]f64, y: [n]f64, steps: i64) -> f64 =
  let scores = x @ w
  in mean(softplus(scores) - y * scores) + 0.005 * (w @ w)

--| The step by which Newton's method improves `w`, found in `steps` steps of conjugate gradients.
def gradient(w: [d]f64, x: [n][d]f64, y: [n]f64, steps: i64) -> [d]f64 =
  let slope = grad(value)(w, x, y, steps)
  let curved = \v => jvp(\u => grad(value)(u, x, y, steps), w, v).1
  in linalg.cg(curved, -slope, steps)
