import   linalg
import "./model.arr"   as m

def tau=6.28
def short(x:f64)->f64=x*2.0
def kept(x: f64) -> f64 =
  x * 2.0
def long_definition(first_argument: [n][m]f64, second: [m]f64) -> [n]f64 = first_argument @ second + 1.0
def longer_definition(first_argument: [n][m]f64, second_argument: [m]f64, third_argument: f64) -> [n]f64 = first_argument @ second_argument
def one_line(x: f64) -> f64 = let y = x * x in y + 1.0
def two_lets(x: f64) -> f64 = let y = x * x let z = y in y + z
def chained(x: f64) -> f64 =
  let y = x * x in
  let z = y in
  y + z
def spaced(x: f64) -> f64 =

  let y = x * x

  let z = y


  let w = z

  in y + z + w

def calls(x: [n]f64) =
  let a = some_function(x, other_function(x, 1.0, 2.0), yet_another_function(x, 3.0), the_last_argument)
  let b = some_function_of_a_long_name(x, other_function_of_a_long_name(x, 1.0, 2.0), yet_another_function(x, 3.0), the_last_argument)
  let c = reduce(\(p, q) => max(p, q) + some_more_of_it(p, q), initial_value_of_reduction, some_list_of_things)
  let d = sum(for i < n => x[i] * x[i] + some_function(x[i]) * other_function(x[i]) + yet_another(x))
  let e = 0.5 * sum(for i => let y = x[i] let z = y in y * z)
  let f = grad(\q =>
    density(q, xs))(p)
  let g = for i < n => for j < n => some_function(x[i], x[j]) * other_function(x[i], x[j]) + yet_another(x)
  in a + b
def operators(a: f64, b: f64) =
  let x = (a * b) + c
  let y = (a and b) or (c and d)
  let z = (a / b) * c - (a + b)
  let w = -(a ** 2) + (-a) ** 2 - ((a))
  let v = some_long_condition(a, b) and another_long_condition(a, b) or yet_another_long_condition(a, b, c)
  let u = a + b
    + c + d
  let s = x[i+1:n-1] + x[ i + 1 ] + x[lo : f(hi)]
  let t = a with [0] = b with [1] = c
  in x
def records =
  let a = { x = 1.0, y = 2.0 }
  let b = { x = 1.0,
            y = 2.0 }
  let c = { first_field_of_it = some_function(1.0), second_field_of_it = some_function(2.0), third = 3.0 }
  let d = { a with x = 3.0 }
  in { first_field_of_it = some_function(1.0), second_field_of_it = some_function(2.0), third_field = 3.0 }
def table = [1.0, 2.0, 3.0,
             4.0, 5.0, 6.0,
             7.0, 8.0, 9.0]
def matrix = [[1.0, 0.0],
  [0.0, 1.0]]
def small = [[1.0, 0.0], [0.0, 1.0],]
def choices(x: f64) =
  if x > 1.0 then 1.0
  else if x < -1.0 then -1.0
  else x
def choice(x: f64) = if x > 1.0 then some_function_of_a_long_name(x) else some_other_function_of_a_long_name(x)
def blocks(x: [n]f64) =
  if x[0] > 1.0 then
    let y = x[0]
    let z = y
    in y + z
  else 0.0
def matched(s: Shape) = match s { Circle(r) => r, Rect(w, h) => w * h }
def cases(s: Shape) = match s {
  m.Circle(r) => let t = r * r let u = t in t * u, Rect(w, h) => w * h,
  Empty => 0.0, }
def looped(n: i64) = loop (a, b) = (0.0, 1.0) for i < n do (b, a + b)
def looped_long(x: [n]f64, steps: i64) =
  loop (q, v) = (q0, v0) for step < steps do
    let half = v + 0.5 * h * accelerations(m, q)
    in (half, v)
def numbers = [007, 1e-3f32, 2.50, 1E5]
def pick(x: [03]f64) = match 1 { 01 => - -x, -2 => x }
test   "sum"   within 1e-9=sum([1.0,2.0])==3.0
test "grad" gradient(x: [n]f64) = sum(x)
derivative f(x,y,dy)=dy
