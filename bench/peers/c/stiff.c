/* A chain of decays by Euler's implicit method; the states are kept. */
#include "harness.h"
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, steps;
static const double *rates, *start;
static double *v, *gr, *gs, *states, *inverse;
static const double h = 0.01;

void prepare(void) {
  rates = F64(0), start = F64(1), n = inputs[0].count, steps = (size_t)inputs[2].number;
  v = f64_output(1), gr = f64_output(n), gs = f64_output(n);
  states = scratch(8 * n * (steps + 1)), inverse = scratch(8 * n);
}

static void forwards(int keep) {
  for (size_t i = 0; i < n; i++) inverse[i] = 1 / (1 + h * rates[i]);
  memcpy(states, start, 8 * n);
  for (size_t t = 0; t < steps; t++) {
    const double *y = states + (keep ? t * n : 0);
    double *next = states + (keep ? (t + 1) * n : 0), inflow = 0;
    for (size_t i = 0; i < n; i++) {
      double new = (y[i] + h * inflow) * inverse[i];
      next[i] = new;
      inflow = rates[i] * new;
    }
  }
}

void value(void) {
  forwards(0);
  double s = 0;
  for (size_t i = 0; i < n; i++) s += states[i] * states[i];
  v[0] = s;
}

void gradient(void) {
  forwards(1);
  memset(gr, 0, 8 * n);
  for (size_t i = 0; i < n; i++) gs[i] = 2 * states[steps * n + i];
  for (size_t t = steps; t-- > 0;) {
    const double *next = states + (t + 1) * n;
    double inflow = 0;
    for (size_t i = n; i-- > 0;) {
      /* `inflow` is the cotangent of what flows out of substance i. */
      double g = gs[i] + rates[i] * inflow, new = next[i];
      gr[i] += new * inflow - g * inverse[i] * h * new;
      gs[i] = g * inverse[i];
      inflow = h * gs[i];
    }
  }
}
