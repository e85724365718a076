-- Type parameters, size parameters, functions as arguments.
def dot[t: num](x: [n]t, y: [n]t) -> t = sum(x * y)
def second[t: any](x: [n]t) -> t = x[1]
def norm[t: float](x: [n]t) -> t = sqrt(dot(x, x))
def compose(f: f64 -> f64, g: f64 -> f64, x: f64) -> f64 = f(g(x))
def fold(f: (f64, f64) -> f64, x: [n]f64, z: f64) -> f64 = loop s = z for e in x do f(s, e)
def each(f: [m]f64 -> f64, a: [n][m]f64) -> [n]f64 = for row in a => f(row)
def derivative_of(f: f64 -> f64, x: f64) -> f64 = grad(f)(x)
type Wrapped[n, t: float] = { inside: [n]t }
def unwrap[t: float](w: Wrapped[n, t]) -> [n]t = w.inside

-- > dot([1i32, 2], [3, 4])
-- 11
-- > dot([1u32, 2], [3, 4])
-- 11
-- > second([true, false])
-- false
-- > norm([3.0f32, 4.0])
-- 5.0
-- > compose(sqrt, \x => x * x, -3.0)
-- 3.0
-- > fold(\(s, e) => s - e, [1.0, 2.0], 10.0)
-- 7.0
-- > fold((*), [2.0, 3.0], 1.0)
-- 6.0
-- > each(sum, [[1.0, 2.0], [3.0, 4.0]])
-- [3.0, 7.0]
-- > each(\r => maximum(r) - minimum(r), [[1.0, 5.0], [3.0, 4.0]])
-- [4.0, 1.0]
-- > derivative_of(\x => x ** 3, 2.0)
-- 12.0
-- > derivative_of(exp, 0.0)
-- 1.0
-- > unwrap({ inside = [1.0, 2.0] })
-- [1.0, 2.0]
