/* A polynomial by Horner's rule, several points side by side; the gradient by powers. */
#include "harness.h"
#include <omp.h>
#include <string.h>

enum { WIDE = 16 };
const int value_outputs = 1, has_gradient = 1;
static size_t n, m;
static const double *x, *ts;
static double *v, *g, *sums;

void prepare(void) {
  x = F64(0), ts = F64(1), m = inputs[0].count, n = inputs[1].count;
  v = f64_output(1), g = f64_output(m);
  sums = scratch(8 * (m + 8) * (size_t)omp_get_max_threads());
}

static double step(double t) { return (t > 0) - (t < 0); }

/* The polynomial minus the step, at `WIDE` points. */
static void residuals(size_t first, size_t count, double *t, double *r) {
  for (size_t i = 0; i < WIDE; i++) t[i] = i < count ? ts[first + i] : 0, r[i] = 0;
  for (size_t j = m; j-- > 0;)
    for (size_t i = 0; i < WIDE; i++) r[i] = r[i] * t[i] + x[j];
  for (size_t i = 0; i < WIDE; i++) r[i] = i < count ? r[i] - step(t[i]) : 0;
}

void value(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; i += WIDE) {
    double t[WIDE], r[WIDE];
    residuals(i, n - i < WIDE ? n - i : WIDE, t, r);
    for (size_t a = 0; a < WIDE; a++) sum += r[a] * r[a];
  }
  v[0] = 0.5 * sum;
}

void gradient(void) {
  size_t threads = (size_t)omp_get_max_threads();
  memset(sums, 0, 8 * (m + 8) * threads);
#pragma omp parallel
  {
    double *own = sums + (m + 8) * (size_t)omp_get_thread_num();
#pragma omp for
    for (size_t i = 0; i < n; i += WIDE) {
      double t[WIDE], r[WIDE];
      residuals(i, n - i < WIDE ? n - i : WIDE, t, r);
      for (size_t j = 0; j < m; j++) {
        double s = 0;
        for (size_t a = 0; a < WIDE; a++) s += r[a], r[a] *= t[a];
        own[j] += s;
      }
    }
  }
  for (size_t j = 0; j < m; j++) {
    double s = 0;
    for (size_t thread = 0; thread < threads; thread++) s += sums[thread * (m + 8) + j];
    g[j] = s;
  }
}
