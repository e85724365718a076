/* An American option on a lattice. The gradient goes back over the rows, which are kept. */
#include "harness.h"
#include <math.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t steps;
static const double *market;
static double *v, *g, *rows, *back;
static double spot, strike, years, rate, vol, dt, up, discount, p;

void prepare(void) {
  market = F64(0), steps = (size_t)inputs[1].number;
  v = f64_output(1), g = f64_output(5);
  rows = scratch(8 * (steps + 1) * (steps + 2) / 2), back = scratch(8 * (steps + 2));
}

static double *row(size_t k, int keep) { return rows + (keep ? k * (k + 1) / 2 : 0); }

/* The price after `k` steps, `j` of them up. */
static inline double price(size_t k, size_t j) { return spot * exp(up * (2 * (double)j - (double)k)); }

static double forwards(int keep) {
  spot = market[0], strike = market[1], years = market[2], rate = market[3], vol = market[4];
  dt = years / (double)steps, up = vol * sqrt(dt), discount = exp(-rate * dt);
  p = (exp(rate * dt) - exp(-up)) / (exp(up) - exp(-up));
  double *last = row(steps, keep);
  for (size_t j = 0; j <= steps; j++) last[j] = fmax(strike - price(steps, j), 0);
  for (size_t k = steps; k-- > 0;) {
    const double *after = row(k + 1, keep);
    double *now = row(k, keep);
    for (size_t j = 0; j <= k; j++)
      now[j] = fmax(discount * (p * after[j + 1] + (1 - p) * after[j]), fmax(strike - price(k, j), 0));
  }
  return row(0, keep)[0];
}

void value(void) { v[0] = forwards(0); }

void gradient(void) {
  forwards(1);
  double d_spot = 0, d_strike = 0, d_up = 0, d_discount = 0, d_p = 0;
  memset(back, 0, 8 * (steps + 2));
  back[0] = 1;
  for (size_t k = 0; k <= steps; k++) {
    const double *after = k < steps ? row(k + 1, 1) : 0;
    /* What comes from the left neighbour of the row before. */
    double carried = 0;
    for (size_t j = 0; j <= k; j++) {
      double w = back[j], now = price(k, j), here = strike - now, through = 0, mean = 0;
      if (k < steps) mean = p * after[j + 1] + (1 - p) * after[j];
      if (k < steps && discount * mean >= fmax(here, 0)) {
        d_discount += w * mean;
        d_p += w * discount * (after[j + 1] - after[j]);
        through = w * discount;
      } else if (here > 0) {
        d_strike += w;
        d_spot -= w * now / spot;
        d_up -= w * now * (2 * (double)j - (double)k);
      }
      back[j] = carried + through * (1 - p);
      carried = through * p;
    }
    back[k + 1] = carried;
  }
  double e = exp(up), f = exp(-up), r = exp(rate * dt), width = e - f;
  d_up += d_p * (f * width - (r - f) * (e + f)) / (width * width);
  double d_rdt = d_p * r / width - d_discount * discount, d_dt = d_rdt * rate + d_up * vol * 0.5 / sqrt(dt);
  g[0] = d_spot, g[1] = d_strike, g[2] = d_dt / (double)steps, g[3] = d_rdt * dt, g[4] = d_up * sqrt(dt);
}
