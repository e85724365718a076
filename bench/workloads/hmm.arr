-- A hidden Markov model of symbols: the likelihood of some sequences by the forward algorithm, in logarithms. Rabiner, A
-- tutorial on hidden Markov models and selected applications in speech recognition (1989), section III.

import stats

--| The logarithm of the probability of one sequence, from the logarithms of the model's probabilities.
def likelihood(
  transition: [k][k]f64,
  emission: [k][m]f64,
  start: [k]f64,
  seen: [steps+1]i64
) -> f64 =
  let first = start + emission[:, seen[0]]
  let last = loop a = first for t < steps do
    for j => stats.logsumexp(a + transition[:, j]) + emission[j, seen[t + 1]]
  in stats.logsumexp(last)

--| `k` states and `m` symbols; rows of `transition` and `emission`, and `start`, are scores whose softmax are
--| probabilities. `seen` has a row for each sequence.
def value(
  transition: [k][k]f64,
  emission: [k][m]f64,
  start: [k]f64,
  seen: [b][steps+1]i64
) -> f64 =
  let transition = for row in transition => stats.log_softmax(row)
  let emission = for row in emission => stats.log_softmax(row)
  let start = stats.log_softmax(start)
  in sum(for s in seen => likelihood(transition, emission, start, s))

def gradient(
  transition: [k][k]f64,
  emission: [k][m]f64,
  start: [k]f64,
  seen: [b][steps+1]i64
) -> ([k][k]f64, [k][m]f64, [k]f64) =
  grad(\((transition, emission, start)) => value(transition, emission, start, seen))(
    (transition, emission, start)
  )
