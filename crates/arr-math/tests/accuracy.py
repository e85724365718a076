# Reference values: `function x [y] high low`, doubles as hexadecimal bits; high + low is the value to 100 bits.
import struct, sys, random
from mpmath import mp, mpf
mp.prec = 220
def bits(x): return "%016x" % struct.unpack(">Q", struct.pack(">d", x))[0]
def ranges():
    u = random.uniform
    wide = lambda lo, hi: lambda: 10 ** u(lo, hi)
    sym = lambda f: lambda: random.choice([-1, 1]) * f()
    return {
        "exp": [lambda: u(-745, 709), lambda: u(-1, 1), sym(wide(-18, 0)), lambda: u(-0.35, 0.35)],
        "expm1": [lambda: u(-40, 709), lambda: u(-1, 1), sym(wide(-18, 0)), lambda: u(-0.7, 0.7)],
        "log": [wide(-307, 308), lambda: u(0.5, 2), lambda: 1 + random.choice([-1, 1]) * 10 ** u(-15, -1), lambda: 5e-324 * 2 ** u(0, 50)],
        "log1p": [lambda: u(-0.999, 3), sym(wide(-18, -0.5)), wide(-2, 300)],
        "sin": [lambda: u(-10, 10), lambda: u(-1e5, 1e5), lambda: u(-1e12, 1e12), sym(wide(-12, 0))],
        "cos": [lambda: u(-10, 10), lambda: u(-1e5, 1e5), lambda: u(-1e12, 1e12), sym(wide(-12, 0))],
        "tanh": [lambda: u(-22, 22), lambda: u(-1, 1), sym(wide(-18, 0))],
        "sigmoid": [lambda: u(-700, 40), lambda: u(-5, 5)],
        "softplus": [lambda: u(-700, 700), lambda: u(-5, 5)],
        "tan": [lambda: u(-10, 10), lambda: u(-1e5, 1e5), lambda: u(-1e12, 1e12), sym(wide(-12, 0))],
        "asin": [lambda: u(-1, 1), lambda: u(-0.5, 0.5), sym(wide(-12, 0)), sym(lambda: 1 - 10 ** u(-15, -1))],
        "acos": [lambda: u(-1, 1), lambda: u(-0.5, 0.5), sym(wide(-12, 0)), sym(lambda: 1 - 10 ** u(-15, -1))],
        "atan": [lambda: u(-3, 3), sym(wide(-12, 0)), sym(wide(-1, 12))],
        "sinh": [lambda: u(-710, 710), lambda: u(-2, 2), sym(wide(-12, 0))],
        "cosh": [lambda: u(-710, 710), lambda: u(-2, 2)],
        "erf": [lambda: u(-6, 6), lambda: u(-1.2, 1.2), sym(wide(-12, 0))],
    }
F = {"exp": mp.exp, "expm1": mp.expm1, "log": mp.log, "log1p": mp.log1p, "sin": mp.sin, "cos": mp.cos, "tanh": mp.tanh,
     "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh, "erf": mp.erf,
     "sigmoid": lambda x: 1 / (1 + mp.exp(-x)), "softplus": lambda x: mp.log1p(mp.exp(x))}
def emit(name, args, v):
    hi = float(v); lo = float(v - mpf(hi))
    print(name, *map(bits, args), bits(hi), bits(lo))
n = int(sys.argv[1]); random.seed(7)
for name, rs in ranges().items():
    for r in rs:
        for _ in range(n):
            x = r(); emit(name, [x], F[name](mpf(x)))
for _ in range(2 * n):
    x = 10 ** random.uniform(-30, 30); y = random.uniform(-10, 10); emit("pow", [x, y], mp.power(mpf(x), mpf(y)))
    x = random.uniform(0, 3); y = random.uniform(-100, 100)
    v = mp.power(mpf(x), mpf(y))
    if mpf("1e-290") < v < mpf("1e300"): emit("pow", [x, y], v)
