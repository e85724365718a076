-- How many steps each point of the plane takes to leave the circle of radius 2.

def steps(x: f64, y: f64, limit: i64) -> i64 =
  let (_, _, n) = loop (a, b, n) = (0.0, 0.0, 0) while a * a + b * b <= 4.0 and n < limit do
    (a * a - b * b + x, 2.0 * a * b + y, n + 1)
  in n

def value(width: i64, height: i64, limit: i64) -> [height][width]i64 =
  for i < height, j < width =>
    steps(3.0 * f64(j) / f64(width) - 2.25, 2.5 * f64(i) / f64(height) - 1.25, limit)
