-- Softmax regression: the species of an iris from its four measurements.
--
-- $ arr run examples/softmax.arr xs=@examples/data/iris.csv ys=@examples/data/species.csv

type Model[c, d] = { weight: [c][d]f64, bias: [c]f64 }

def logsumexp(x: [n]f64) -> f64 =
  let m = maximum(x)
  in m + log(sum(exp(x - m)))

--| Every column with mean 0 and standard deviation 1.
def standardise(xs: [n][d]f64) -> [n][d]f64 =
  let centre = mean(xs)
  let spread = for j < d => sqrt(mean(for i < n => (xs[i, j] - centre[j]) ** 2))
  in for i, j => (xs[i, j] - centre[j]) / spread[j]

def logits(m: Model[c, d], x: [d]f64) -> [c]f64 = m.weight @ x + m.bias

--| The mean of `-log(probability of the right species)`, and a little weight decay.
def loss(m: Model[c, d], xs: [n][d]f64, ys: [n]i64) -> f64 =
  let each = for i =>
    let z = logits(m, xs[i])
    in logsumexp(z) - z[ys[i]]
  in mean(each) + 0.001 * sum(sum(m.weight ** 2))

--| The share of points whose most probable species is the right one.
def accuracy(m: Model[c, d], xs: [n][d]f64, ys: [n]i64) -> f64 =
  mean(for i => f64(argmax(logits(m, xs[i])) == ys[i]))

def train(m0: Model[c, d], xs: [n][d]f64, ys: [n]i64, steps: i64, rate: f64) -> Model[c, d] =
  loop m = m0 for i < steps do
    let g = grad(\q => loss(q, xs, ys))(m)
    in { weight = m.weight - rate * g.weight, bias = m.bias - rate * g.bias }

--| Loss and accuracy before and after 200 steps.
def main(xs: [n][d]f64, ys: [n]i64) -> { loss: (f64, f64), accuracy: (f64, f64), bias: [3]f64 } =
  let zs = standardise(xs)
  let before = { weight = zeros(3, d), bias = zeros(3) }
  let after = train(before, zs, ys, 200, 1.0)
  in {
    loss = (loss(before, zs, ys), loss(after, zs, ys)),
    accuracy = (accuracy(before, zs, ys), accuracy(after, zs, ys)),
    bias = after.bias
  }
