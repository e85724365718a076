--| What programs show while they run.

def fit(w: [n]f64) -> [n]f64 =
  loop v = w for i < 3 do
    let _loss = trace("loss", sum(v * v))
    in v - 0.5 * v

def squares(x: [n]f64) -> [n]f64 = for i => trace("square", x[i] ** 2)

def rows(x: [n][m]f64) -> [n]f64 = for row in x => sum(trace("row", row))

def positive(x: [n]f64) -> [n]f64 = for a in x => if a > 0.0 then trace("positive", a) else 0.0

def slope(p: { w: f64, b: [n]f64 }) -> { w: f64, b: [n]f64 } =
  grad(\q => let r = trace("p", trace_grad("dp", q)) in r.w * sum(r.b))(p)

def steps(x: f64) -> f64 =
  grad(\v => loop y = v while y < 10.0 do trace_grad("dy", trace("y", 2.0 * y)))(x)

def again(x: [n]f64) -> [n]f64 =
  grad(\v => sum(checkpoint(\u => trace("u", trace_grad("du", u) ** 2))(v)))(x)

def long(n: i64) -> i64 = length(trace("x", for i < n => f64(i)))

def busy(n: i64) -> i64 = loop k = 0 for i < n do trace("k", k + 1)
