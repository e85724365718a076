/* y = tanh(W y), layer by layer, and back. */
#include "harness.h"
#include <math.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t layers, n;
static const double *w, *x;
static double *v, *gw, *gx, *ys, *back;

void prepare(void) {
  w = F64(0), x = F64(1), layers = (size_t)inputs[0].shape[0], n = inputs[1].count;
  v = f64_output(1), gw = f64_output(layers * n * n), gx = f64_output(n);
  ys = scratch(8 * n * (layers + 1)), back = scratch(8 * n);
}

static double forwards(void) {
  memcpy(ys, x, 8 * n);
  for (size_t layer = 0; layer < layers; layer++) {
    const double *y = ys + layer * n, *m = w + layer * n * n;
    double *next = ys + (layer + 1) * n;
#pragma omp parallel for if (n > 100)
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (size_t j = 0; j < n; j++) s += m[i * n + j] * y[j];
      next[i] = tanh(s);
    }
  }
  double sum = 0;
  const double *last = ys + layers * n;
  for (size_t i = 0; i < n; i++) sum += last[i] * last[i];
  return sum;
}

void value(void) { v[0] = forwards(); }

void gradient(void) {
  forwards();
  for (size_t i = 0; i < n; i++) gx[i] = 2 * ys[layers * n + i];
  for (size_t layer = layers; layer-- > 0;) {
    const double *y = ys + layer * n, *next = y + n, *m = w + layer * n * n;
    double *gm = gw + layer * n * n;
    for (size_t i = 0; i < n; i++) back[i] = gx[i] * (1 - next[i] * next[i]);
    memset(gx, 0, 8 * n);
#pragma omp parallel for reduction(+ : gx[:n]) if (n > 100)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        gm[i * n + j] = back[i] * y[j];
        gx[j] += back[i] * m[i * n + j];
      }
  }
}
