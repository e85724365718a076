-- ends loops: 65535
-- A device that ends loops without a word: kernels with loops find out at their end. Long sums have a workgroup each, however
-- many there are.
def main(x: [m][n]f32, y: [m]f32) -> ([m]f32, [m]f32, [m]f32) = (
  for row in x => sum(for v in row => v * v),
  for v in y => loop r = v while r > 1.0f32 do 0.5f32 * r,
  2.0f32 * y
)
