/* Optimal transport by Sinkhorn's iterations, in logarithms; costs by rows and by columns, so that every sum runs along memory. */
#include "harness.h"
#include <math.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static const double eps = 0.1;
static size_t n, m, d, steps;
static const double *x, *y;
static double *v, *gx, *gy, light, heavy;
/* Costs and their transpose, and the gradients by both; the potentials after every step, `gs` from before the first. */
static double *cost, *across, *g_cost, *g_across, *fs, *gs, *df, *dg;

void prepare(void) {
  x = F64(0), y = F64(1), steps = (size_t)inputs[2].number;
  n = (size_t)inputs[0].shape[0], m = (size_t)inputs[1].shape[0], d = (size_t)inputs[0].shape[1];
  v = f64_output(1), gx = f64_output(n * d), gy = f64_output(m * d);
  cost = scratch(8 * n * m), across = scratch(8 * n * m), g_cost = scratch(8 * n * m), g_across = scratch(8 * n * m);
  fs = scratch(8 * steps * n), gs = scratch(8 * (steps + 1) * m), df = scratch(8 * n), dg = scratch(8 * m);
  light = -log((double)n), heavy = -log((double)m);
}

/* One side's potentials from the other's: `rows` of costs, `columns` long. */
static void potentials(const double *c, const double *other, double *own, size_t rows, size_t columns, double weight) {
#pragma omp parallel for
  for (size_t i = 0; i < rows; i++) {
    const double *row = c + i * columns;
    double max = -INFINITY, sum = 0;
    for (size_t j = 0; j < columns; j++) max = (other[j] - row[j]) > max ? other[j] - row[j] : max;
    for (size_t j = 0; j < columns; j++) sum += exp((other[j] - row[j] - max) / eps);
    own[i] = eps * (weight - log(sum)) - max;
  }
}

static void forwards(void) {
#pragma omp parallel for
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      double sum = 0;
      for (size_t a = 0; a < d; a++) sum += (x[i * d + a] - y[j * d + a]) * (x[i * d + a] - y[j * d + a]);
      cost[i * m + j] = across[j * n + i] = sum;
    }
  for (size_t t = 0; t < steps; t++) {
    potentials(cost, gs + t * m, fs + t * n, n, m, light);
    potentials(across, fs + t * n, gs + (t + 1) * m, m, n, heavy);
  }
}

void value(void) {
  forwards();
  const double *f = fs + (steps - 1) * n, *g = gs + steps * m;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) sum += exp((f[i] + g[j] - cost[i * m + j]) / eps) * cost[i * m + j];
  v[0] = sum;
}

/* Back through one side's potentials, whose gradient is `down`, by rows of the other side: its gradient is left in `out`, or added. */
static void back(const double *c, double *gc, const double *own, const double *other, const double *down, double *out,
                 size_t rows, size_t columns, double weight, int add) {
#pragma omp parallel for
  for (size_t i = 0; i < rows; i++) {
    const double *row = c + i * columns;
    double *grow = gc + i * columns, sum = 0;
    for (size_t j = 0; j < columns; j++) {
      double w = down[j] * exp((own[j] + other[i] - row[j]) / eps - weight);
      grow[j] += w;
      sum += w;
    }
    out[i] = (add ? out[i] : 0) - sum;
  }
}

void gradient(void) {
  forwards();
  const double *f = fs + (steps - 1) * n, *g = gs + steps * m;
  memset(g_across, 0, 8 * n * m);
  memset(dg, 0, 8 * m);
  for (size_t i = 0; i < n; i++) {
    df[i] = 0;
    for (size_t j = 0; j < m; j++) {
      double c = cost[i * m + j], p = exp((f[i] + g[j] - c) / eps), by_potential = p * c / eps;
      g_cost[i * m + j] = p - by_potential;
      df[i] += by_potential;
      dg[j] += by_potential;
    }
  }
  for (size_t t = steps; t-- > 0;) {
    back(cost, g_cost, gs + (t + 1) * m, fs + t * n, dg, df, n, m, heavy, 1);
    back(across, g_across, fs + t * n, gs + t * m, df, dg, m, n, light, 0);
    memset(df, 0, 8 * n);
  }
  memset(gx, 0, 8 * n * d);
  memset(gy, 0, 8 * m * d);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      double by_cost = 2 * (g_cost[i * m + j] + g_across[j * n + i]);
      for (size_t a = 0; a < d; a++) {
        double part = by_cost * (x[i * d + a] - y[j * d + a]);
        gx[i * d + a] += part;
        gy[j * d + a] -= part;
      }
    }
}
