/* The energy of pairs of atoms, and its slope. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, pairs;
static const double *x;
static const int64_t *first, *second;
static double *v, *g, *parts, box;

void prepare(void) {
  x = F64(0), box = F64(1)[0], first = I64(2), second = I64(3), n = (size_t)inputs[0].shape[0], pairs = inputs[2].count;
  v = f64_output(1), g = f64_output(3 * n);
  parts = scratch(8 * 3 * n * (size_t)omp_get_max_threads());
}

/* The square of the distance, and the way from `b` to `a`. */
static inline double apart(const double *a, const double *b, double *way) {
  double r2 = 0;
  for (int k = 0; k < 3; k++) {
    double d = a[k] - b[k];
    way[k] = d - box * nearbyint(d / box);
    r2 += way[k] * way[k];
  }
  return r2;
}

void value(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t p = 0; p < pairs; p++) {
    double way[3], r2 = apart(x + 3 * first[p], x + 3 * second[p], way), s = 1 / (r2 * r2 * r2);
    sum += r2 < 6.25 ? 4 * (s * s - s) : 0;
  }
  v[0] = sum;
}

void gradient(void) {
  size_t threads = (size_t)omp_get_max_threads();
#pragma omp parallel
  {
    double *own = threads == 1 ? g : parts + 3 * n * (size_t)omp_get_thread_num();
    memset(own, 0, 8 * 3 * n);
#pragma omp for
    for (size_t p = 0; p < pairs; p++) {
      double way[3], *a = own + 3 * first[p], *b = own + 3 * second[p];
      double r2 = apart(x + 3 * first[p], x + 3 * second[p], way);
      if (r2 >= 6.25) continue;
      double s = 1 / (r2 * r2 * r2), slope = -24 * (2 * s * s - s) / r2;
      for (int k = 0; k < 3; k++) a[k] += slope * way[k], b[k] -= slope * way[k];
    }
    if (threads > 1) {
#pragma omp for
      for (size_t i = 0; i < 3 * n; i++) {
        double sum = 0;
        for (size_t t = 0; t < threads; t++) sum += parts[3 * n * t + i];
        g[i] = sum;
      }
    }
  }
}
