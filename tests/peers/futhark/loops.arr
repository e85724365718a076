-- Loops: with numbers, tuples and arrays as their states, that end early, that nest, that branch.

def power(x: f64, n: i64) -> f64 = loop y = 1.0 for i < n do y * x

def newton_root(a: f64) -> f64 = loop x = a while abs(x * x - a) > 1e-14 * a do 0.5 * (x + a / x)

def logistic_map(x: f64, r: f64, n: i64) -> f64 = loop y = x for i < n do r * y * (1.0 - y)

def swapped(x: [n]f64, y: [n]f64, k: i64) -> ([n]f64, [n]f64) =
  loop (a, b) = (x, y) for i < k do (b, a * b + x)

def three_states(x: f64, n: i64) -> (f64, f64, f64) =
  loop (a, b, c) = (x, 1.0, x * x) for i < n do (b * c, c + a, a * sin(b))

--| Every step depends on the step before, through the array.
def true_dependence(x: [n]f64) -> [n]f64 =
  loop y = x for i < n - 1 do y with [i + 1] = y[i + 1] * y[i] + sin(y[i])

--| No step depends on another.
def false_dependence(x: [n]f64) -> [n]f64 =
  let (_, y) = loop (t, y) = (0.0, x) for i < n do
    let t = y[i] * y[i] in (t, y with [i] = t * x[n - 1 - i])
  in y

def two_arrays(x: [n]f64, y: [n]f64) -> ([n]f64, [n]f64) =
  loop (a, b) = (x, y) for i < n do (a with [i] = b[i] * a[0], b with [n - 1 - i] = a[i] + b[0])

def nested(x: [n]f64, k: i64) -> f64 =
  loop s = 0.1 for i < k do loop t = s for v in x do t * v + sin(s)

def triangular(a: [n][n]f64) -> f64 =
  loop s = 1.0 for i < n do loop t = s for j < i do t * a[i, j] + s

def branches(x: [n]f64) -> f64 =
  loop s = 0.5 for v in x do
    if s * v > 0.0 then s + v * v else if s < -1.0 then cos(s) * v else s * v - 0.25

def loop_in_a_branch(x: [n]f64, k: i64) -> [n]f64 =
  for v in x => if v > 0.0 then loop y = v for i < k do y * v + 0.5 else exp(v)

--| Each point takes a number of steps of its own.
def uneven(x: [n]f64) -> [n]f64 = for i => loop y = x[i] for j < i do y * y + x[j]

def while_in_a_map(x: [n]f64) -> [n]f64 =
  for v in x => loop y = v while y < 4.0 do y * y + 0.5 * v + 1.0

def while_with_an_array(x: [n]f64) -> [n]f64 =
  let (y, _) =
    loop (y, i) = (x, 0) while i < n and y[i] < 2.0 do (y with [0] = y[0] + y[i] * y[i], i + 1)
  in y

def over_rows(a: [n][m]f64) -> [m]f64 = loop s = ones(m) for row in a do s * row + sum(s)

def matrix_power(a: [n][n]f64, k: i64) -> [n][n]f64 = loop p = a for i < k do p @ a

def power_method(a: [n][n]f64, k: i64) -> f64 =
  let v = loop v = ones(n) for i < k do let w = a @ v in w / sqrt(sum(w * w))
  in v @ (a @ v)

def recurrent(w: [d][d]f64, u: [d][m]f64, xs: [n][m]f64) -> [d]f64 =
  loop h = zeros(d) for x in xs do tanh(w @ h + u @ x)

def history(x: f64, n: i64) -> [n]f64 =
  let (_, ys) = loop (y, ys) = (x, zeros(n)) for i < n do
    let z = sin(y) + 0.1 * y * y
    in (z, ys with [i] = z)
  in ys

def iterated(x: [n]f64, k: i64) -> [n]f64 = iterate(k, \y => cos(y) * x, x)

--| A minimum that gradient descent finds, differentiated.
def descent(a: [n]f64, x: [n]f64, k: i64) -> f64 =
  let cost = \x => sum((x - a) ** 2 + 0.1 * x ** 4)
  in cost(loop y = x for i < k do y - 0.1 * grad(cost)(y))

--| A loop that is not entered.
def no_steps(x: [n]f64) -> [n]f64 = loop y = x for i < 0 do y * y

def continued_fraction(x: [n]f64) -> f64 = loop y = 1.0 for v in reverse(x) do v + 1.0 / y

def horner(c: [n]f64, x: f64) -> f64 = loop y = 0.0 for v in c do y * x + v

def heat(x: [n]f64, k: i64) -> [n]f64 =
  loop u = x for t < k do
    for i => 0.25 * u[max(i - 1, 0)] + 0.5 * u[i] * u[i] + 0.25 * u[min(i + 1, n - 1)]

def lu_in_place(a: [n][n]f64) -> [n][n]f64 =
  loop a = a for k < n do
    loop a = a for i < n - k - 1 do
      let r = i + k + 1
      let f = a[r, k] / a[k, k]
      let a = loop a = a for j < n - k - 1 do
        a with [r, k + 1 + j] = a[r, k + 1 + j] - f * a[k, k + 1 + j]
      in a with [r, k] = f
