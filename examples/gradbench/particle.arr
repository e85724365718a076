-- GradBench's `particle`: a charge is shot past two others, of which one can be moved so that it hits the origin. Where to is found
-- by descent; its slope goes through the path of the charge, and that through the slope of a potential.
--
-- $ arr test examples/gradbench/particle.arr

import "./descent.arr"

type Point = (f64, f64)

--| The distance of two points.
--| > distance((0.0, 0.0), (3.0, 4.0))
--| 5.0
def distance((x, y): Point, (z, w): Point) -> f64 = sqrt((x - z) ** 2 + (y - w) ** 2)

--| The potential of a charge at (10, 0) and one at (10, 10 - w).
--| > potential((10.0, 5.0), 0.0)
--| 0.4
def potential(p: Point, w: f64) -> f64 =
  1.0 / distance(p, (10.0, 10.0 - w)) + 1.0 / distance(p, (10.0, 0.0))

def reverse_slope(f: Point -> f64, p: Point) -> Point = grad(f)(p)

def forward_slope(f: Point -> f64, p: Point) -> Point =
  let (y, dx) = jvp(f, p, (1.0, 0.0))
  let (y, dy) = jvp(f, p, (0.0, 1.0))
  in (dx, dy)

--| The square of how far from the origin the charge meets the axis, by Euler's method with steps of 0.1. `slope` is the
--| gradient of a function.
def miss(slope: (Point -> f64, Point) -> Point, w: f64) -> f64 =
  let h = 0.1
  let ((x, y), (u, v)) = loop ((x, y), (u, v)) = ((0.0, 8.0), (0.75, 0.0)) while y + h * v > 0.0 do
    let (du, dv) = slope(\p => potential(p, w), (x, y))
    in ((x + h * u, y + h * v), (u - h * du, v - h * dv))
  in (x - y / v * u) ** 2

--| The place `w` of the charge that makes the other hit the origin. `outer` and `inner` are gradients of functions, by one
--| mode or the other.
def aim(
  outer: ([1]f64 -> f64, [1]f64) -> [1]f64,
  inner: (Point -> f64, Point) -> Point,
  w: f64
) -> f64 =
  let f = \w => miss(inner, w[0])
  in descent.lowest_point(f, \w => outer(f, w), [w])[0]

def ff(w: f64) -> f64 = aim(descent.forward_mode, forward_slope, w)
def fr(w: f64) -> f64 = aim(descent.forward_mode, reverse_slope, w)
def rf(w: f64) -> f64 = aim(descent.reverse_mode, forward_slope, w)
def rr(w: f64) -> f64 = aim(descent.reverse_mode, reverse_slope, w)

test "the modes agree" within 1e-6 =
  (ff(0.0) == 0.20719187464861, fr(0.0) == ff(0.0), rf(0.0) == ff(0.0), rr(0.0) == ff(0.0))
