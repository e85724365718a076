--| The place of the greatest element, which has an order, and the element.
def main(x: [n]f32) -> (i64, f32) =
  let k = argmax(x)
  in (k, x[k])
