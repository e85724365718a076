/* An array times 3. */
#include "harness.h"

const int value_outputs = 1, has_gradient = 0;
static size_t n;
static const double *x;
static double *y;

void prepare(void) {
  n = inputs[0].count, x = F64(0);
  y = f64_output(n);
}

void value(void) {
#pragma omp parallel for simd if (n > 50000)
  for (size_t i = 0; i < n; i++) y[i] = 3 * x[i];
}

void gradient(void) {}
