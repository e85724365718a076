-- Functions of numbers, each over its domain.

def absolute(x: [n]f64) -> [n]f64 = abs(x)
def arc_cosine(x: [n]f64) -> [n]f64 = acos(x)
def arc_sine(x: [n]f64) -> [n]f64 = asin(x)
def arc_tangent(x: [n]f64) -> [n]f64 = atan(x)
def arc_tangent_of_two(y: [n]f64, x: [n]f64) -> [n]f64 = atan2(y, x)
def hyperbolic_arc_sine(x: [n]f64) -> [n]f64 =
  for v in x => sign(v) * log1p(abs(v) + v * v / (1.0 + sqrt(1.0 + v * v)))
def hyperbolic_arc_cosine(x: [n]f64) -> [n]f64 = for v in x => log(v + sqrt((v - 1.0) * (v + 1.0)))
def hyperbolic_arc_tangent(x: [n]f64) -> [n]f64 = 0.5 * (log1p(x) - log1p(-x))
def cosine(x: [n]f64) -> [n]f64 = cos(x)
def hyperbolic_cosine(x: [n]f64) -> [n]f64 = cosh(x)
def digamma_of(x: [n]f64) -> [n]f64 = digamma(x)
def error_function(x: [n]f64) -> [n]f64 = erf(x)
def exponential(x: [n]f64) -> [n]f64 = exp(x)
def exponential_less_one(x: [n]f64) -> [n]f64 = expm1(x)
def steps(x: [n]f64) -> [n]f64 = floor(x) * x + ceil(x) + round(x) * x * x + sign(x)
def log_gamma(x: [n]f64) -> [n]f64 = lgamma(x)
def logarithm(x: [n]f64) -> [n]f64 = log(x)
def logarithm_of_one_more(x: [n]f64) -> [n]f64 = log1p(x)
def logistic(x: [n]f64) -> [n]f64 = sigmoid(x)
def greater(x: [n]f64, y: [n]f64) -> [n]f64 = max(x, y) * y
def lesser(x: [n]f64, y: [n]f64) -> [n]f64 = min(x, y) * y
def trigamma(x: [n]f64) -> [n]f64 = polygamma(1, x)
def tetragamma(x: [n]f64) -> [n]f64 = polygamma(2, x)
def power(x: [n]f64, p: [n]f64) -> [n]f64 = x ** p
def whole_power(x: [n]f64) -> [n]f64 = x ** 3 + x ** -2
def squares(x: [n]f64) -> [n]f64 = x ** 2 + x ** 1 + x ** 0
def reciprocal_root(x: [n]f64) -> [n]f64 = 1.0 / sqrt(x)
def remainder(x: [n]f64, y: [n]f64) -> [n]f64 = x % y
def quotient(x: [n]f64, y: [n]f64) -> [n]f64 = x / y
def sine(x: [n]f64) -> [n]f64 = sin(x)
def hyperbolic_sine(x: [n]f64) -> [n]f64 = sinh(x)
def soft_plus(x: [n]f64) -> [n]f64 = softplus(x)
def root(x: [n]f64) -> [n]f64 = sqrt(x)
def cube_root(x: [n]f64) -> [n]f64 = for v in x => sign(v) * abs(v) ** (1.0 / 3.0)
def tangent(x: [n]f64) -> [n]f64 = tan(x)
def hyperbolic_tangent(x: [n]f64) -> [n]f64 = tanh(x)
def sinc(x: [n]f64) -> [n]f64 =
  for v in x => let p = 3.141592653589793 * v in if v == 0.0 then 1.0 else sin(p) / p
def clamped(x: [n]f64, lo: f64, hi: f64) -> [n]f64 = min(max(x, lo), hi)
def chosen(x: [n]f64, y: [n]f64) -> [n]f64 = select(x > y, x * y, sqrt(y))
def entropy(x: [n]f64) -> [n]f64 = for v in x => if v > 0.0 then -v * log(v) else 0.0
def difference_of_logarithms(x: [n]f64) -> [n]f64 =
  log(1.0 + exp(x)) - softplus(x) + log1p(exp(-abs(x)))
def length_of_two(x: [n]f64, y: [n]f64) -> [n]f64 = sqrt(x * x + y * y)

--| In numbers of 32 bits.
def in_f32(x: [n]f32) -> [n]f32 = sin(x) * exp(x) + tanh(x) / (1.5 + x * x)
def roots_in_f32(x: [n]f32, y: [n]f32) -> [n]f32 = sqrt(x) * log(y) + x ** y
def sum_in_f32(x: [n]f32) -> f32 = sum(x * x) * product(x) + maximum(x)
def mixed_widths(x: [n]f32, y: [n]f64) -> [n]f64 = for i => f64(x[i]) * y[i] + f64(f32(y[i]) * x[i])
