-- The price of a European call by Monte Carlo, and its sensitivities, "the greeks", by differentiating the simulation.
-- The formula of Black and Scholes, of which the same derivatives are taken, says how far off they are.
--
-- $ arr run examples/black_scholes.arr n=100000
-- $ arr test examples/black_scholes.arr
-- $ arr check-grad examples/black_scholes.arr --entry simulated "{spot = 100.0, strike = 105.0, years = 0.5, rate = 0.03, volatility = 0.2}" [-1.5,-0.5,0.3,1.2]

import random
import stats

--| The right to buy for `strike` after `years` what costs `spot` today and varies by `volatility` a year.
type Call = { spot: f64, strike: f64, years: f64, rate: f64, volatility: f64 }

--| What the share costs in the end, where `z` is a draw of the standard normal distribution.
def final_price(c: Call, z: f64) -> f64 =
  c.spot * exp((c.rate - 0.5 * c.volatility ** 2) * c.years + c.volatility * sqrt(c.years) * z)

--| The mean of what the option is worth in the end, discounted. Each draw stands for its mirror image too, which makes
--| the error smaller.
def simulated(c: Call, draws: [n]f64) -> f64 =
  let gain = for z in concat(draws, -draws) => max(final_price(c, z) - c.strike, 0.0)
  in exp(-c.rate * c.years) * mean(gain)

--| The formula of Black and Scholes (1973).
--| > formula({ spot = 42.0, strike = 40.0, years = 0.5, rate = 0.1, volatility = 0.2 })  -- within 1e-3
--| 4.76
def formula(c: Call) -> f64 =
  let spread = c.volatility * sqrt(c.years)
  let above = (log(c.spot / c.strike) + c.rate * c.years) / spread + 0.5 * spread
  let phi = \x => stats.normal_cdf(x, 0.0, 1.0)
  in c.spot * phi(above) - c.strike * exp(-c.rate * c.years) * phi(above - spread)

--| The price, and its derivatives with respect to spot, volatility and rate.
type Greeks = { price: f64, delta: f64, vega: f64, rho: f64 }

def greeks(price: Call -> f64, c: Call) -> Greeks =
  let (price, slope) = value_and_grad(price)(c)
  in { price, delta = slope.spot, vega = slope.volatility, rho = slope.rate }

def example = { spot = 100.0, strike = 105.0, years = 0.5, rate = 0.03, volatility = 0.2 }

def main(n: i64) -> { simulated: Greeks, formula: Greeks } =
  let draws = random.normal(random.key(42), n)
  in { simulated = greeks(\c => simulated(c, draws), example), formula = greeks(formula, example) }

test "a sure gain" within 1e-12 =
  formula({ example with strike = 50.0, volatility = 1e-3 }) == 100.0 - 50.0 * exp(-0.015)
test "the simulation is near the formula" within 0.02 =
  let { simulated, formula } = main(20000)
  in (
    simulated.price == formula.price,
    simulated.delta == formula.delta,
    simulated.vega == formula.vega
  )
test "slopes of the formula" gradient (a: f64, b: f64, s: f64) =
  formula({ example with
    spot = 100.0 * exp(0.1 * tanh(a)),
    rate = 0.1 * b,
    volatility = 0.2 + 0.1 * tanh(s)
  })
