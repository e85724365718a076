-- Sums and products of scalars (section 2.2): reads of single elements, code that nothing uses, a linear graph, squares in two
-- spellings, a product.
-- All elements but the second: a derivative that adds one-hot vectors takes n^2 additions of zeros.
def all_but_one(x: [n]f64) -> f64 = x[0] + sum(x[2:])
def all_but_one_adjoint(x: [n]f64, dy: f64) -> [n]f64 =
  let (_, back) = vjp(all_but_one, x) in back(dy)

def unused(x: f64) -> f64 =
  let z0 = x
  let z1 = x
  let z2 = x
  let z3 = x
  in 2.0 * x

def unused_adjoint(x: f64, dy: f64) -> f64 = let (_, back) = vjp(unused, x) in back(dy)

-- Section 2.2's graph with seven edges and four inner nodes: three additions there and back.
def graph(x: f64, y: f64) -> (f64, f64) =
  let a = 2.0 * x + 3.0 * y
  let b = 4.0 * x + a
  in (8.0 * x, 5.0 * a + 6.0 * b)

def graph_adjoint(x: f64, y: f64, dz: f64, dw: f64) -> (f64, f64) =
  let (_, back) = vjp(\((x, y)) => graph(x, y), (x, y)) in back((dz, dw))

def squares(x: [n]f64) -> f64 = sum(for i < n => x[i] * x[i])
def squares_let(x: [n]f64) -> f64 = let y = for i < n => x[i] * x[i] in sum(for i < n => y[i])
def squares_adjoint(x: [n]f64, dy: f64) -> [n]f64 = let (_, back) = vjp(squares, x) in back(dy)
def squares_let_adjoint(x: [n]f64, dy: f64) -> [n]f64 =
  let (_, back) = vjp(squares_let, x) in back(dy)
def product5(x: [5]f64) -> f64 = x[0] * x[1] * x[2] * x[3] * x[4]
def product5_forward(x: [5]f64, dx: [5]f64) -> (f64, f64) = jvp(product5, x, dx)
def product5_adjoint(x: [5]f64, dy: f64) -> (f64, [5]f64) =
  let (y, back) = vjp(product5, x) in (y, back(dy))

-- > value_and_grad(all_but_one)([1.0, 2.0, 3.0, 4.0])
-- (8.0, [1.0, 0.0, 1.0, 1.0])
-- > value_and_grad(unused)(3.0)
-- (6.0, 2.0)
-- > (graph(1.0, 10.0), graph_adjoint(1.0, 10.0, 1.0, 1.0))
-- ((8.0, 376.0), (54.0, 33.0))
-- > value_and_grad(squares)([1.0, 2.0, 3.0])
-- (14.0, [2.0, 4.0, 6.0])
-- > value_and_grad(squares_let)([1.0, 2.0, 3.0])
-- (14.0, [2.0, 4.0, 6.0])
-- > product5_adjoint([1.0, 2.0, 3.0, 4.0, 5.0], 1.0)
-- (120.0, [120.0, 60.0, 40.0, 30.0, 24.0])
-- > product5_forward([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 0.0, 0.0, 0.0, 1.0])
-- (120.0, 144.0)
-- check-grad: all_but_one at [1.0, 2.0, 3.0, 4.0]
-- check-grad: \((x, y)) => graph(x, y) at (1.0, 10.0)
-- check-grad: squares_let at [1.0, 2.0, 3.0]
-- check-grad: product5 at [1.0, 2.0, 3.0, 4.0, 5.0]
-- operations: all_but_one x=[16] is 14 (paper 14)
-- operations: all_but_one_adjoint x=[16] dy=[] is 0 (paper 0)
-- operations: unused x=[] is 1 (paper 1)
-- operations: unused_adjoint x=[] dy=[] is 1 (paper 1)
-- operations: graph x=[] y=[] is 9 (paper 9)
-- operations: graph_adjoint x=[] y=[] dz=[] dw=[] is 9 (paper 9)
-- operations: squares x=[7] is 13 (paper 13)
-- operations: squares_let x=[7] is 13 (paper 13)
-- operations: squares_adjoint x=[7] dy=[] is 14 (paper 21)
-- operations: squares_let_adjoint x=[7] dy=[] is 14 (paper 21)
-- operations: product5 x=[5] is 4 (paper 4)
-- operations: product5_adjoint x=[5] dy=[] is 12 (paper 12)
-- operations: product5_forward x=[5] dx=[5] is 16 (paper 16)
