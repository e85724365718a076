-- Folds, loops of known length, loops that only accumulate, and the one-point rule.
-- A product as a fold: a rule that divides fails on zeros; one that multiplies the others is quadratic.
def product_fold(v: [n]f64) -> f64 = loop acc = 1.0 for x in v do acc * x

-- A fold with captured variables: a polynomial by Horner's scheme.
def horner(c: [n]f64, x: f64) -> f64 = loop acc = 0.0 for a in c do acc * x + a

-- nTimes: a step that is known, n times. A Newton iteration and a recurrent network.
def newton(a: f64) -> f64 = iterate(6, \x => 0.5 * (x + a / x), 1.0)
def network(w: [n][n]f64, s0: [n]f64, xs: [t][n]f64) -> f64 =
  sum(loop s = s0 for x in xs do tanh(w @ s + x))

-- A loop whose steps add: going backwards needs no state but the first.
def accumulated(x: [n]f64) -> f64 = loop s = 0.0 for i < n do s + sin(x[i]) * x[i]
def accumulated_array(x: [n]f64, k: i64) -> [n]f64 = loop s = x for i < k do s + f64(i) * x

-- Two results of one fold, and a fold whose state is a pair.
def sum_and_product(v: [n]f64) -> (f64, f64) = loop (s, p) = (0.0, 1.0) for x in v do (s + x, p * x)

-- sum_i x[i] * [i = k]: the derivative of indexing.
def one_point(x: [n]f64, k: i64) -> f64 = sum(for i < n => x[i] * f64(i == k))

-- > value_and_grad(product_fold)([2.0, 3.0, 4.0])
-- (24.0, [12.0, 8.0, 6.0])
-- > value_and_grad(product_fold)([2.0, 0.0, 4.0])
-- (0.0, [0.0, 8.0, 0.0])
-- > value_and_grad(product_fold)([0.0, 0.0, 4.0])
-- (0.0, [0.0, 0.0, 0.0])
-- > value_and_grad(product_fold)(zeros(0))
-- (1.0, [])
-- > value_and_grad(\((c, x)) => horner(c, x))(([1.0, 2.0, 3.0], 2.0))
-- (11.0, ([4.0, 2.0, 1.0], 6.0))
-- > value_and_grad(newton)(2.0)
-- (1.414213562373095, 0.3535533905932738)
-- > value_and_grad(accumulated)([0.0])
-- (0.0, [0.0])
-- > let (y, back) = vjp(\x => accumulated_array(x, 4), [1.0, 2.0]) in (y, back([1.0, 10.0]))
-- ([7.0, 14.0], [7.0, 70.0])
-- > let (y, back) = vjp(sum_and_product, [2.0, 3.0]) in back((1.0, 10.0))
-- [31.0, 21.0]
-- > value_and_grad(\x => one_point(x, 1))([5.0, 6.0, 7.0])
-- (6.0, [0.0, 1.0, 0.0])
-- check-grad: product_fold at [2.0, 0.0, 4.0]
-- check-grad: \((c, x)) => horner(c, x) at ([1.0, 2.0, 3.0], 2.0)
-- check-grad: newton at 2.0
-- check-grad: \((w, s, xs)) => network(w, s, xs) at ([[0.1, -0.4], [0.3, 0.2]], [1.0, 0.5], [[0.3, 0.1], [-0.2, 0.6]])
-- check-grad: accumulated at [0.5, -1.0, 2.0]
-- check-grad: \x => accumulated_array(x, 4) at [1.0, 2.0]
-- check-grad: sum_and_product at [2.0, 3.0, -1.0]
-- check-grad: \x => one_point(x, 1) at [5.0, 6.0, 7.0]
