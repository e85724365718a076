/* Log-sum-exp: the gradient is the softmax. */
#include "harness.h"
#include <math.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n;
static const double *x;
static double *y, *g;

void prepare(void) {
  n = inputs[0].count, x = F64(0);
  y = f64_output(1), g = f64_output(n);
}

static double largest(void) {
  double m = x[0];
#pragma omp parallel for reduction(max : m) if (n > 20000)
  for (size_t i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
  return m;
}

void value(void) {
  double m = largest(), s = 0;
#pragma omp parallel for simd reduction(+ : s) if (n > 20000)
  for (size_t i = 0; i < n; i++) s += exp(x[i] - m);
  y[0] = m + log(s);
}

void gradient(void) {
  double m = largest(), s = 0;
#pragma omp parallel for simd reduction(+ : s) if (n > 20000)
  for (size_t i = 0; i < n; i++) s += g[i] = exp(x[i] - m);
  double inverse = 1 / s;
#pragma omp parallel for simd if (n > 20000)
  for (size_t i = 0; i < n; i++) g[i] *= inverse;
}
