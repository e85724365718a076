/* Three dense layers and cross entropy, in single precision: products of matrices as loops whose innermost one runs along rows. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t b, sizes[4];
static const float *w[3], *bias[3], *xs;
static const int64_t *ys;
static float *v, *gw[3], *gb[3], *act[4], *cot[4];

void prepare(void) {
  for (int i = 0; i < 3; i++) w[i] = F32(2 * i), bias[i] = F32(2 * i + 1);
  xs = F32(6), ys = I64(7), b = inputs[7].count;
  for (int i = 0; i < 3; i++) sizes[i] = (size_t)inputs[2 * i].shape[0];
  sizes[3] = inputs[5].count;
  v = f32_output(1);
  for (int i = 0; i < 3; i++) gw[i] = f32_output(sizes[i] * sizes[i + 1]), gb[i] = f32_output(sizes[i + 1]);
  for (int i = 1; i < 4; i++) act[i] = scratch(4 * b * sizes[i]), cot[i] = scratch(4 * b * sizes[i]);
}

static const float *input_of(int layer) { return layer ? act[layer] : xs; }

static void forwards(void) {
  for (int layer = 0; layer < 3; layer++) {
    size_t n = sizes[layer], m = sizes[layer + 1];
    const float *from = input_of(layer);
#pragma omp parallel for
    for (size_t i = 0; i < b; i++) {
      float *restrict row = act[layer + 1] + i * m;
      memcpy(row, bias[layer], 4 * m);
      for (size_t k = 0; k < n; k++) {
        float x = from[i * n + k];
        const float *restrict other = w[layer] + k * m;
        for (size_t j = 0; j < m; j++) row[j] += x * other[j];
      }
      if (layer < 2)
        for (size_t j = 0; j < m; j++) row[j] = row[j] > 0 ? row[j] : 0;
    }
  }
}

/* The loss; the cotangent of the scores, if `to` is given. */
static float loss(float *to) {
  size_t c = sizes[3];
  float sum = 0;
  for (size_t i = 0; i < b; i++) {
    const float *s = act[3] + i * c;
    float m = s[0], total = 0;
    for (size_t j = 1; j < c; j++) m = s[j] > m ? s[j] : m;
    for (size_t j = 0; j < c; j++) total += expf(s[j] - m);
    sum += m + logf(total) - s[ys[i]];
    if (to)
      for (size_t j = 0; j < c; j++) to[i * c + j] = (expf(s[j] - m) / total - ((int64_t)j == ys[i])) / (float)b;
  }
  return sum / (float)b;
}

void value(void) {
  forwards();
  v[0] = loss(0);
}

void gradient(void) {
  forwards();
  loss(cot[3]);
  for (int layer = 2; layer >= 0; layer--) {
    size_t n = sizes[layer], m = sizes[layer + 1];
    const float *from = input_of(layer), *g = cot[layer + 1];
    memset(gb[layer], 0, 4 * m);
    for (size_t i = 0; i < b; i++)
      for (size_t j = 0; j < m; j++) gb[layer][j] += g[i * m + j];
#pragma omp parallel for
    for (size_t k = 0; k < n; k++) {
      float *restrict row = gw[layer] + k * m;
      memset(row, 0, 4 * m);
      for (size_t i = 0; i < b; i++) {
        float x = from[i * n + k];
        const float *restrict other = g + i * m;
        for (size_t j = 0; j < m; j++) row[j] += x * other[j];
      }
    }
    if (layer == 0) break;
#pragma omp parallel for
    for (size_t i = 0; i < b; i++)
      for (size_t k = 0; k < n; k++) {
        float s = 0;
        const float *gi = g + i * m, *row = w[layer] + k * m;
        for (size_t j = 0; j < m; j++) s += gi[j] * row[j];
        cot[layer][i * n + k] = from[i * n + k] > 0 ? s : 0;
      }
  }
}
