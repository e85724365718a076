-- The proportional hazards model of survival: the logarithm of the partial likelihood, with data sorted by time. Cox,
-- Regression models and life-tables (1972).

--| For each of the `n` patients a row of `x`, the time until the event or until nothing more is known, and whether
--| there was an event. Those at risk at a time are they whose own is not before it.
def value(beta: [d]f64, x: [n][d]f64, time: [n]f64, event: [n]i64) -> f64 =
  let order = argsort(-time)
  let score = gather(x @ beta, order)
  let at_risk = log(cumsum(exp(score)))
  let terms = for i => if event[order[i]] == 1 then score[i] - at_risk[i] else 0.0
  in sum(terms) / f64(n)

def gradient(beta: [d]f64, x: [n][d]f64, time: [n]f64, event: [n]i64) -> [d]f64 =
  grad(\beta => value(beta, x, time, event))(beta)
