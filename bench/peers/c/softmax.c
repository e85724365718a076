/* Softmax regression: one pass over the points, forwards and backwards. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, d, c;
static const double *weight, *bias, *xs;
static const int64_t *ys;
static double *v, *gw, *gb, *work;
static size_t per_thread;

void prepare(void) {
  weight = F64(0), bias = F64(1), xs = F64(2), ys = I64(3);
  c = (size_t)inputs[0].shape[0], d = (size_t)inputs[0].shape[1], n = inputs[3].count;
  v = f64_output(1), gw = f64_output(c * d), gb = f64_output(c);
  per_thread = c * d + 2 * c + 8;
  work = scratch(8 * per_thread * (size_t)omp_get_max_threads());
}

/* Minus the logarithm of the probability of the right class; `score` becomes the probabilities. */
static double loss(size_t i, double *score) {
  const double *x = xs + i * d;
  double m = -INFINITY, total = 0;
  for (size_t k = 0; k < c; k++) {
    double s = bias[k];
    for (size_t a = 0; a < d; a++) s += weight[k * d + a] * x[a];
    score[k] = s;
    m = s > m ? s : m;
  }
  double own = score[ys[i]];
  for (size_t k = 0; k < c; k++) total += score[k] = exp(score[k] - m);
  for (size_t k = 0; k < c; k++) score[k] /= total;
  return m + log(total) - own;
}

void value(void) {
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    double *score = work + per_thread * (size_t)omp_get_thread_num();
#pragma omp for
    for (size_t i = 0; i < n; i++) sum += loss(i, score);
  }
  v[0] = sum / (double)n;
}

void gradient(void) {
  size_t threads = (size_t)omp_get_max_threads();
  memset(work, 0, 8 * per_thread * threads);
#pragma omp parallel
  {
    double *score = work + per_thread * (size_t)omp_get_thread_num(), *db = score + c, *dw = db + c;
#pragma omp for
    for (size_t i = 0; i < n; i++) {
      loss(i, score);
      score[ys[i]] -= 1;
      for (size_t k = 0; k < c; k++) {
        db[k] += score[k];
        for (size_t a = 0; a < d; a++) dw[k * d + a] += score[k] * xs[i * d + a];
      }
    }
  }
  for (size_t k = 0; k < c + c * d; k++) {
    double s = 0;
    for (size_t t = 0; t < threads; t++) s += work[t * per_thread + c + k];
    s /= (double)n;
    if (k < c) gb[k] = s;
    else gw[k - c] = s;
  }
}
