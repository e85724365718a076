/* A sparse matrix by rows times a vector; the transpose adds to a vector of each thread. */
#include "harness.h"
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, m, e;
static const double *entries, *x;
static const int64_t *columns, *starts;
static double *v, *ge, *gx, *own;

void prepare(void) {
  entries = F64(0), x = F64(1), columns = I64(2), starts = I64(3);
  e = inputs[0].count, m = inputs[1].count, n = inputs[3].count - 1;
  v = f64_output(1), ge = f64_output(e), gx = f64_output(m);
  own = scratch(8 * m * (size_t)omp_get_max_threads());
}

static double row(size_t i) {
  double s = 0;
  for (int64_t p = starts[i]; p < starts[i + 1]; p++) s += entries[p] * x[columns[p]];
  return s;
}

void value(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; i++) {
    double y = row(i);
    sum += y * y;
  }
  v[0] = 0.5 * sum;
}

void gradient(void) {
  size_t threads = (size_t)omp_get_max_threads();
#pragma omp parallel
  {
    double *mine = threads == 1 ? gx : own + m * (size_t)omp_get_thread_num();
    memset(mine, 0, 8 * m);
#pragma omp for
    for (size_t i = 0; i < n; i++) {
      double y = row(i);
      for (int64_t p = starts[i]; p < starts[i + 1]; p++) {
        ge[p] = y * x[columns[p]];
        mine[columns[p]] += y * entries[p];
      }
    }
    if (threads > 1) {
#pragma omp for
      for (size_t j = 0; j < m; j++) {
        double s = 0;
        for (size_t thread = 0; thread < threads; thread++) s += own[thread * m + j];
        gx[j] = s;
      }
    }
  }
}
