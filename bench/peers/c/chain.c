/* sin(exp(-x^2)) * sqrt(1 + x^2), elementwise. */
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

void value(void) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s) if (n > 5000)
  for (size_t i = 0; i < n; i++) s += sin(exp(-x[i] * x[i])) * sqrt(1 + x[i] * x[i]);
  y[0] = s;
}

/* Sine and cosine in loops of their own: of both together the compiler makes one call that has no vector form. */
void gradient(void) {
  enum { BLOCK = 512 };
#pragma omp parallel for if (n > 5000)
  for (size_t first = 0; first < n; first += BLOCK) {
    size_t count = n - first < BLOCK ? n - first : BLOCK;
    const double *v = x + first;
    double *to = g + first, e[BLOCK];
    for (size_t i = 0; i < count; i++) e[i] = exp(-v[i] * v[i]);
    for (size_t i = 0; i < count; i++) to[i] = sin(e[i]);
    for (size_t i = 0; i < count; i++) e[i] *= -2 * cos(e[i]);
    for (size_t i = 0; i < count; i++) {
      double r2 = 1 + v[i] * v[i], r = sqrt(r2);
      to[i] = v[i] * (to[i] / r + e[i] * r);
    }
  }
}
