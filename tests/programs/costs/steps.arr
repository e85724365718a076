-- A loop over a whole array, its states kept for the way back.
-- cost: x=[N] sizes 16 32 64 128 factor 4
def f(x: [n]f64) -> f64 = sum(loop y = x for k < 10 do y + 0.1 * sin(y))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
