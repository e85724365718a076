--| A loop whose iterations depend on each other in no simple way.
def main(x: [n]f32) -> f32 = loop s = 0.5f32 for i < n do sin(s) + x[i] * cos(s)
