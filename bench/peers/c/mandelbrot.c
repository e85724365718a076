/* Steps until a point leaves the circle of radius 2. */
#include "harness.h"

const int value_outputs = 1, has_gradient = 0;
static int64_t width, height, limit;
static double *steps;

void prepare(void) {
  width = inputs[0].number, height = inputs[1].number, limit = inputs[2].number;
  steps = f64_output((size_t)(width * height));
}

void value(void) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t i = 0; i < height; i++) {
    double y = 2.5 * (double)i / (double)height - 1.25;
    for (int64_t j = 0; j < width; j++) {
      double x = 3.0 * (double)j / (double)width - 2.25, a = 0, b = 0;
      int64_t k = 0;
      while (a * a + b * b <= 4 && k < limit) {
        double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
        k++;
      }
      steps[i * width + j] = (double)k;
    }
  }
}

void gradient(void) {}
