/* k-means: every centre's gradient is a sum over its points, and the second derivative twice their number. */
#include "harness.h"
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, k, d;
static const double *centres, *points;
static double *v, *g, *h, *sums;

void prepare(void) {
  centres = F64(0), points = F64(1);
  k = (size_t)inputs[0].shape[0], d = (size_t)inputs[0].shape[1], n = (size_t)inputs[1].shape[0];
  v = f64_output(1), g = f64_output(k * d), h = f64_output(k * d);
  sums = scratch(8 * k * (d + 1) * (size_t)omp_get_max_threads());
}

/* The nearest centre of a point, and the square of its distance. */
static size_t nearest(const double *p, double *distance) {
  size_t best = 0;
  double least = 1.0 / 0.0;
  for (size_t j = 0; j < k; j++) {
    double s = 0;
    for (size_t c = 0; c < d; c++) {
      double u = p[c] - centres[j * d + c];
      s += u * u;
    }
    if (j == 0 || s < least) least = s, best = j;
  }
  *distance = least;
  return best;
}

void value(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; i++) {
    double s;
    nearest(points + i * d, &s);
    sum += s;
  }
  v[0] = sum;
}

void gradient(void) {
  size_t threads = (size_t)omp_get_max_threads(), width = d + 1;
  memset(sums, 0, 8 * k * width * threads);
#pragma omp parallel
  {
    double *own = sums + k * width * (size_t)omp_get_thread_num();
#pragma omp for
    for (size_t i = 0; i < n; i++) {
      double s;
      const double *p = points + i * d;
      double *to = own + width * nearest(p, &s);
      for (size_t c = 0; c < d; c++) to[c] += p[c];
      to[d] += 1;
    }
  }
  for (size_t j = 0; j < k; j++)
    for (size_t c = 0; c < d; c++) {
      double sum = 0, count = 0;
      for (size_t thread = 0; thread < threads; thread++) {
        sum += sums[(thread * k + j) * width + c];
        count += sums[(thread * k + j) * width + d];
      }
      g[j * d + c] = 2 * (count * centres[j * d + c] - sum);
      h[j * d + c] = 2 * count;
    }
}
