-- Names with letters of all scripts, and numbers with `_` and other bases.

type Точка = { x: f64, größe': f64 }
def ψ(α: [n]f64, x₁: f64) -> f64 = sum(x₁ * α ** 2)
def 重さ(p: Точка) -> f64 = p.größe' * ψ([p.x], 3.0)

-- > ψ([1.0, 2.0], 2.0)
-- 10.0
-- > 重さ({ x = 1.0, größe' = 2.0 })
-- 6.0
-- > grad(重さ)({ x = 1.0, größe' = 2.0 })
-- {x = 12.0, größe' = 3.0}

def numbers() -> (i64, f64, u32, i32, i64) =
  (1_000_000, 1_0.5e0_1, 0xFFFF_FFFFu32, 0b1010i32, -0o17)

-- > numbers()
-- (1000000, 105.0, 4294967295, 10, -15)
-- > match 16 { 0x10 => true, _ => false }
-- true
