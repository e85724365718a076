/* Softened gravity and the leapfrog method: forces of all pairs, and their transposed derivative. */
#include "harness.h"
#include <math.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, steps;
static const double *x0, *v0, *m;
static double *v, *gx, *gv, *gm;
/* Coordinates apart: `3 n` numbers each. Positions before the first and after every step are kept. */
static double *xs, *vs, *acc, *adjoint, *cx, *cv, *px, *pm;

void prepare(void) {
  x0 = F64(0), v0 = F64(1), m = F64(2), n = inputs[2].count, steps = (size_t)inputs[3].number;
  v = f64_output(1), gx = f64_output(3 * n), gv = f64_output(3 * n), gm = f64_output(n);
  xs = scratch(24 * n * (steps + 1)), vs = scratch(24 * n), acc = scratch(24 * n);
  adjoint = scratch(24 * n), cx = scratch(24 * n), cv = scratch(24 * n), px = scratch(24 * n), pm = scratch(8 * n);
}

static void accelerations(const double *restrict x) {
  const double *y = x + n, *z = y + n;
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) {
    double ax = 0, ay = 0, az = 0;
    for (size_t j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      double d2 = dx * dx + dy * dy + dz * dz + 0.0025, w = m[j] / (d2 * sqrt(d2));
      ax += w * dx, ay += w * dy, az += w * dz;
    }
    acc[i] = ax, acc[n + i] = ay, acc[2 * n + i] = az;
  }
}

static double forwards(void) {
  double h = 0.01, sum = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) xs[c * n + i] = x0[3 * i + c], vs[c * n + i] = v0[3 * i + c];
  for (size_t s = 0; s < steps; s++) {
    double *x = xs + 3 * n * s, *next = x + 3 * n;
    accelerations(x);
    for (size_t i = 0; i < 3 * n; i++) vs[i] += 0.5 * h * acc[i], next[i] = x[i] + h * vs[i];
    accelerations(next);
    for (size_t i = 0; i < 3 * n; i++) vs[i] += 0.5 * h * acc[i];
  }
  const double *last = xs + 3 * n * steps;
  for (size_t i = 0; i < 3 * n; i++) sum += last[i] * last[i];
  return sum;
}

void value(void) { v[0] = forwards(); }

/* Adds to `px` and `pm` what positions and masses owe to the cotangent `a` of the accelerations. The force is odd in the
   distance, so that the sum over both ends of a pair is one sum. */
static void pull(const double *restrict x, const double *restrict a) {
  const double *y = x + n, *z = y + n, *ax = a, *ay = a + n, *az = ay + n;
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) {
    double sx = 0, sy = 0, sz = 0, sm = 0;
    for (size_t j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      double d2 = dx * dx + dy * dy + dz * dz + 0.0025, w = 1 / (d2 * sqrt(d2)), w5 = 3 * w / d2;
      /* The cotangent that this pair carries, as seen from i. */
      double bx = m[j] * ax[i] - m[i] * ax[j], by = m[j] * ay[i] - m[i] * ay[j], bz = m[j] * az[i] - m[i] * az[j];
      double dot = w5 * (bx * dx + by * dy + bz * dz);
      sx += dot * dx - w * bx, sy += dot * dy - w * by, sz += dot * dz - w * bz;
      sm -= w * (ax[j] * dx + ay[j] * dy + az[j] * dz);
    }
    px[i] += sx, px[n + i] += sy, px[2 * n + i] += sz, pm[i] += sm;
  }
}

void gradient(void) {
  double h = 0.01;
  forwards();
  for (size_t i = 0; i < 3 * n; i++) cx[i] = 2 * xs[3 * n * steps + i], cv[i] = 0;
  memset(pm, 0, 8 * n);
  for (size_t s = steps; s-- > 0;) {
    const double *x = xs + 3 * n * s, *next = x + 3 * n;
    memcpy(px, cx, 24 * n);
    for (size_t i = 0; i < 3 * n; i++) adjoint[i] = 0.5 * h * cv[i];
    pull(next, adjoint);
    for (size_t i = 0; i < 3 * n; i++) cv[i] += h * px[i], adjoint[i] = 0.5 * h * cv[i];
    pull(x, adjoint);
    memcpy(cx, px, 24 * n);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 3; c++) gx[3 * i + c] = cx[c * n + i], gv[3 * i + c] = cv[c * n + i];
    gm[i] = pm[i];
  }
}
