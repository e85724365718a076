--| The gradient of a sum over pairs.
def energy(p: [n][d]f32) -> f32 =
  sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))

def main(p: [n][d]f32) -> [n][d]f32 = grad(energy)(p)
