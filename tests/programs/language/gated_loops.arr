-- Loops of two states with matrix products, each with a number made of its gradient: sizes around those from which a product
-- is a call, and around the widths of vectors. A product may be kept in the memory of a result that is written later; the loop
-- that does so has to read it first.
def past(x: [n][c]f64) -> [n][c]f64 = for t < n, i < c => if t < 1 then 0.0 else x[t - 1, i]
def data(c: i64, n: i64) -> ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64) =
  let w = for j < c, k < c => 0.1 * sin(f64(j * 3 + k))
  let u = for j < c, k < c => 0.1 * cos(f64(j + 2 * k))
  let v = for j < c, k < c => 0.2 * sin(f64(j * k + 1))
  let x = for i < n, j < c => cos(f64(2 * i + j))
  in (w, u, v, x)
def total((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  sum(flatten(w)) + 2.0 * sum(flatten(u)) + 3.0 * sum(flatten(v)) + sum(flatten(for i < n, j < c =>
    x[i, j] * cos(f64(i + j))))
def glu((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do
    let z = tanh(x @ w) * sigmoid(x @ u) in (x + z @ v, s + z)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_glu(c: i64, n: i64) -> f64 = total(grad(glu)(data(c, n)))
def squared_product((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do let z = x * (x @ w) in (z @ v, z)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_squared_product(c: i64, n: i64) -> f64 = total(grad(squared_product)(data(c, n)))
def square((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) =
    loop (x, s) = (x, 0.5 * x) for i < 2 do let z = (x @ w) ** 2 in (x + 0.1 * z @ v, s * z)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_square(c: i64, n: i64) -> f64 = total(grad(square)(data(c, n)))
def highway((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do
    let z = sigmoid(x @ u) in (z * tanh(x @ w) + (1.0 - z) * x, s + z @ v)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_highway(c: i64, n: i64) -> f64 = total(grad(highway)(data(c, n)))
def residual((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do let z = tanh(x @ w) in (x + z @ v, z + s @ u)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_residual(c: i64, n: i64) -> f64 = total(grad(residual)(data(c, n)))
def gated((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) =
    loop (x, s) = (x, 0.5 * x) for i < 2 do let z = x @ w in (x * sigmoid(z @ u), s + z @ v)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_gated(c: i64, n: i64) -> f64 = total(grad(gated)(data(c, n)))
def shifted((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) =
    loop (x, s) = (x, 0.5 * x) for i < 2 do let z = x * (past(x) @ w) in (z @ v, z + u[0, 0])
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_shifted(c: i64, n: i64) -> f64 = total(grad(shifted)(data(c, n)))
def wave((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) =
    loop (x, s) = (x, 0.5 * x) for i < 2 do let z = sin(x @ w) + cos(x @ u) in (x + z @ v, s * z)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_wave(c: i64, n: i64) -> f64 = total(grad(wave)(data(c, n)))
def swiglu((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do
    let z = (x @ w) * sigmoid(x @ w) in ((z * (x @ u)) @ v, s + z)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_swiglu(c: i64, n: i64) -> f64 = total(grad(swiglu)(data(c, n)))
def growth((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) =
    loop (x, s) = (x, 0.5 * x) for i < 2 do let z = exp(0.1 * x @ w) in (z @ v - x, s - z * (x @ u))
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_growth(c: i64, n: i64) -> f64 = total(grad(growth)(data(c, n)))
def memory((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do
    let z = sigmoid(x @ w) * s + sigmoid(x @ u) * tanh(x @ v) in (sigmoid(x @ v) * tanh(z), z)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_memory(c: i64, n: i64) -> f64 = total(grad(memory)(data(c, n)))
def crossed((w, u, v, x): ([c][c]f64, [c][c]f64, [c][c]f64, [n][c]f64)) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do let z = x @ w in (s @ v, z * s + x @ u)
  in sum(flatten(s * s)) + sum(flatten(x))
def slope_of_crossed(c: i64, n: i64) -> f64 = total(grad(crossed)(data(c, n)))

-- > slope_of_glu(16, 15)
-- 25.313057790374963
-- > slope_of_glu(16, 16)
-- 29.272206710818512
-- > slope_of_glu(16, 17)
-- 24.077161721570484
-- > slope_of_glu(9, 64)
-- 159.01026682480637
-- > slope_of_glu(8, 65)
-- 119.01803251884486
-- > slope_of_glu(16, 33)
-- 62.39874263394737

-- > slope_of_squared_product(16, 15)
-- 0.29625755870223847
-- > slope_of_squared_product(16, 16)
-- 0.29492876867715956
-- > slope_of_squared_product(16, 17)
-- 0.32542162555755333
-- > slope_of_squared_product(9, 64)
-- 0.19419871635593833
-- > slope_of_squared_product(8, 65)
-- 0.20299940839343636
-- > slope_of_squared_product(16, 33)
-- 0.5948918586579997

-- > slope_of_square(16, 15)
-- -0.11970097909010136
-- > slope_of_square(16, 16)
-- -1.9127570436960195
-- > slope_of_square(16, 17)
-- -1.8657794221363235
-- > slope_of_square(9, 64)
-- 5.111752173712462
-- > slope_of_square(8, 65)
-- 7.24470880678237
-- > slope_of_square(16, 33)
-- 2.9958137672929475

-- > slope_of_highway(16, 15)
-- 4462.426434064626
-- > slope_of_highway(16, 16)
-- 4885.58250158191
-- > slope_of_highway(16, 17)
-- 5196.764952884728
-- > slope_of_highway(9, 64)
-- 7473.162454492928
-- > slope_of_highway(8, 65)
-- 5638.4209115922
-- > slope_of_highway(16, 33)
-- 9996.12551391824

-- > slope_of_residual(16, 15)
-- -13.179957599096126
-- > slope_of_residual(16, 16)
-- -4.988649787315467
-- > slope_of_residual(16, 17)
-- -6.268312407179106
-- > slope_of_residual(9, 64)
-- 17.660378904173985
-- > slope_of_residual(8, 65)
-- 18.960607654771557
-- > slope_of_residual(16, 33)
-- -11.97124932856916

-- > slope_of_gated(16, 15)
-- 39.282865578495816
-- > slope_of_gated(16, 16)
-- 39.454437669625484
-- > slope_of_gated(16, 17)
-- 34.64896589065455
-- > slope_of_gated(9, 64)
-- 149.04038014378332
-- > slope_of_gated(8, 65)
-- 140.61581515986524
-- > slope_of_gated(16, 33)
-- 78.96433122081869

-- > slope_of_shifted(16, 15)
-- 95.93068484915896
-- > slope_of_shifted(16, 16)
-- 102.32781802408176
-- > slope_of_shifted(16, 17)
-- 108.72723226966755
-- > slope_of_shifted(9, 64)
-- 230.85522754924725
-- > slope_of_shifted(8, 65)
-- 207.79165153492988
-- > slope_of_shifted(16, 33)
-- 211.0487650729583

-- > slope_of_wave(16, 15)
-- 19961.92790902176
-- > slope_of_wave(16, 16)
-- 21302.78975535454
-- > slope_of_wave(16, 17)
-- 22586.795416596688
-- > slope_of_wave(9, 64)
-- 30162.930903356697
-- > slope_of_wave(8, 65)
-- 24275.35146480853
-- > slope_of_wave(16, 33)
-- 43874.502270355566

-- > slope_of_swiglu(16, 15)
-- 21.51586168933804
-- > slope_of_swiglu(16, 16)
-- 20.47550837946543
-- > slope_of_swiglu(16, 17)
-- 17.14084254544061
-- > slope_of_swiglu(9, 64)
-- 69.28392433118918
-- > slope_of_swiglu(8, 65)
-- 45.969457132930515
-- > slope_of_swiglu(16, 33)
-- 40.500796370892566

-- > slope_of_growth(16, 15)
-- 487.0848940767731
-- > slope_of_growth(16, 16)
-- 502.7009884903086
-- > slope_of_growth(16, 17)
-- 538.9916663812892
-- > slope_of_growth(9, 64)
-- 490.33922098406003
-- > slope_of_growth(8, 65)
-- 372.6699202846486
-- > slope_of_growth(16, 33)
-- 1056.9863717475628

-- > slope_of_memory(16, 15)
-- 52.33368116574211
-- > slope_of_memory(16, 16)
-- 76.24682478413418
-- > slope_of_memory(16, 17)
-- 73.97068100749433
-- > slope_of_memory(9, 64)
-- 219.37535185342944
-- > slope_of_memory(8, 65)
-- 177.70574710246734
-- > slope_of_memory(16, 33)
-- 131.02880993372384

-- > slope_of_crossed(16, 15)
-- -75.2352292405465
-- > slope_of_crossed(16, 16)
-- -53.26396680676628
-- > slope_of_crossed(16, 17)
-- -63.585706923429164
-- > slope_of_crossed(9, 64)
-- 110.08832050503639
-- > slope_of_crossed(8, 65)
-- 31.519715841198398
-- > slope_of_crossed(16, 33)
-- -138.42258075352774

-- check-grad: squared_product at data(16, 16)
-- check-grad: square at data(9, 51)
-- check-grad: glu at data(16, 17)
