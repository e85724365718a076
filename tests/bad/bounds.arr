-- Type parameters used with types that their bounds do not allow.
def dot[t: float](x: [n]t, y: [n]t) -> t = sum(x * y)
def twice[t: num](x: t) -> t = x + x
def f(x: [n]i64) -> i64 = dot(x, x)
def g(b: bool) -> bool = twice(b)
def h[t: any](x: t) -> t = x + x
