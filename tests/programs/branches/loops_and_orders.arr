-- The same through loops, array branches and second derivatives.
def shrink(x: f64) -> f64 =
  loop y = x for i < 3 do if y > 0.5 then y - 0.5 else if y > 0.0 then sqrt(y) else y
def halted(x: [n]f64) -> f64 = loop s = 0.0 for e in x do if e > 0.0 then s + log(e) else s
def whole(x: [n]f64, take: bool) -> f64 = sum(if take then sqrt(x) else 2.0 * x)
def root(x: f64) -> f64 = if x > 0.0 then sqrt(x) else x * x
def softened(x: [n]f64) -> f64 = sum(for i => if x[i] > 0.0 then x[i] * log(x[i]) else x[i] ** 2)

-- > (grad(shrink)(1.0), jvp(shrink, 1.0, 1.0))
-- (0.7071067811865475, (0.20710678118654757, 0.7071067811865475))
-- > (grad(shrink)(0.0), jvp(shrink, 0.0, 1.0))
-- (1.0, (0.0, 1.0))
-- > (grad(halted)([2.0, 0.0, 4.0]), jvp(halted, [2.0, 0.0, 4.0], [1.0, 1.0, 1.0]).1)
-- ([0.5, 0.0, 0.25], 0.75)
-- > (grad(\x => whole(x, false))([4.0, 0.0]), jvp(\x => whole(x, false), [4.0, 0.0], [1.0, 1.0]).1)
-- ([2.0, 2.0], 4.0)
-- > (grad(grad(root))(0.0), jvp(grad(root), 0.0, 1.0), grad(grad(root))(1.0))
-- (2.0, (0.0, 2.0), -0.25)
-- > grad(\x => let (y, dy) = jvp(root, x, 1.0) in dy)(0.0)
-- 2.0
-- > jvp(grad(softened), [2.0, 0.0], [1.0, 1.0])
-- ([1.6931471805599454, 0.0], [0.5, 2.0])
-- > grad(\x => sum(grad(softened)(x)))([2.0, 0.0])
-- [0.5, 2.0]

-- Strict selection, in second order: both the zero and the infinite factor come from what was not selected.
def entropy(x: [n]f64) -> f64 = sum(select(x > 0.0, x * log(x), 0.0))

-- > grad(\x => sum(grad(entropy)(x)))([0.0, 1.0])
-- [0.0, 1.0]
-- > hessian(entropy)([0.0, 2.0])
-- [[0.0, 0.0], [0.0, 0.5]]
-- > grad(\x => jvp(entropy, x, [1.0, 1.0]).1)([0.0, 2.0])
-- [0.0, 0.5]
-- > grad(\x => sum(grad(\y => maximum(sqrt(y)))(x)))([0.0, 4.0])
-- [0.0, -0.03125]
