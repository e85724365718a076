-- Sizes that a definition computes, named in the type of its result.
import arrays

type Bag[k] = { items: [k]f64, total: f64 }

def above(x: [n]f64, least: f64) -> [?k]f64 = arrays.filter(\v => v > least, x)
-- > above([1.0, -2.0, 3.0], 0.0)
-- [1.0, 3.0]
-- > above([1.0, -2.0, 3.0], 9.0)
-- []

-- One name is one length: what is read together needs no check.
def with_places(x: [n]f64) -> ([?k]f64, [?k]i64) =
  let is = arrays.nonzero(for v in x => v > 0.0)
  in (gather(x, is), is)
def weighted(x: [n]f64) -> f64 =
  let (y, is) = with_places(x)
  in sum(for i => y[i] ** 2 * f64(1 + is[i]))
-- > weighted([1.0, -2.0, 3.0])
-- 28.0
-- check-grad: weighted at [1.0, -2.0, 3.0]

def two(x: [n]f64) -> ([?k]f64, [?l]f64) = (above(x, 0.0), above(-x, 0.0))
-- > two([1.0, -2.0, 3.0])
-- ([1.0, 3.0], [2.0])

-- In polynomials, in a row of a table, in a named type.
def one_more(x: [n]f64) -> [?k+1]f64 = concat(above(x, 0.0), [sum(x)])
def without_last(x: [n+1]f64) -> [n]f64 = x[:n]
def chain(x: [n]f64) -> f64 = product(without_last(one_more(x))) * sum(one_more(x))
-- > chain([1.0, -2.0, 3.0])
-- 18.0
-- check-grad: chain at [1.0, -2.0, 3.0]

def table(x: [n]f64) -> [?k][n]f64 = for v in above(x, 0.0) => v * x
-- > table([1.0, -2.0, 3.0])
-- [[1.0, -2.0, 3.0], [3.0, -6.0, 9.0]]
-- check-grad: \x => sum(flatten(table(x))) at [1.0, -2.0, 3.0]

def bag(x: [n]f64) -> Bag[?k] = let y = above(x, 0.0) in { items = y, total = sum(y) }
def spread(x: [n]f64) -> f64 =
  let b = bag(x) in sum((b.items - b.total / f64(length(b.items))) ** 2)
-- > spread([1.0, -2.0, 3.0])
-- 2.0
-- check-grad: spread at [1.0, -2.0, 3.0]

-- A size that could be said may be kept to the definition.
def doubled(x: [n]f64) -> [?k]f64 = concat(x, x)
-- > sum(doubled([1.0, 2.0]))
-- 6.0

def chosen[t: any](x: [n]t, mask: [n]bool) -> [?k]t = gather(x, arrays.nonzero(mask))
-- > (chosen([1, 2, 3], [true, false, true]), chosen([0.5f32, 1.5f32], [false, true]), chosen([true], [false]))
-- ([1, 3], [1.5], [])

-- The derivative of a computation that fixes a size by its values, in other modes.
def second(x: [n]f64) -> [n][n]f64 = hessian(weighted)(x)
-- > second([1.0, -2.0, 3.0])
-- [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 6.0]]
def forward(x: [n]f64, dx: [n]f64) -> (f64, f64) = jvp(weighted, x, dx)
-- > forward([1.0, -2.0, 3.0], [0.5, 7.0, 0.25])
-- (28.0, 5.5)
