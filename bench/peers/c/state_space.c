/* Diagonal state spaces of channels; channels are independent, and a channel's states are kept for the way back. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, c, k;
static const double *rates, *input, *read, *through, *step, *signal, *target;
static double *v, *g_rates, *g_input, *g_read, *g_through, *g_step, *work;

void prepare(void) {
  rates = F64(0), input = F64(1), read = F64(2), through = F64(3), step = F64(4), signal = F64(5), target = F64(6);
  c = (size_t)inputs[0].shape[0], k = (size_t)inputs[0].shape[1], n = (size_t)inputs[5].shape[0];
  v = f64_output(1), g_rates = f64_output(c * k), g_input = f64_output(c * k), g_read = f64_output(c * k);
  g_through = f64_output(c), g_step = f64_output(c);
  work = scratch(8 * ((n + 1) * k + n + 5 * k) * (size_t)omp_get_max_threads());
}

/* Runs channel `i`; `miss[t]` is how far it is off. With `keep` the state after `t` samples is in row `t`, or all are in one. */
static double channel(size_t i, double *states, double *miss, double *decay, double *take, int keep) {
  double sum = 0;
  for (size_t j = 0; j < k; j++) {
    decay[j] = exp(-exp(rates[i * k + j]) * exp(step[i]));
    take[j] = input[i * k + j] * (1 - decay[j]) / exp(rates[i * k + j]);
  }
  memset(states, 0, 8 * k);
  for (size_t t = 0; t < n; t++) {
    const double *from = states + (keep ? t * k : 0);
    double *to = states + (keep ? (t + 1) * k : 0), u = signal[t * c + i], y = through[i] * u;
    for (size_t j = 0; j < k; j++) {
      to[j] = decay[j] * from[j] + take[j] * u;
      y += read[i * k + j] * to[j];
    }
    miss[t] = y - target[t * c + i];
    sum += miss[t] * miss[t];
  }
  return sum;
}

static double *own(void) { return work + ((n + 1) * k + n + 5 * k) * (size_t)omp_get_thread_num(); }

void value(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < c; i++) {
    double *states = own(), *miss = states + (n + 1) * k, *decay = miss + n;
    sum += channel(i, states, miss, decay, decay + k, 0);
  }
  v[0] = sum / (double)(n * c);
}

void gradient(void) {
#pragma omp parallel for
  for (size_t i = 0; i < c; i++) {
    double *states = own(), *miss = states + (n + 1) * k, *decay = miss + n, *take = decay + k;
    double *g = take + k, *g_decay = g + k, *g_take = g_decay + k, *gr = g_read + i * k, by = 0;
    channel(i, states, miss, decay, take, 1);
    memset(g, 0, 8 * 3 * k), memset(gr, 0, 8 * k);
    for (size_t t = n; t-- > 0;) {
      const double *before = states + t * k, *after = before + k;
      double u = signal[t * c + i], dy = 2 * miss[t] / (double)(n * c);
      by += dy * u;
      for (size_t j = 0; j < k; j++) {
        gr[j] += dy * after[j];
        g[j] += dy * read[i * k + j];
        g_decay[j] += g[j] * before[j];
        g_take[j] += g[j] * u;
        g[j] *= decay[j];
      }
    }
    double by_step = 0;
    for (size_t j = 0; j < k; j++) {
      double rate = exp(rates[i * k + j]), in = input[i * k + j];
      /* The derivative of the decay by the logarithm of the rate, and by that of the step. */
      double turn = -decay[j] * rate * exp(step[i]), d = g_decay[j] - g_take[j] * in / rate;
      g_input[i * k + j] = g_take[j] * (1 - decay[j]) / rate;
      g_rates[i * k + j] = d * turn - g_take[j] * take[j];
      by_step += d * turn;
    }
    g_through[i] = by, g_step[i] = by_step;
  }
}
