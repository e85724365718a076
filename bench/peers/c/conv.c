/* Two layers of convolution with 5x5 filters, rectifier and pooling, then a dense layer; in single precision. Pictures have edges of two
   zeros all round, so that the loops need no tests. The gradients of the parameters are added up by each thread for itself. */
#include "harness.h"
#include <math.h>
#include <omp.h>
#include <string.h>

const int value_outputs = 1, has_gradient = 1;
static size_t b, f, c, parameters;
static const float *f1, *b1, *f2, *b2, *weight, *bias, *xs;
static const int64_t *ys;
static float *v, *g[6];
static size_t counts[6];

/* What one picture needs, forwards and backwards, and the gradients of a thread. */
typedef struct {
  float *in1, *out1, *in2, *out2, *deep, *score;
  int *from1, *from2;
  float *din2, *dout1, *dout2, *ddeep, *dscore, *grad;
} Work;
static Work works[256];

void prepare(void) {
  f1 = F32(0), b1 = F32(1), f2 = F32(2), b2 = F32(3), weight = F32(4), bias = F32(5), xs = F32(6), ys = I64(7);
  f = inputs[1].count, c = inputs[5].count, b = inputs[7].count;
  v = f32_output(1);
  for (int i = 0; i < 6; i++) {
    counts[i] = inputs[i].count;
    g[i] = f32_output(counts[i]);
    parameters += counts[i];
  }
  for (int t = 0; t < omp_get_max_threads() && t < 256; t++)
    works[t] = (Work){
        .in1 = scratch(4 * 32 * 32), .out1 = scratch(4 * f * 28 * 28), .in2 = scratch(4 * f * 18 * 18),
        .out2 = scratch(4 * f * 14 * 14), .deep = scratch(4 * f * 49), .score = scratch(4 * c),
        .from1 = scratch(4 * f * 14 * 14), .from2 = scratch(4 * f * 49), .din2 = scratch(4 * f * 18 * 18),
        .dout1 = scratch(4 * f * 28 * 28), .dout2 = scratch(4 * f * 14 * 14), .ddeep = scratch(4 * f * 49),
        .dscore = scratch(4 * c), .grad = scratch(4 * parameters)};
}

/* out[k] = bias[k] + filters[k] over `channels` pictures of side + 4. */
static void convolve(const float *in, size_t channels, size_t side, const float *filters, const float *shift, float *out) {
  size_t wide = side + 4;
  for (size_t k = 0; k < f; k++) {
    float *restrict to = out + k * side * side;
    for (size_t i = 0; i < side * side; i++) to[i] = shift[k];
    for (size_t ch = 0; ch < channels; ch++)
      for (size_t p = 0; p < 5; p++)
        for (size_t i = 0; i < side; i++) {
          const float *tap = filters + ((k * channels + ch) * 5 + p) * 5;
          const float *restrict row = in + (ch * wide + i + p) * wide;
          for (size_t j = 0; j < side; j++)
            to[i * side + j] +=
                tap[0] * row[j] + tap[1] * row[j + 1] + tap[2] * row[j + 2] + tap[3] * row[j + 3] + tap[4] * row[j + 4];
        }
  }
}

/* The largest of each 2x2, or 0, into pictures with an edge; where it was, or -1. */
static void pool(const float *in, size_t side, size_t edge, float *out, int *from) {
  size_t half = side / 2, wide = half + 2 * edge;
  for (size_t k = 0; k < f; k++)
    for (size_t i = 0; i < half; i++)
      for (size_t j = 0; j < half; j++) {
        float best = 0;
        int at = -1;
        for (size_t q = 0; q < 4; q++) {
          size_t place = (k * side + 2 * i + q / 2) * side + 2 * j + q % 2;
          if (in[place] > best) best = in[place], at = (int)place;
        }
        out[(k * wide + i + edge) * wide + j + edge] = best;
        from[(k * half + i) * half + j] = at;
      }
}

static float forwards(Work *w, size_t picture) {
  for (size_t i = 0; i < 28; i++) memcpy(w->in1 + (i + 2) * 32 + 2, xs + (picture * 28 + i) * 28, 4 * 28);
  convolve(w->in1, 1, 28, f1, b1, w->out1);
  pool(w->out1, 28, 2, w->in2, w->from1);
  convolve(w->in2, f, 14, f2, b2, w->out2);
  pool(w->out2, 14, 0, w->deep, w->from2);
  float m = -INFINITY, total = 0;
  for (size_t k = 0; k < c; k++) {
    float s = bias[k];
    for (size_t i = 0; i < 49 * f; i++) s += weight[k * 49 * f + i] * w->deep[i];
    w->score[k] = s;
    m = s > m ? s : m;
  }
  for (size_t k = 0; k < c; k++) total += w->dscore[k] = expf(w->score[k] - m);
  for (size_t k = 0; k < c; k++) w->dscore[k] = (w->dscore[k] / total - ((int64_t)k == ys[picture])) / (float)b;
  return m + logf(total) - w->score[ys[picture]];
}

void value(void) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < b; i++) sum += forwards(&works[omp_get_thread_num()], i);
  v[0] = sum / (float)b;
}

/* Adds to the gradients of filters and biases; and to that of the input, unless it is not wanted. */
static void convolve_back(const float *in, size_t channels, size_t side, const float *filters, const float *dout, float *dfilters,
                          float *dshift, float *din) {
  size_t wide = side + 4;
  for (size_t k = 0; k < f; k++) {
    const float *restrict d = dout + k * side * side;
    float sum = 0;
    for (size_t i = 0; i < side * side; i++) sum += d[i];
    dshift[k] += sum;
    for (size_t ch = 0; ch < channels; ch++)
      for (size_t p = 0; p < 5; p++) {
        const float *tap = filters + ((k * channels + ch) * 5 + p) * 5;
        float *dtap = dfilters + ((k * channels + ch) * 5 + p) * 5;
        for (size_t q = 0; q < 5; q++) {
          float s = 0;
          for (size_t i = 0; i < side; i++) {
            const float *row = in + (ch * wide + i + p) * wide + q;
            for (size_t j = 0; j < side; j++) s += d[i * side + j] * row[j];
          }
          dtap[q] += s;
          if (!din) continue;
          for (size_t i = 0; i < side; i++) {
            float *restrict row = din + (ch * wide + i + p) * wide + q;
            for (size_t j = 0; j < side; j++) row[j] += d[i * side + j] * tap[q];
          }
        }
      }
  }
}

static void backwards(Work *w) {
  float *d1 = w->grad, *db1 = d1 + counts[0], *d2 = db1 + counts[1], *db2 = d2 + counts[2], *dw = db2 + counts[3],
        *db = dw + counts[4];
  memset(w->ddeep, 0, 4 * 49 * f);
  for (size_t k = 0; k < c; k++) {
    float d = w->dscore[k];
    db[k] += d;
    for (size_t i = 0; i < 49 * f; i++) {
      dw[k * 49 * f + i] += d * w->deep[i];
      w->ddeep[i] += d * weight[k * 49 * f + i];
    }
  }
  memset(w->dout2, 0, 4 * f * 14 * 14);
  for (size_t i = 0; i < 49 * f; i++)
    if (w->from2[i] >= 0) w->dout2[w->from2[i]] = w->ddeep[i];
  memset(w->din2, 0, 4 * f * 18 * 18);
  convolve_back(w->in2, f, 14, f2, w->dout2, d2, db2, w->din2);
  memset(w->dout1, 0, 4 * f * 28 * 28);
  for (size_t k = 0; k < f; k++)
    for (size_t i = 0; i < 14; i++)
      for (size_t j = 0; j < 14; j++) {
        int at = w->from1[(k * 14 + i) * 14 + j];
        if (at >= 0) w->dout1[at] = w->din2[(k * 18 + i + 2) * 18 + j + 2];
      }
  convolve_back(w->in1, 1, 28, f1, w->dout1, d1, db1, 0);
}

void gradient(void) {
  int threads = omp_get_max_threads() < 256 ? omp_get_max_threads() : 256;
#pragma omp parallel num_threads(threads)
  {
    Work *w = &works[omp_get_thread_num()];
    memset(w->grad, 0, 4 * parameters);
#pragma omp for
    for (size_t i = 0; i < b; i++) {
      forwards(w, i);
      backwards(w);
    }
  }
  for (int t = 1; t < threads; t++)
    for (size_t i = 0; i < parameters; i++) works[0].grad[i] += works[t].grad[i];
  const float *from = works[0].grad;
  for (int i = 0; i < 6; i++) {
    memcpy(g[i], from, 4 * counts[i]);
    from += counts[i];
  }
}
