--| The gradient of a convolution with respect to its kernel.
def energy(w: [3]f32, x: [n]f32) -> f32 =
  sum(for i < n => let y = sum(for j < 3 => if i + j < n then w[j] * x[i + j] else 0.0f32) in y * y)

def main(w: [3]f32, x: [n]f32) -> [3]f32 = grad(\v => energy(v, x))(w)
