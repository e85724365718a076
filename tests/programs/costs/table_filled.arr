-- Two loops fill a table, each element from three others: the table is not kept for each row.
-- cost: x=[N] y=[N] sizes 8 16 32 64 factor 4 growth 4
def soft_min(a: f64, b: f64, c: f64) -> f64 =
  let least = min(a, min(b, c)) in least - log(exp(least - a) + exp(least - b) + exp(least - c))
def f(x: [n]f64, y: [m]f64) -> f64 =
  let start = for i < n + 1, j < m + 1 => if i == 0 and j == 0 then 0.0 else 1e10
  let table = loop t = start for i < n do
    loop t = t for j < m do
      t with [i + 1, j + 1] = (x[i] - y[j]) ** 2 + soft_min(t[i, j], t[i, j + 1], t[i + 1, j])
  in table[n, m]
def gradient(x: [n]f64, y: [m]f64) -> (f64, ([n]f64, [m]f64)) =
  value_and_grad(\((x, y)) => f(x, y))((x, y))
