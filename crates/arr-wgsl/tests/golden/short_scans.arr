--| Short scans, one of which reads what the other wrote through another reference: they are not one kernel.
def chain(x: f32, r: [n]f32) -> f32 = loop y = x for s in r do s * y
def main(r: [4]f32) -> [4]f32 = grad(\r => chain(1.5, r))(r)
