/* The heat equation on a plate; every state is kept for the way back. */
#include "harness.h"
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, m, steps;
static const double *u0, *rate;
static double *v, *gu, *gr, *states, *now, *next;

void prepare(void) {
  u0 = F64(0), rate = F64(1), n = (size_t)inputs[0].shape[0], m = (size_t)inputs[0].shape[1];
  steps = (size_t)inputs[2].number;
  v = f64_output(1), gu = f64_output(n * m), gr = f64_output(n * m);
  now = scratch(8 * n * m), next = scratch(8 * n * m);
}

static double laplacian(const double *u, size_t i, size_t j) {
  const double *c = u + i * m + j;
  return c[-(ptrdiff_t)m] + c[m] + c[-1] + c[1] - 4 * c[0];
}

static void step(const double *restrict u, double *restrict to) {
#pragma omp for
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || i == n - 1) {
      memcpy(to + i * m, u + i * m, 8 * m);
      continue;
    }
    to[i * m] = u[i * m], to[i * m + m - 1] = u[i * m + m - 1];
    for (size_t j = 1; j < m - 1; j++) to[i * m + j] = u[i * m + j] + rate[i * m + j] * laplacian(u, i, j);
  }
}

static double squares(const double *u) {
  double s = 0;
  for (size_t i = 0; i < n * m; i++) s += u[i] * u[i];
  return s;
}

void value(void) {
  memcpy(now, u0, 8 * n * m);
#pragma omp parallel
  for (size_t t = 0; t < steps; t++) step(t % 2 ? next : now, t % 2 ? now : next);
  v[0] = squares(steps % 2 ? next : now);
}

/* The cotangent of the inner places before a step; that of the edge is added to it. */
static void back(const double *restrict u, const double *restrict g, double *restrict to) {
#pragma omp for
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      size_t at = i * m + j;
      int inner = i > 0 && j > 0 && i < n - 1 && j < m - 1;
      double s = g[at];
      if (inner) {
        s -= 4 * rate[at] * g[at];
        gr[at] += g[at] * laplacian(u, i, j);
      }
      if (j > 0 && j < m - 1) {
        if (i > 1) s += rate[at - m] * g[at - m];
        if (i + 2 < n) s += rate[at + m] * g[at + m];
      }
      if (i > 0 && i < n - 1) {
        if (j > 1) s += rate[at - 1] * g[at - 1];
        if (j + 2 < m) s += rate[at + 1] * g[at + 1];
      }
      to[at] = s;
    }
}

void gradient(void) {
  size_t count = n * m;
  if (!states) states = scratch(8 * count * (steps + 1));
  memcpy(states, u0, 8 * count);
  memset(gr, 0, 8 * count);
#pragma omp parallel
  {
    for (size_t t = 0; t < steps; t++) step(states + t * count, states + (t + 1) * count);
#pragma omp for
    for (size_t i = 0; i < count; i++) now[i] = 2 * states[steps * count + i];
    for (size_t t = steps; t-- > 0;) back(states + t * count, (steps - t) % 2 ? now : next, (steps - t) % 2 ? next : now);
  }
  memcpy(gu, steps % 2 ? next : now, 8 * count);
}
