type Sex = Female | Male
type Patients[n] = { age: [n]f64, pressure: [n]f64, smoker: [n]bool, sex: [n]Sex }
type Line = { offset: f64, slope: f64 }

def mean_of(keep: [n]bool, x: [n]f64) -> f64 =
  sum(for i => if keep[i] then x[i] else 0.0) / sum(for k in keep => f64(k))

-- Only a NaN, a missing value, is not equal to itself.
def known(x: [n]f64) -> [n]bool = x == x

--| The mean pressure of smokers, and of the others.
def main(p: Patients[n]) -> { smokers: f64, others: f64 } = {
  smokers = mean_of(known(p.pressure) and p.smoker, p.pressure),
  others = mean_of(known(p.pressure) and not p.smoker, p.pressure)
}

def predict(model: Line, age: [n]f64) -> [n]f64 = model.offset + model.slope * age

--| The least-squares line of pressure by age, and what it predicts.
def fit(
  p: Patients[n]
) -> { model: Line, table: { age: [n]f64, pressure: [n]f64, predicted: [n]f64 } } =
  let keep = known(p.pressure)
  let age = mean_of(keep, p.age)
  let pressure = mean_of(keep, p.pressure)
  let slope =
    mean_of(keep, (p.age - age) * (p.pressure - pressure))
      / mean_of(keep, (p.age - age) * (p.age - age))
  let model: Line = { offset = pressure - slope * age, slope = slope }
  in { model, table = { age = p.age, pressure = p.pressure, predicted = predict(model, p.age) } }

--| How many days before the last visit each was.
def days(seen: [n]i64) -> [n]i64 = maximum(seen) - seen

--| A wave of light, as a picture.
def picture(h: i64, w: i64) -> [h][w]f64 =
  for i < h, j < w => 0.5 + 0.5 * sin(f64(i * i + j * j) / 20.0)

def lines(text: [n]i64) -> i64 = sum(for c in text => i64(c == 10))
