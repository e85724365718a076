-- Scalar expressions with branches, as maps. The points where the branches meet are left out.
def pi = 3.141592653589793
def cond_0(a: [n]f64) -> f64 = sum(map(\x => if x > 0.0 then x else 2.0 * x, a))
def cond_1(a: [n]f64) -> f64 =
  sum(map(\x => 2.0 * (if x > 0.0 then sin(x * x) else x * x * exp(x)), a))
def fmod(u: f64, v: f64) -> f64 = u - floor(u / v) * v

-- Both branches have one value and one slope at every switch.
def cond_2(a: [n]f64) -> f64 =
  sum(
    map(
      \x =>
        let y =
          if fmod(x, 2.0 * pi) < pi then sin(x)
          else pi / 12.0 * ((2.0 - 2.0 / pi * fmod(x - pi / 2.0, 2.0 * pi)) ** 6 - 1.0)
        in y * y,
      a
    )
  )

def cond_3a(a: [n]f64) -> f64 =
  sum(
    map(
      \x =>
        let u = 2.0 * x
        let v = if x <= 2.0 then u + 1.0 else 2.0 * u - 1.0
        in u * v,
      a
    )
  )

def cond_3b(a: [n]f64) -> f64 =
  sum(
    map(
      \x =>
        let u = 2.0 * x
        let v = if x <= 2.0 then u + 1.0 else 2.0 * u - 1.0
        in v * u,
      a
    )
  )

def cond_4(a: [n]f64) -> f64 =
  sum(
    map(
      \x =>
        let u = if x >= 1.0 then log(x) + 1.0 else if x - 2.0 < -3.0 then exp(x + 1.0) - 2.0 else x
        let y = 2.0 * exp(u)
        in u * (if u < -1.0 then u + y else y),
      a
    )
  )

def ignore_argument(a: [n]f64) -> f64 = sum(map(\_x => 42.0, a))

-- > value_and_grad(cond_0)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (1.4000000000000001, [1.0, 2.0, 1.0, 1.0, 1.0, 2.0])
-- check-grad: cond_0 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(cond_1)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (-0.3104789909312017, [2.4705320041083403, -0.49600786332190294, 1.1199315866909019, 1.5795636534010031, -6.781392205613719, -0.9220035486379644])
-- check-grad: cond_1 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(cond_2)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (2.245461784922646, [0.9854497299884603, -7.972631331012502e-05, -0.951602073889516, 0.7173560908995228, -0.6118578909427189, -0.0445798277397154])
-- check-grad: cond_2 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(cond_2)([4.5, -0.2, 3.75])
-- (0.1513827186790601, [2.3662274241922226e-05, -0.14795808449358605, 0.04281069237395816])
-- check-grad: cond_2 at [4.5, -0.2, 3.75]
-- > value_and_grad(cond_3a)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (61.76, [7.6, -8.4, 33.2, 5.2, 17.2, -2.8])
-- check-grad: cond_3a at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(cond_3b)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (61.76, [7.6, -8.4, 33.2, 5.2, 17.2, -2.8])
-- check-grad: cond_3b at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(cond_4)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (42.574968695221635, [6.8467592053996205, -1.9746656549041355, 15.159625944222142, 4.177109153395557, 14.362606824452662, 0.4390493088752211])
-- check-grad: cond_4 at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
-- > value_and_grad(ignore_argument)([0.7, -1.3, 2.2, 0.4, 1.9, -0.6])
-- (252.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
-- check-grad: ignore_argument at [0.7, -1.3, 2.2, 0.4, 1.9, -0.6]
