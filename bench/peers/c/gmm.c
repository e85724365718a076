/* A Gaussian mixture: only the lower triangles of the factors are touched. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, k, d, t;
static const double *alpha, *mean, *q, *l, *x;
static double *v, *g_alpha, *g_mean, *g_q, *g_l;
/* Factors by rows, the lower triangle full of `d` columns; offsets of the scores; gradients and work of each thread. */
static double *factors, *offsets, *work;
static size_t per_thread;

void prepare(void) {
  alpha = F64(0), mean = F64(1), q = F64(2), l = F64(3), x = F64(4);
  k = inputs[0].count, d = (size_t)inputs[1].shape[1], t = (size_t)inputs[3].shape[1], n = (size_t)inputs[4].shape[0];
  v = f64_output(1), g_alpha = f64_output(k), g_mean = f64_output(k * d), g_q = f64_output(k * d), g_l = f64_output(k * t);
  factors = scratch(8 * k * d * d), offsets = scratch(8 * k);
  /* Scores, differences and products; then the gradients by weight, centre and factor. */
  per_thread = (k + 2 * k * d + d) + (k + k * d + k * d * d);
  work = scratch(8 * per_thread * (size_t)omp_get_max_threads());
}

static void prepare_factors(void) {
  for (size_t j = 0; j < k; j++) {
    double sum = 0;
    for (size_t r = 0; r < d; r++) {
      factors[(j * d + r) * d + r] = exp(q[j * d + r]);
      sum += q[j * d + r];
    }
    const double *below = l + j * t;
    for (size_t c = 0; c < d; c++)
      for (size_t r = c + 1; r < d; r++) factors[(j * d + r) * d + c] = *below++;
    offsets[j] = alpha[j] + sum;
  }
}

static double logsumexp(const double *a, size_t count) {
  double m = a[0], s = 0;
  for (size_t j = 1; j < count; j++) m = a[j] > m ? a[j] : m;
  for (size_t j = 0; j < count; j++) s += exp(a[j] - m);
  return m + log(s);
}

/* The scores of a point, its distances `u` from the centres, and their products `y` with the factors. */
static void scores(const double *p, double *score, double *u, double *y) {
  for (size_t j = 0; j < k; j++) {
    double *uj = u + j * d, *yj = y + j * d, s = 0;
    for (size_t c = 0; c < d; c++) uj[c] = p[c] - mean[j * d + c];
    for (size_t r = 0; r < d; r++) {
      const double *row = factors + (j * d + r) * d;
      double dot = 0;
      for (size_t c = 0; c <= r; c++) dot += row[c] * uj[c];
      yj[r] = dot;
      s += dot * dot;
    }
    score[j] = offsets[j] - 0.5 * s;
  }
}

void value(void) {
  prepare_factors();
  double sum = 0, prior = 0;
#pragma omp parallel reduction(+ : sum)
  {
    double *own = work + per_thread * (size_t)omp_get_thread_num();
#pragma omp for
    for (size_t i = 0; i < n; i++) {
      scores(x + i * d, own, own + k, own + k + k * d);
      sum += logsumexp(own, k);
    }
  }
  for (size_t i = 0; i < k * d; i++) prior += exp(2 * q[i]);
  for (size_t i = 0; i < k * t; i++) prior += l[i] * l[i];
  v[0] = sum - (double)n * logsumexp(alpha, k) - 0.5 * prior;
}

void gradient(void) {
  prepare_factors();
  memset(work, 0, 8 * per_thread * (size_t)omp_get_max_threads());
#pragma omp parallel
  {
    double *score = work + per_thread * (size_t)omp_get_thread_num();
    double *u = score + k, *y = u + k * d;
    double *ga = y + k * d + d, *gm = ga + k, *gf = gm + k * d;
#pragma omp for
    for (size_t i = 0; i < n; i++) {
      scores(x + i * d, score, u, y);
      double total = logsumexp(score, k);
      for (size_t j = 0; j < k; j++) {
        double w = exp(score[j] - total);
        const double *uj = u + j * d, *yj = y + j * d;
        ga[j] += w;
        for (size_t r = 0; r < d; r++) {
          double wy = w * yj[r];
          const double *row = factors + (j * d + r) * d;
          double *grow = gf + (j * d + r) * d, *gmj = gm + j * d;
          for (size_t c = 0; c <= r; c++) {
            grow[c] -= wy * uj[c];
            gmj[c] += wy * row[c];
          }
        }
      }
    }
  }
  double *first = work + k + 2 * k * d + d;
  size_t threads = (size_t)omp_get_max_threads(), count = k + k * d + k * d * d;
  for (size_t thread = 1; thread < threads; thread++)
    for (size_t i = 0; i < count; i++) first[i] += first[thread * per_thread + i];
  double lse = logsumexp(alpha, k);
  const double *ga = first, *gm = ga + k, *gf = gm + k * d;
  for (size_t j = 0; j < k; j++) {
    g_alpha[j] = ga[j] - (double)n * exp(alpha[j] - lse);
    for (size_t r = 0; r < d; r++) {
      double e = factors[(j * d + r) * d + r];
      g_mean[j * d + r] = gm[j * d + r];
      g_q[j * d + r] = ga[j] + gf[(j * d + r) * d + r] * e - e * e;
    }
    double *below = g_l + j * t;
    const double *own = l + j * t;
    for (size_t c = 0; c < d; c++)
      for (size_t r = c + 1; r < d; r++) *below++ = gf[(j * d + r) * d + c] - *own++;
  }
}
