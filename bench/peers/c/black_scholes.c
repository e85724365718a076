/* A European call by Monte Carlo; the greeks are sums over the draws that pay. */
#include "harness.h"
#include <math.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n;
static const double *market, *draws;
static double *v, *g;

void prepare(void) {
  market = F64(0), draws = F64(1), n = inputs[1].count;
  v = f64_output(1), g = f64_output(5);
}

void value(void) {
  double spot = market[0], strike = market[1], years = market[2], rate = market[3], vol = market[4];
  double drift = (rate - 0.5 * vol * vol) * years, root = vol * sqrt(years), sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (size_t i = 0; i < n; i++) {
    double gain = spot * exp(drift + root * draws[i]) - strike;
    sum += gain > 0 ? gain : 0;
  }
  v[0] = exp(-rate * years) * sum / (double)n;
}

void gradient(void) {
  double spot = market[0], strike = market[1], years = market[2], rate = market[3], vol = market[4];
  double drift = (rate - 0.5 * vol * vol) * years, root = vol * sqrt(years), discount = exp(-rate * years) / (double)n;
  /* Of the draws that pay: how many, their prices, and their prices times the draw. */
  double count = 0, price = 0, moment = 0;
#pragma omp parallel for simd reduction(+ : count, price, moment)
  for (size_t i = 0; i < n; i++) {
    double p = spot * exp(drift + root * draws[i]);
    double pays = p - strike > 0 ? 1 : 0;
    count += pays, price += pays * p, moment += pays * p * draws[i];
  }
  double worth = price - strike * count;
  g[0] = discount * price / spot;
  g[1] = -discount * count;
  g[2] = discount * ((rate - 0.5 * vol * vol) * price + 0.5 * vol / sqrt(years) * moment - rate * worth);
  g[3] = discount * years * (price - worth);
  g[4] = discount * (-vol * years * price + sqrt(years) * moment);
}
