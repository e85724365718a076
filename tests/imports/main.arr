-- $ arr run imports/main.arr
-- What a program can do with modules.
import stats
import "./shapes.arr" as s
import "lib/scale.arr" as scaling

def sides = 4
def name = 2.5
def total(c: s.Cloud[k]) -> f64 = s.weigh(c) + scaling.double(f64(k))
def edge(t: s.Triangle, square: [sides]f64) -> [s.sides]f64 = for i < s.sides => t[i, 0] + square[i]
def both(f: s.Rect -> f64, r: s.Pair[f64]) -> s.Pair[f64] =
  (f({ width = r.0, height = 1.0 }), f({ width = r.1, height = 2.0 }))
def local(stats: { mean: f64 }) -> f64 = stats.mean
def entry(i: i64) -> f64 = sum(s.corner([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], i))
def loss(r: s.Rect, x: [n]f64) -> f64 = s.area(r) * stats.variance(x)
def main() -> (f64, f64, f64) = (
  total({ points = [[0.0, 1.0], [2.0, 3.0]], weights = [1.0, 2.0] }),
  s.name(name),
  stats.mean([1.0, 2.0])
)
