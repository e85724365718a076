-- Element types from what is made of a value: at the start of a loop, and in a `let`.

def squares(n: i64) -> [n]i64 = loop c = zeros(n) for i < n do c with [i] = i * i
def nested(n: i64) =
  loop c = zeros(n, n) for i < n do loop d = c for j < n do d with [i, j] = i + j
def total(xs: [n]f64) = loop s = 0 for x in xs do s + x
def parts(xs: [n]f32) = loop (k, s) = (0, zeros(2)) for x in xs do (k + 1, s + x)
def record(xs: [n]f32) =
  loop r = { count = 0, sum = 0 } for x in xs do { count = r.count + 1, sum = r.sum + x }
def choice(xs: [n]f32) = loop best = 0 for x in xs do if x > best then x else best
def steps(x: f32) = loop y = 1 while y < x do 2 * y

-- > squares(4)
-- [0, 1, 4, 9]
-- > nested(2)
-- [[0, 1], [1, 2]]
-- > total([1.0, 2.5])
-- 3.5
-- > grad(total)([1.0, 2.5])
-- [1.0, 1.0]
-- > parts([1.5, 2.0])
-- (2, [3.5, 3.5])
-- > record([1.5, 2.0])
-- {count = 2, sum = 3.5}
-- > choice([1.5, 0.5])
-- 1.5
-- > steps(5.0)
-- 8.0

def operand(xs: [n]i32) = let c = zeros(n) in c + xs
def written(n: i64) = let c = zeros(n) in c with [0] = n
def given(n: i64) = let c = ones(n) in sum(squares_of(c))
def squares_of(a: [n]i64) -> [n]i64 = a * a
def begun(n: i64) =
  let c = zeros(n)
  in loop c = c for i < n do c with [i] = 2 * i
def any_float[t: float](x: [n]t) = let start = 0 in loop sum = start for v in x do sum + v * v
-- A name that hides another says nothing about it.
def hidden(x: f32, y: [n]f64) = (x, let c = zeros(n) in (\x => c + x)(y))
def numbers() = let c = zeros(2) in c

-- > operand([1, 2])
-- [1, 2]
-- > written(2)
-- [2, 0]
-- > given(3)
-- 3
-- > begun(3)
-- [0, 2, 4]
-- > any_float([1.5f32])
-- 2.25
-- > hidden(1.5, [1.0])
-- (1.5, [1.0])
-- > numbers()
-- [0.0, 0.0]

-- Numbers with a point, and functions of floats, where nothing else decides.
def root[t: float](x: t) -> t = sqrt(x)
def first(n: i64) = let z = zeros(3) with [0] = n in z

-- > loop (k, s) = (0, 0) for i < 3 do (k + 1, s + 0.5)
-- (3, 1.5)
-- > let n = 2 in (n * 2.5, [n, 0.5])
-- (5.0, [2.0, 0.5])
-- > let n = 2 in (iota(n), sum(for i < n => 0.5))
-- ([0, 1], 1.0)
-- > (root(4), root(4) * 1.5f32, max(1, sqrt(4)), 4 ** 0.5)
-- (2.0, 3.0, 2.0, 2.0)
-- > first(7)
-- [7, 0, 0]
