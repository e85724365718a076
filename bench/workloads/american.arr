-- An option to sell that can be used at any time, priced on a lattice, and its greeks. Cox, Ross and Rubinstein, Option pricing:
-- a simplified approach (1979).

--| What the option is worth if it is used after `k` steps, `ups` of them up.
def payoff(spot: f64, strike: f64, up: f64, k: i64, ups: i64) -> f64 =
  max(strike - spot * exp(up * f64(2 * ups - k)), 0.0)

--| `market` is the spot price, the strike price, the years, the rate and the volatility.
def value(market: [5]f64, steps: i64) -> f64 =
  let (spot, strike, years) = (market[0], market[1], market[2])
  let (rate, vol) = (market[3], market[4])
  let dt = years / f64(steps)
  let up = vol * sqrt(dt)
  let discount = exp(-rate * dt)
  let p = (exp(rate * dt) - exp(-up)) / (exp(up) - exp(-up))
  let last = for j < steps + 1 => payoff(spot, strike, up, steps, j)
  let worth = loop worth = last for t < steps do
    let k = steps - 1 - t
    in for j < steps + 1 =>
      if j > k then 0.0
      else
        let hold = discount * (p * worth[j + 1] + (1.0 - p) * worth[j])
        in max(hold, payoff(spot, strike, up, k, j))
  in worth[0]

def gradient(market: [5]f64, steps: i64) -> [5]f64 = grad(value)(market, steps)
