-- The four programs of figures 1 and 2, with the derivatives of figures 1(c), 1(d), 2(c) and 2(d) written out beside them.
-- Figure 1(a): forward mode, first order.
def fig1a(x: f64) -> (f64, f64, f64) =
  let y = 2.0 * x
  let z = x * y
  let w = cos(z)
  in (y, z, w)

def fig1c(x: f64, dx: f64) -> (f64, f64, f64) =
  let y = 2.0 * x
  let z = x * y
  let dy = 2.0 * dx
  let dz = dx * y + x * dy
  in (dy, dz, -sin(z) * dz)

-- Figure 1(b): reverse mode, first order. x4 is used twice: its cotangent is a sum.
def fig1b(x1: f64, x2: f64, x3: f64, x4: f64) -> f64 =
  let y = x1 * x4 + 2.0 * x2
  let z = y * x3
  let w = z + x4
  in sin(w)

def fig1d(x1: f64, x2: f64, x3: f64, x4: f64) -> (f64, f64, f64, f64) =
  let y = x1 * x4 + 2.0 * x2
  let dw = cos(y * x3 + x4)
  let dy = x3 * dw
  in (dy * x4, 2.0 * dy, y * dw, x1 * dy + dw)

-- Figure 2(a): a closure over `x` that a map applies.
def fig2a(x: f64, n: i64) -> [n]f64 =
  let f = \z => x * z + 1.0
  let zs = replicate(n, x)
  in map(f, zs)

def fig2c(x: f64, n: i64, dx: f64) -> [n]f64 = replicate(n, dx * x) + replicate(n, x * dx)

-- Figure 2(b): a closure over `x1`, in reverse mode: its cotangent is the sum over the map.
def fig2b(x1: f64, x2: [n]f64) -> f64 = let f = \x => x1 * x in sum(map(f, x2))
def fig2d(x1: f64, x2: [n]f64, dw: f64) -> (f64, [n]f64) =
  (sum(map(\x => dw * x, x2)), map(\_x => x1 * dw, x2))

-- > jvp(fig1a, 0.5, 1.0)
-- ((1.0, 0.5, 0.8775825618903728), (2.0, 2.0, -0.958851077208406))
-- > fig1c(0.5, 1.0)
-- (2.0, 2.0, -0.958851077208406)
-- > let (y, back) = vjp(fig1a, 0.5) in back((1.0, 1.0, 1.0))
-- 3.041148922791594
-- > value_and_grad(\((a, b, c, d)) => fig1b(a, b, c, d))((0.1, 0.2, 0.3, 0.4))
-- (0.5072579431291219, (0.10341531346713957, 0.5170765673356978, 0.37918948271284514, 0.8876481072596146))
-- > fig1d(0.1, 0.2, 0.3, 0.4)
-- (0.10341531346713957, 0.5170765673356978, 0.37918948271284514, 0.8876481072596146)
-- > jvp(\x => fig2a(x, 4), 1.5, 1.0)
-- ([3.25, 3.25, 3.25, 3.25], [3.0, 3.0, 3.0, 3.0])
-- > fig2c(1.5, 4, 1.0)
-- [3.0, 3.0, 3.0, 3.0]
-- > let (y, back) = vjp(\x => fig2a(x, 4), 1.5) in back([1.0, 2.0, 3.0, 4.0])
-- 30.0
-- > value_and_grad(\((a, b)) => fig2b(a, b))((2.0, [1.0, 2.0, 3.0, 4.0, 5.0]))
-- (30.0, (15.0, [2.0, 2.0, 2.0, 2.0, 2.0]))
-- > let (y, back) = vjp(\((a, b)) => fig2b(a, b), (2.0, [1.0, 2.0, 3.0, 4.0, 5.0])) in back(10.0)
-- (150.0, [20.0, 20.0, 20.0, 20.0, 20.0])
-- > fig2d(2.0, [1.0, 2.0, 3.0, 4.0, 5.0], 10.0)
-- (150.0, [20.0, 20.0, 20.0, 20.0, 20.0])
-- > jvp(\x => fig2b(x, [1.0, 2.0, 3.0, 4.0, 5.0]), 2.0, 1.0)
-- (30.0, 15.0)
-- check-grad: fig1a at 0.5
-- check-grad: \((a, b, c, d)) => fig1b(a, b, c, d) at (0.1, 0.2, 0.3, 0.4)
-- check-grad: \x => fig2a(x, 4) at 1.5
-- check-grad: \((a, b)) => fig2b(a, b) at (2.0, [1.0, 2.0, 3.0, 4.0, 5.0])
