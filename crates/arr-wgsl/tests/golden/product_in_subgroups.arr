-- subgroup: 8
-- A matrix product on a device with subgroups: eight neighbours read a row of the left tile and hand it round.
def main(a: [128][64]f32, b: [64][256]f32) -> [128][256]f32 = a @ b
