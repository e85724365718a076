/* A wave on a string by the leapfrog method; the states are kept. */
#include "harness.h"
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, steps;
static const double *speed, *start, *target;
static double *v, *gc, *gs, *states, *d[3];

void prepare(void) {
  speed = F64(0), start = F64(1), target = F64(2), n = inputs[0].count, steps = (size_t)inputs[3].number;
  v = f64_output(1), gc = f64_output(n), gs = f64_output(n);
  states = scratch(8 * n * (steps + 2));
  for (int k = 0; k < 3; k++) d[k] = scratch(8 * n);
}

/* State `t + 1` is at step `t`; state 0 is that before the start. With three states in turn if they are not kept. */
static double *state(size_t t, int keep) { return states + (keep ? t : t % 3) * n; }

static const double *forwards(int keep) {
  memcpy(state(0, keep), start, 8 * n), memcpy(state(1, keep), start, 8 * n);
  for (size_t t = 0; t < steps; t++) {
    const double *before = state(t, keep), *u = state(t + 1, keep);
    double *next = state(t + 2, keep);
    next[0] = next[n - 1] = 0;
#pragma omp parallel for if (n > 20000)
    for (size_t i = 1; i < n - 1; i++)
      next[i] = 2 * u[i] - before[i] + speed[i] * speed[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
  }
  return state(steps + 1, keep);
}

void value(void) {
  const double *last = forwards(0);
  double s = 0;
#pragma omp parallel for reduction(+ : s) if (n > 20000)
  for (size_t i = 0; i < n; i++) s += (last[i] - target[i]) * (last[i] - target[i]);
  v[0] = 0.5 * s;
}

void gradient(void) {
  const double *last = forwards(1);
  /* The cotangents of a state, of the one before it, and of the one before that. */
  double *g = d[0], *gu = d[1], *gb = d[2];
  memset(gc, 0, 8 * n), memset(gu, 0, 8 * n);
  for (size_t i = 0; i < n; i++) g[i] = last[i] - target[i];
  for (size_t t = steps; t-- > 0;) {
    const double *u = state(t + 1, 1);
    /* The ends don't depend on anything. */
    g[0] = g[n - 1] = 0;
#pragma omp parallel for if (n > 20000)
    for (size_t i = 0; i < n; i++) {
      double c = speed[i] * speed[i], sum = gu[i] + 2 * (1 - c) * g[i];
      if (i > 0) sum += speed[i - 1] * speed[i - 1] * g[i - 1];
      if (i < n - 1) sum += speed[i + 1] * speed[i + 1] * g[i + 1];
      if (i > 0 && i < n - 1) gc[i] += 2 * speed[i] * g[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
      gu[i] = sum;
      gb[i] = -g[i];
    }
    double *free = g;
    g = gu, gu = gb, gb = free;
  }
  for (size_t i = 0; i < n; i++) gs[i] = g[i] + gu[i];
}
