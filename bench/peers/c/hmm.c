/* A hidden Markov model: the forward algorithm in logarithms, and the way back over what it stored. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t k, m, b, length;
static const double *transition, *emission, *start;
static const int64_t *seen;
static double *v, *g_transition, *g_emission, *g_start;
/* Logarithms of probabilities: `to` is the transposed matrix of transitions. */
static double *to, *shown, *begun;
/* Of each thread: what it adds to the gradient, and what is stored of a sequence. */
static double *work;
static size_t per_thread;

void prepare(void) {
  transition = F64(0), emission = F64(1), start = F64(2), seen = I64(3);
  k = inputs[2].count, m = (size_t)inputs[1].shape[1], b = (size_t)inputs[3].shape[0], length = (size_t)inputs[3].shape[1];
  v = f64_output(1), g_transition = f64_output(k * k), g_emission = f64_output(k * m), g_start = f64_output(k);
  to = scratch(8 * k * k), shown = scratch(8 * k * m), begun = scratch(8 * k);
  per_thread = (k * k + k * m + k) + (2 * length * k + 2 * k) + 8;
  work = scratch(8 * per_thread * (size_t)omp_get_max_threads());
}

static double logsumexp(const double *a, size_t count) {
  double max = -INFINITY, sum = 0;
  for (size_t i = 0; i < count; i++) max = a[i] > max ? a[i] : max;
  for (size_t i = 0; i < count; i++) sum += exp(a[i] - max);
  return max + log(sum);
}

static void normalise(void) {
  for (size_t i = 0; i < k; i++) {
    double all = logsumexp(transition + i * k, k), symbols = logsumexp(emission + i * m, m);
    for (size_t j = 0; j < k; j++) to[j * k + i] = transition[i * k + j] - all;
    for (size_t j = 0; j < m; j++) shown[i * m + j] = emission[i * m + j] - symbols;
  }
  double all = logsumexp(start, k);
  for (size_t i = 0; i < k; i++) begun[i] = start[i] - all;
}

/* The likelihood of a sequence: `a[t]` are the states' scores, and `before[t]` the same without the symbol. */
static double forwards(const int64_t *s, double *a, double *before) {
  memcpy(before, begun, 8 * k);
  for (size_t t = 0; t < length; t++) {
    double *now = a + t * k, *from = before + t * k;
    if (t)
      for (size_t j = 0; j < k; j++) {
        const double *last = now - k, *row = to + j * k;
        double max = -INFINITY, sum = 0;
        for (size_t i = 0; i < k; i++) max = last[i] + row[i] > max ? last[i] + row[i] : max;
        for (size_t i = 0; i < k; i++) sum += exp(last[i] + row[i] - max);
        from[j] = max + log(sum);
      }
    for (size_t j = 0; j < k; j++) now[j] = from[j] + shown[j * m + (size_t)s[t]];
  }
  return logsumexp(a + (length - 1) * k, k);
}

void value(void) {
  normalise();
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    double *a = work + per_thread * (size_t)omp_get_thread_num() + k * k + k * m + k, *before = a + length * k;
#pragma omp for
    for (size_t i = 0; i < b; i++) sum += forwards(seen + i * length, a, before);
  }
  v[0] = sum;
}

/* Through the logarithm of a softmax: `g` less its sum times the probabilities. */
static void through(const double *g, const double *scores, double *out, size_t count) {
  double sum = 0, all = logsumexp(scores, count);
  for (size_t i = 0; i < count; i++) sum += g[i];
  for (size_t i = 0; i < count; i++) out[i] = g[i] - sum * exp(scores[i] - all);
}

void gradient(void) {
  normalise();
  size_t threads = (size_t)omp_get_max_threads(), count = k * k + k * m + k;
  memset(work, 0, 8 * per_thread * threads);
#pragma omp parallel
  {
    double *gt = work + per_thread * (size_t)omp_get_thread_num(), *ge = gt + k * k, *gs = ge + k * m;
    double *a = gs + k, *before = a + length * k, *d = before + length * k, *next = d + k;
#pragma omp for
    for (size_t i = 0; i < b; i++) {
      const int64_t *s = seen + i * length;
      double all = forwards(s, a, before);
      for (size_t j = 0; j < k; j++) d[j] = exp(a[(length - 1) * k + j] - all);
      for (size_t t = length - 1;; t--) {
        for (size_t j = 0; j < k; j++) ge[j * m + (size_t)s[t]] += d[j];
        if (t == 0) break;
        memset(next, 0, 8 * k);
        for (size_t j = 0; j < k; j++) {
          const double *last = a + (t - 1) * k, *row = to + j * k;
          double off = before[t * k + j], dj = d[j], *grow = gt + j * k;
          for (size_t u = 0; u < k; u++) {
            double w = dj * exp(last[u] + row[u] - off);
            grow[u] += w;
            next[u] += w;
          }
        }
        memcpy(d, next, 8 * k);
      }
      for (size_t j = 0; j < k; j++) gs[j] += d[j];
    }
  }
  for (size_t t = 1; t < threads; t++)
    for (size_t i = 0; i < count; i++) work[i] += work[t * per_thread + i];
  double *row = work + count;
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < k; j++) row[j] = work[j * k + i];
    through(row, transition + i * k, g_transition + i * k, k);
    through(work + k * k + i * m, emission + i * m, g_emission + i * m, m);
  }
  through(work + k * k + k * m, start, g_start, k);
}
