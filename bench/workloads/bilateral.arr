-- A filter that smooths an image but not its edges, over windows of 7 by 7 pixels, compared with a target. Tomasi and Manduchi,
-- Bilateral filtering for gray and color images (1998).

--| The pixel at `i, j`, or the one at the edge that is nearest to it.
def pixel(image: [h][w]f64, i: i64, j: i64) -> f64 =
  image[max(0, min(h - 1, i)), max(0, min(w - 1, j))]

--| The mean of the window around a pixel; pixels that are far away or of another brightness weigh less.
def filtered(image: [h][w]f64, sharp: [2]f64, i: i64, j: i64) -> f64 =
  let centre = image[i, j]
  let weight = for a < 7, b < 7 =>
    let near = f64((a - 3) ** 2 + (b - 3) ** 2)
    let alike = (pixel(image, i + a - 3, j + b - 3) - centre) ** 2
    in exp(-sharp[0] * near - sharp[1] * alike)
  let lit = for a < 7, b < 7 => weight[a, b] * pixel(image, i + a - 3, j + b - 3)
  in sum(sum(lit)) / sum(sum(weight))

def value(image: [h][w]f64, sharp: [2]f64, target: [h][w]f64) -> f64 =
  sum(sum(for i, j => (filtered(image, sharp, i, j) - target[i, j]) ** 2))

def gradient(image: [h][w]f64, sharp: [2]f64, target: [h][w]f64) -> ([h][w]f64, [2]f64) =
  grad(\((image, sharp)) => value(image, sharp, target))((image, sharp))
