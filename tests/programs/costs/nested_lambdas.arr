-- Lambdas applied in each other, twelve deep. (Exponential in the depth by CHAD's rules as printed.)
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  sum(for e in x =>
    (\a => (\b => (\c => (\d => (\g => (\h => (\k =>
             (\l => (\m => (\o => (\p => (\q => q * a)(p * b))(o * c))(m * d))(l * g))(k * h))(
            h * k0(e)
          ))(g * g))(d * d))(c * a))(b * a))(a * e))(e))
def k0(e: f64) -> f64 = 0.5 * e
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
