-- entry: gradient
--| The gradient through a chain of small matrices: the states of the loop are kept, and read backwards.
def end(w: [d][d]f32, x: [d]f32, steps: i64) -> f32 =
  let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
  in sum(last)

def gradient(w: [d][d]f32, x: [d]f32, steps: i64) -> ([d][d]f32, [d]f32) =
  grad(\((w, x)) => end(w, x, steps))((w, x))
