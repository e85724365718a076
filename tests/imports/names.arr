-- Everything that can be wrong with the name of something in a module.
import stats
import "./shapes.arr" as s

def scale(x: f64) -> f64 = x
def f(r: s.Rectangle, n: [s.side]f64) -> f64 = s.aera(r)
def g(r: s.Rect) -> f64 = s.area(r) + s.scale.double(1.0) + r.widht
def h() -> f64 = s + stat.mean([1.0])
def i(x: z.T, y: scale.T, z: S.Rect) -> f64 = 1.0
def j(x: s.sides, y: [s.area]f64, z: [s.Rect]f64) -> f64 = s.Rect
def k() -> [s.sides]f64 = [1.0, 2.0]
def l(s: { x: f64 }) -> f64 = s.x + s.area
def m(x: s.Pair[i64]) -> s.Pair[f64] = x
def n(x: s.Pair, y: s.Rect[3]) -> f64 = stats.softmx([1.0])
def o() -> f64 = stats.mean([1, 2]) + stats.mean([1.0], 2.0)
def p(t: s.Triangle) -> f64 = s.corner(t)[2, 3] + sum(s.corner([[1.0, 2.0]], 0))
