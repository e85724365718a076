-- A layer of linear state spaces, one for each channel, with diagonal matrices: Gu et al., On the parameterization and
-- initialization of diagonal state space models (2022), with real numbers.

--| Channel `i` has `k` numbers as its state. They decay at the rates `exp(rates)`, take in the channel's signal, and are read
--| by `read`; `step` is the logarithm of the time from one sample to the next. The mean squared difference from `target`.
def value(
  rates: [c][k]f64,
  input: [c][k]f64,
  read: [c][k]f64,
  through: [c]f64,
  step: [c]f64,
  signal: [n][c]f64,
  target: [n][c]f64
) -> f64 =
  let decay = for i, j => exp(-exp(rates[i, j]) * exp(step[i]))
  let take = for i, j => input[i, j] * (1.0 - decay[i, j]) / exp(rates[i, j])
  let (_, total) = loop (state, total) = (zeros(c, k), 0.0) for t < n do
    let state = for i, j => decay[i, j] * state[i, j] + take[i, j] * signal[t, i]
    let y = for i => read[i] @ state[i] + through[i] * signal[t, i]
    in (state, total + sum((y - target[t]) ** 2))
  in total / f64(n * c)

def gradient(
  rates: [c][k]f64,
  input: [c][k]f64,
  read: [c][k]f64,
  through: [c]f64,
  step: [c]f64,
  signal: [n][c]f64,
  target: [n][c]f64
) -> ([c][k]f64, [c][k]f64, [c][k]f64, [c]f64, [c]f64) =
  grad(\((rates, input, read, through, step)) =>
    value(rates, input, read, through, step, signal, target))(
    (rates, input, read, through, step)
  )
