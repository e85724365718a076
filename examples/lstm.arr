-- A long short-term memory that learns a line by heart: from the letters so far it guesses the next.
--
-- $ arr run examples/lstm.arr text=@examples/data/line.json steps=25
-- $ arr test examples/lstm.arr
-- $ arr check-grad examples/lstm.arr --entry sequence_loss "{gates = [[[0.1, -0.2, 0.3, 0.2]], [[0.4, 0.1, -0.1, 0.3]], [[-0.3, 0.6, 0.2, 0.1]], [[0.2, 0.1, 0.5, -0.4]]], out = [[0.5, 0.1], [-0.7, 0.2]]}" [0,1,1,0]

import random
import stats

--| `h` units that read and guess one of `c` letters. A gate reads the hidden state, the letter, and the number 1; the
--| scores of the next letter are read off the hidden state and the number 1.
type Model[h, c] = { gates: [4][h][h+c+1]f64, out: [c][h+1]f64 }

--| The next hidden and cell state: what is forgotten, let in and shown is up to the gates. Gers et al. (2000).
def step(m: Model[h, c], (hidden, cell): ([h]f64, [h]f64), x: [c]f64) -> ([h]f64, [h]f64) =
  let gate = for g => m.gates[g] @ concat(hidden, x, [1.0])
  let next = sigmoid(gate[0]) * cell + sigmoid(gate[1]) * tanh(gate[2])
  in (sigmoid(gate[3]) * tanh(next), next)

--| For every letter but the last, the scores of what may come next.
def scores(m: Model[h, c], text: [n+1]i64) -> [n][c]f64 =
  let start = (zeros(h), zeros(h))
  let (last, seen) = loop (state, seen) = (start, zeros(n, h)) for i < n do
    let next = step(m, state, onehot(c, text[i]))
    in (next, seen with [i] = next.0)
  in for hidden in seen => m.out @ concat(hidden, [1.0])

--| The mean of `-log(probability of the letter that comes)`.
def sequence_loss(m: Model[h, c], text: [n+1]i64) -> f64 =
  let score = scores(m, text)
  in mean(for i => -stats.log_softmax(score[i])[text[i + 1]])

--| The share of letters guessed right.
def guessed(m: Model[h, c], text: [n+1]i64) -> f64 =
  let score = scores(m, text)
  in mean(for i => f64(argmax(score[i]) == text[i + 1]))

--| Small random weights.
def begin(h: i64, c: i64) -> Model[h, c] =
  let draws = random.normal(random.key(1), 4 * h * (h + c + 1) + c * (h + 1))
  let cut = 4 * h * (h + c + 1)
  in {
    gates = 0.3 * reshape(draws[:cut], (4, h, h + c + 1)),
    out = 0.3 * reshape(draws[cut:], (c, h + 1))
  }

def train(start: Model[h, c], text: [n+1]i64, steps: i64, rate: f64) -> Model[h, c] =
  loop m = start for i < steps do
    let g = grad(sequence_loss)(m, text)
    in { gates = m.gates - rate * g.gates, out = m.out - rate * g.out }

--| Learns a text, given as its bytes, of small letters and blanks: loss and share of right guesses, before and after.
def main(text: [n+1]i64, steps: i64) -> { loss: (f64, f64), guessed: (f64, f64) } =
  let letters = for byte in text => if byte == 32 then 0 else byte - 96
  let before = begin(16, 27)
  let after = train(before, letters, steps, 2.0)
  in {
    loss = (sequence_loss(before, letters), sequence_loss(after, letters)),
    guessed = (guessed(before, letters), guessed(after, letters))
  }

test "without weights every letter is as likely" within 1e-12 =
  sequence_loss({ gates = zeros(4, 2, 6), out = zeros(3, 3) }, [0, 1, 2]) == log(3.0)
test "slopes of a step" gradient (m: Model[h, 2], state: ([h]f64, [h]f64)) =
  step(m, state, [1.0, 0.0])
