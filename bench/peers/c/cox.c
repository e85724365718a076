/* The partial likelihood of survival: patients sorted by time, the last first, and running sums both ways. */
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t n, d;
static const double *beta, *x, *time_of;
static const int64_t *event;
static double *v, *g;

/* A patient's time and number, so that sorting moves through memory in order. */
typedef struct {
  double time;
  size_t at;
} Patient;
static Patient *order;
/* In sorted order. */
static double *score, *at_risk;

void prepare(void) {
  beta = F64(0), x = F64(1), time_of = F64(2), event = I64(3);
  d = inputs[0].count, n = inputs[2].count;
  v = f64_output(1), g = f64_output(d);
  order = scratch(sizeof(Patient) * n), score = scratch(8 * n), at_risk = scratch(8 * n);
}

static int later(const void *a, const void *b) {
  double s = ((const Patient *)a)->time, t = ((const Patient *)b)->time;
  return (s < t) - (s > t);
}

static void forwards(void) {
  for (size_t i = 0; i < n; i++) order[i] = (Patient){time_of[i], i};
  qsort(order, n, sizeof *order, later);
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) {
    const double *row = x + order[i].at * d;
    double s = 0;
    for (size_t a = 0; a < d; a++) s += row[a] * beta[a];
    score[i] = s;
    at_risk[i] = exp(s);
  }
  for (size_t i = 1; i < n; i++) at_risk[i] += at_risk[i - 1];
}

void value(void) {
  forwards();
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; i++)
    if (event[order[i].at] == 1) sum += score[i] - log(at_risk[i]);
  v[0] = sum / (double)n;
}

void gradient(void) {
  forwards();
  memset(g, 0, 8 * d);
  double hazard = 0;
  for (size_t i = n; i-- > 0;) {
    int had = event[order[i].at] == 1;
    if (had) hazard += 1 / at_risk[i];
    double by_score = (had - exp(score[i]) * hazard) / (double)n;
    const double *row = x + order[i].at * d;
    for (size_t a = 0; a < d; a++) g[a] += by_score * row[a];
  }
}
