/* The sum of (2.5 x + y)^2. */
#include "harness.h"

const int value_outputs = 1, has_gradient = 1;
static size_t n;
static const double *x, *y;
static double *v, *gx, *gy;

void prepare(void) {
  n = inputs[0].count, x = F64(0), y = F64(1);
  v = f64_output(1), gx = f64_output(n), gy = f64_output(n);
}

void value(void) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s) if (n > 50000)
  for (size_t i = 0; i < n; i++) {
    double r = 2.5 * x[i] + y[i];
    s += r * r;
  }
  v[0] = s;
}

void gradient(void) {
#pragma omp parallel for simd if (n > 50000)
  for (size_t i = 0; i < n; i++) {
    double r = 2 * (2.5 * x[i] + y[i]);
    gx[i] = 2.5 * r;
    gy[i] = r;
  }
}
