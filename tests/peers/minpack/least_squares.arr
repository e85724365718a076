-- The residuals of Moré, Garbow and Hillstrom, Testing unconstrained optimization software (1981), by their numbers.

def rosenbrock_1(x: [2]f64) -> [2]f64 = [10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]]
def freudenstein_roth_2(x: [2]f64) -> [2]f64 = [
  -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1],
  -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1]
]
def powell_badly_scaled_3(x: [2]f64) -> [2]f64 =
  [1e4 * x[0] * x[1] - 1.0, exp(-x[0]) + exp(-x[1]) - 1.0001]
def brown_badly_scaled_4(x: [2]f64) -> [3]f64 = [x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2.0]
def beale_5(x: [2]f64) -> [3]f64 =
  for i < 3 => [1.5, 2.25, 2.625][i] - x[0] * (1.0 - x[1] ** (i + 1))
def jennrich_sampson_6(x: [2]f64) -> [10]f64 =
  for k < 10 => let i = f64(k + 1) in 2.0 + 2.0 * i - (exp(i * x[0]) + exp(i * x[1]))
def helical_valley_7(x: [3]f64) -> [3]f64 =
  let turn = 6.283185307179586
  let at = if x[0] > 0.0 then atan(x[1] / x[0]) / turn else atan(x[1] / x[0]) / turn + 0.5
  in [10.0 * (x[2] - 10.0 * at), 10.0 * (sqrt(x[0] ** 2 + x[1] ** 2) - 1.0), x[2]]
def bard_data =
  [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39]
def bard_8(x: [3]f64) -> [15]f64 =
  for k < 15 =>
    let (u, v) = (f64(k + 1), f64(15 - k))
    in bard_data[k] - (x[0] + u / (v * x[1] + min(u, v) * x[2]))
def gaussian_data = [0.0009, 0.0044, 0.0175, 0.054, 0.1295, 0.242, 0.3521, 0.3989]
def gaussian_9(x: [3]f64) -> [15]f64 =
  for i < 15 =>
    let t = f64(7 - i) / 2.0
    in x[0] * exp(-x[1] * (t - x[2]) ** 2 / 2.0) - gaussian_data[min(i, 14 - i)]
def meyer_data = [
  34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0, 6005.0,
  5147.0, 4427.0, 3820.0,
  3307.0, 2872.0
]
def meyer_10(x: [3]f64) -> [16]f64 =
  for i < 16 => x[0] * exp(x[1] / (50.0 + 5.0 * f64(i) + x[2])) - meyer_data[i]
def gulf_11(x: [3]f64) -> [10]f64 =
  for i < 10 =>
    let t = f64(i + 1) / 100.0
    let y = 25.0 + (-50.0 * log(t)) ** (2.0 / 3.0)
    in exp(-(abs(y - x[1]) ** x[2]) / x[0]) - t
def box_12(x: [3]f64) -> [10]f64 =
  for i < 10 =>
    let t = 0.1 * f64(i + 1) in exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (exp(-t) - exp(-10.0 * t))
def powell_singular_13(x: [4]f64) -> [4]f64 = [
  x[0] + 10.0 * x[1],
  sqrt(5.0) * (x[2] - x[3]),
  (x[1] - 2.0 * x[2]) ** 2,
  sqrt(10.0) * (x[0] - x[3]) ** 2
]
def wood_14(x: [4]f64) -> [6]f64 = [
  10.0 * (x[1] - x[0] ** 2),
  1.0 - x[0],
  sqrt(90.0) * (x[3] - x[2] ** 2),
  1.0 - x[2],
  sqrt(10.0) * (x[1] + x[3] - 2.0),
  (x[1] - x[3]) / sqrt(10.0)
]
def kowalik_y =
  [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
def kowalik_u = [4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625]
def kowalik_osborne_15(x: [4]f64) -> [11]f64 =
  kowalik_y - (for u in kowalik_u => x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3]))
def brown_dennis_16(x: [4]f64) -> [20]f64 =
  for i < 20 =>
    let t = f64(i + 1) / 5.0
    in (x[0] + t * x[1] - exp(t)) ** 2 + (x[2] + x[3] * sin(t) - cos(t)) ** 2
def osborne_data_1 = [
  0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.85, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658,
  0.628, 0.603, 0.58,
  0.558, 0.538, 0.522, 0.506, 0.49, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.42, 0.414,
  0.411, 0.406
]
def osborne_17(x: [5]f64) -> [33]f64 =
  for i < 33 =>
    let t = 10.0 * f64(i)
    in osborne_data_1[i] - (x[0] + x[1] * exp(-t * x[3]) + x[2] * exp(-t * x[4]))
def biggs_18(x: [6]f64) -> [13]f64 =
  for i < 13 =>
    let t = 0.1 * f64(i + 1)
    let y = exp(-t) - 5.0 * exp(-10.0 * t) + 3.0 * exp(-4.0 * t)
    in x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4]) - y
def osborne_data_2 = [
  1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655,
  0.616, 0.606, 0.602,
  0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.5,
  0.423, 0.395, 0.375,
  0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668,
  0.645, 0.632, 0.591,
  0.559, 0.597, 0.625, 0.739, 0.71, 0.729, 0.72, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054
]
def osborne_19(x: [11]f64) -> [65]f64 =
  for i < 65 =>
    let t = 0.1 * f64(i)
    let bells = sum(for k < 3 => x[k + 1] * exp(-((t - x[k + 8]) ** 2) * x[k + 5]))
    in osborne_data_2[i] - (x[0] * exp(-t * x[4]) + bells)
def watson_20(x: [n]f64) -> [31]f64 =
  for i < 31 =>
    if i < 29 then
      let t = f64(i + 1) / 29.0
      let slope = sum(for j < n - 1 => f64(j + 1) * x[j + 1] * t ** j)
      in slope - sum(for j < n => x[j] * t ** j) ** 2 - 1.0
    else if i == 29 then x[0]
    else x[1] - x[0] ** 2 - 1.0
def extended_rosenbrock_21(x: [2*n]f64) -> [2*n]f64 =
  for i < 2 * n => if i % 2 == 0 then 10.0 * (x[i + 1] - x[i] ** 2) else 1.0 - x[i - 1]
def extended_powell_22(x: [4*n]f64) -> [4*n]f64 =
  flatten(for i < n => powell_singular_13(x[4*i:4*i+4]))
def penalty_one_23(x: [n]f64) -> [n+1]f64 = concat(sqrt(1e-5) * (x - 1.0), [sum(x * x) - 0.25])
def penalty_two_24(x: [n]f64) -> [2*n]f64 =
  let a = sqrt(1e-5)
  in for k < 2 * n =>
    if k == 0 then x[0] - 0.2
    else if k < n then
      let y = exp(f64(k + 1) / 10.0) + exp(f64(k) / 10.0)
      in a * (exp(x[k] / 10.0) + exp(x[k - 1] / 10.0) - y)
    else if k < 2 * n - 1 then a * (exp(x[k - n + 1] / 10.0) - exp(-0.1))
    else sum(for j < n => f64(n - j) * x[j] ** 2) - 1.0
def variably_dimensioned_25(x: [n]f64) -> [n+2]f64 =
  let s = sum(for j => f64(j + 1) * (x[j] - 1.0)) in concat(x - 1.0, [s], [s * s])
def trigonometric_26(x: [n]f64) -> [n]f64 =
  let c = f64(n) - sum(cos(x)) in for i => c + f64(i + 1) * (1.0 - cos(x[i])) - sin(x[i])
def brown_almost_linear_27(x: [n]f64) -> [n]f64 =
  for i => if i < n - 1 then x[i] + sum(x) - f64(n + 1) else product(x) - 1.0
def cubes_28(x: [n]f64) -> [n]f64 = for i => (x[i] + f64(i + 1) / f64(n + 1) + 1.0) ** 3
def discrete_boundary_28(x: [n]f64) -> [n]f64 =
  let h = 1.0 / f64(n + 1)
  let y = pad(x, (1, 1), 0.0)
  let c = cubes_28(x)
  in for i < n => 2.0 * y[i + 1] - y[i] - y[i + 2] + h * h * c[i] / 2.0
def discrete_integral_29(x: [n]f64) -> [n]f64 =
  let h = 1.0 / f64(n + 1)
  let c = cubes_28(x)
  in for i =>
    let t = f64(i + 1) * h
    let before = sum(for j < i + 1 => f64(j + 1) * h * c[j])
    let after = sum(for j < n - i - 1 => (1.0 - f64(i + j + 2) * h) * c[i + 1 + j])
    in x[i] + h * ((1.0 - t) * before + t * after) / 2.0
def broyden_tridiagonal_30(x: [n]f64) -> [n]f64 =
  for i =>
    (3.0 - 2.0 * x[i]) * x[i]
      - (if i > 0 then x[i - 1] else 0.0)
      - (if i < n - 1 then 2.0 * x[i + 1] else 0.0)
      + 1.0
def broyden_banded_31(x: [n]f64) -> [n]f64 =
  for i =>
    let (lo, hi) = (max(0, i - 5), min(n - 1, i + 1))
    let near = loop s = 0.0 for k < hi - lo + 1 do
      let j = lo + k in if j == i then s else s + x[j] * (1.0 + x[j])
    in x[i] * (2.0 + 5.0 * x[i] ** 2) + 1.0 - near
def linear_full_rank_32(x: [n]f64, m: i64) -> [m]f64 =
  let s = 2.0 / f64(m) * sum(x) + 1.0 in for i < m => if i < n then x[i] - s else -s
def linear_rank_one_33(x: [n]f64, m: i64) -> [m]f64 =
  let s = sum(for j => f64(j + 1) * x[j]) in for i < m => f64(i + 1) * s - 1.0
def linear_rank_one_34(x: [n]f64, m: i64) -> [m]f64 =
  let s = sum(for j < n - 2 => f64(j + 2) * x[j + 1])
  in for i < m => if i == 0 or i == m - 1 then -1.0 else f64(i) * s - 1.0
def chebyquad_35(x: [n]f64) -> [n]f64 =
  let one = \z =>
    let (_, _, values) = loop (a, b, t) = (1.0, 2.0 * z - 1.0, zeros(n)) for i < n do
      (b, 2.0 * (2.0 * z - 1.0) * b - a, t with [i] = b)
    in values
  let means = sum(for z in x => one(z)) / f64(n)
  in for i => if i % 2 == 0 then means[i] else means[i] + 1.0 / (f64(i + 1) ** 2 - 1.0)
