-- A module of a program: types, constants, and definitions that use another module.
import "lib/scale.arr"

def sides = 3
type Rect = { width: f64, height: f64 }
type Cloud[n] = { points: [n][2]f64, weights: [n]f64 }
type Triangle = [sides][2]f64
type Pair[t: any] = (t, t)

def area(r: Rect) -> f64 = r.width * r.height
def weigh(c: Cloud[n]) -> f64 = scale.double(sum(c.weights))
def corner(t: Triangle, i: i64) -> [2]f64 = t[i]
def name(x: f64) -> f64 = x
def sum_of(x: f64) -> f64 = x
