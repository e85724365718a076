-- The price of a European call by Monte Carlo, and the greeks: its derivatives by everything that it depends on.

--| `market` is spot, strike, years, rate and volatility; `draws` are of the standard normal distribution.
def value(market: [5]f64, draws: [n]f64) -> f64 =
  let (spot, strike, years, rate, vol) = (market[0], market[1], market[2], market[3], market[4])
  let drift = (rate - 0.5 * vol ** 2) * years
  let gain = for z in draws => max(spot * exp(drift + vol * sqrt(years) * z) - strike, 0.0)
  in exp(-rate * years) * mean(gain)

def gradient(market: [5]f64, draws: [n]f64) -> [5]f64 = grad(value)(market, draws)
