-- Derivatives as linear maps: what is written with compositions, pairs and transposes in the notes is a property of
-- pushforwards and pullbacks here.
def f(x: [n]f64) -> (f64, [n]f64) = (sum(sin(x)), x * x)
def g(p: (f64, [n]f64)) -> [n]f64 = p.0 * p.1
def x = [0.5, -1.0, 2.0]
def d = [1.0, 10.0, 100.0]
def forward(v: [3]f64) -> [3]f64 = let (_, push) = linearize(\x => g(f(x)), x) in push(v)
def backward(w: [3]f64) -> [3]f64 = let (_, back) = vjp(\x => g(f(x)), x) in back(w)

-- D(g . f) = D g at f(x) after D f.
def composed(v: [3]f64) -> [3]f64 =
  let (y, push_f) = linearize(f, x)
  let (_, push_g) = linearize(g, y)
  in push_g(push_f(v))

-- The transpose of a composition is that of the transposes, in the other order.
def composed_back(w: [3]f64) -> [3]f64 =
  let (y, back_f) = vjp(f, x)
  let (_, back_g) = vjp(g, y)
  in back_f(back_g(w))

def apart(a: [n]f64, b: [n]f64) -> bool = maximum(abs(a - b)) < 1e-12

-- > (apart(forward(d), composed(d)), apart(backward(d), composed_back(d)))
-- (true, true)
-- > abs(forward(d) @ x - d @ backward(x)) < 1e-10
-- true
-- > (forward(zeros(3)), backward(zeros(3)))
-- ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
-- > (apart(forward(d + x), forward(d) + forward(x)), apart(backward(2.0 * d), 2.0 * backward(d)))
-- (true, true)
-- > apart(forward(d), jacfwd(\x => g(f(x)))(x) @ d)
-- true
-- > apart(backward(d), d @ jacrev(\x => g(f(x)))(x))
-- true
-- check-grad: f at x
-- check-grad: \x => g(f(x)) at x
