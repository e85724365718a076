-- Arrays of very many empty rows: sizes that are known only when the code runs.
def rows(h: i64, w: i64, x: f64) = let g = for i < h, j < w => x * f64(i + j) in (x, g[:2])
def layers(h: i64, w: i64, d: i64) = let g = for i < h, j < w, k < d => f64(i * w + j + k) in g[:1]
def in_loop(h: i64, w: i64, x: f64) =
  loop s = x for t < 3 do let g = for i < h, j < w => s * f64(i + j) in s + sum(g[0])
def cells(h: i64, w: i64) = sum(flatten(for i < h, j < w => i + j))
def cube(h: i64, w: i64, d: i64) = for i < h, j < w, k < d => f64(i * w + j + k)
def known(x: f64) = in_loop(4611686018427387904, 0, x)
