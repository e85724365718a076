/* Weights in bins; a histogram of its own for every thread. */
#include "harness.h"
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, count;
static const double *weights;
static const int64_t *bins;
static double *v, *g, *total, *own;

void prepare(void) {
  weights = F64(0), bins = I64(1), n = inputs[0].count, count = (size_t)inputs[2].number;
  v = f64_output(1), g = f64_output(n);
  total = scratch(8 * count), own = scratch(8 * count * (size_t)omp_get_max_threads());
}

static void fill(void) {
  size_t threads = (size_t)omp_get_max_threads();
#pragma omp parallel
  {
    double *mine = own + count * (size_t)omp_get_thread_num();
    memset(mine, 0, 8 * count);
#pragma omp for
    for (size_t i = 0; i < n; i++) mine[bins[i]] += weights[i];
#pragma omp for
    for (size_t b = 0; b < count; b++) {
      double s = 0;
      for (size_t thread = 0; thread < threads; thread++) s += own[thread * count + b];
      total[b] = s;
    }
  }
}

void value(void) {
  fill();
  double s = 0;
  for (size_t b = 0; b < count; b++) s += total[b] * total[b];
  v[0] = s;
}

void gradient(void) {
  fill();
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) g[i] = 2 * total[bins[i]];
}
