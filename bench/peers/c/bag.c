/* Texts as means of vectors and a softmax, in single precision; the rows of the gradient are added one text after the other. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t words, d, c, b;
static const float *table, *weight, *bias;
static const int64_t *texts, *ys;
static float *v, *g_table, *g_weight, *g_bias, *means, *scores;

void prepare(void) {
  table = F32(0), weight = F32(1), bias = F32(2), texts = I64(3), ys = I64(4);
  d = (size_t)inputs[0].shape[1], c = inputs[2].count, b = inputs[4].count, words = (size_t)inputs[3].shape[1];
  v = f32_output(1), g_table = f32_output(inputs[0].count), g_weight = f32_output(c * d), g_bias = f32_output(c);
  means = scratch(4 * b * d), scores = scratch(4 * b * c);
}

/* The loss of a text; its scores become probabilities. */
static float loss(size_t i) {
  float *restrict x = means + i * d, *s = scores + i * c;
  memset(x, 0, 4 * d);
  for (size_t k = 0; k < words; k++) {
    const float *row = table + (size_t)texts[i * words + k] * d;
    for (size_t a = 0; a < d; a++) x[a] += row[a];
  }
  for (size_t a = 0; a < d; a++) x[a] /= (float)words;
  float m = -INFINITY, total = 0;
  for (size_t j = 0; j < c; j++) {
    float sum = bias[j];
    for (size_t a = 0; a < d; a++) sum += weight[j * d + a] * x[a];
    s[j] = sum;
    m = sum > m ? sum : m;
  }
  float own = s[ys[i]];
  for (size_t j = 0; j < c; j++) total += s[j] = expf(s[j] - m);
  for (size_t j = 0; j < c; j++) s[j] /= total;
  return m + logf(total) - own;
}

void value(void) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < b; i++) sum += loss(i);
  v[0] = sum / (float)b;
}

void gradient(void) {
  memset(g_table, 0, 4 * inputs[0].count);
  memset(g_weight, 0, 4 * c * d);
  memset(g_bias, 0, 4 * c);
#pragma omp parallel for
  for (size_t i = 0; i < b; i++) {
    loss(i);
    scores[i * c + (size_t)ys[i]] -= 1;
  }
  float back[d];
  for (size_t i = 0; i < b; i++) {
    const float *x = means + i * d;
    memset(back, 0, sizeof back);
    for (size_t j = 0; j < c; j++) {
      float g = scores[i * c + j] / (float)b;
      g_bias[j] += g;
      for (size_t a = 0; a < d; a++) {
        g_weight[j * d + a] += g * x[a];
        back[a] += g * weight[j * d + a] / (float)words;
      }
    }
    for (size_t k = 0; k < words; k++) {
      float *row = g_table + (size_t)texts[i * words + k] * d;
      for (size_t a = 0; a < d; a++) row[a] += back[a];
    }
  }
}
