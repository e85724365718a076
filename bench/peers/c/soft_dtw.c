/* The soft alignment of two series: the table of costs, and the way back over it by the weights of the soft minima. */
#include "harness.h"
#include <math.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, m, d;
static const double *x, *y;
static double *v, *gx, *gy, *table, *back;
static const double gamma_ = 0.1, far = 1e10;

void prepare(void) {
  x = F64(0), y = F64(1), n = (size_t)inputs[0].shape[0], d = (size_t)inputs[0].shape[1], m = (size_t)inputs[1].shape[0];
  v = f64_output(1), gx = f64_output(n * d), gy = f64_output(m * d);
  table = scratch(8 * (n + 1) * (m + 1)), back = scratch(8 * (n + 1) * (m + 1));
}

static void fill(void) {
  size_t w = m + 1;
  for (size_t j = 0; j < w; j++) table[j] = far;
  table[0] = 0;
  for (size_t i = 1; i <= n; i++) {
    double *row = table + i * w;
    row[0] = far;
    for (size_t j = 1; j <= m; j++) {
      double cost = 0, a = row[j - w - 1], b = row[j - w], c = row[j - 1], least = fmin(a, fmin(b, c));
      for (size_t k = 0; k < d; k++) {
        double r = x[(i - 1) * d + k] - y[(j - 1) * d + k];
        cost += r * r;
      }
      double sum = exp((least - a) / gamma_) + exp((least - b) / gamma_) + exp((least - c) / gamma_);
      row[j] = cost + least - gamma_ * log(sum);
    }
  }
}

void value(void) {
  fill();
  v[0] = table[n * (m + 1) + m];
}

void gradient(void) {
  size_t w = m + 1;
  fill();
  memset(back, 0, 8 * (n + 1) * w);
  memset(gx, 0, 8 * n * d), memset(gy, 0, 8 * m * d);
  back[n * w + m] = 1;
  for (size_t i = n; i > 0; i--)
    for (size_t j = m; j > 0; j--) {
      double *r = table + i * w + j, *g = back + i * w + j, cost = 0;
      for (size_t k = 0; k < d; k++) {
        double off = x[(i - 1) * d + k] - y[(j - 1) * d + k];
        cost += off * off;
        gx[(i - 1) * d + k] += 2 * off * *g;
        gy[(j - 1) * d + k] -= 2 * off * *g;
      }
      /* The soft minimum of the three; it is the least where all are far. */
      double soft = *r - cost;
      g[-(ptrdiff_t)w - 1] += *g * exp((soft - r[-(ptrdiff_t)w - 1]) / gamma_);
      g[-(ptrdiff_t)w] += *g * exp((soft - r[-(ptrdiff_t)w]) / gamma_);
      g[-1] += *g * exp((soft - r[-1]) / gamma_);
    }
}
