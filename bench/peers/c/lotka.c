/* Predators and prey by the method of Runge and Kutta; the states of one place at a time are kept. */
#include "harness.h"
#include <omp.h>

enum { WIDE = 8 };
const int value_outputs = 1, has_gradient = 1;
static size_t n, steps;
static const double *rates, *prey, *hunters;
static double *v, *gr, *gp, *gh, *kept;

void prepare(void) {
  rates = F64(0), prey = F64(1), hunters = F64(2), n = inputs[1].count, steps = (size_t)inputs[3].number;
  v = f64_output(1), gr = f64_output(4 * n), gp = f64_output(n), gh = f64_output(n);
  kept = scratch(16 * WIDE * (steps + 1) * (size_t)omp_get_max_threads());
}

typedef struct { double r[4][WIDE], x[WIDE], y[WIDE]; } Places;

static void load(Places *p, size_t first) {
  for (size_t i = 0; i < WIDE; i++) {
    size_t at = first + i < n ? first + i : n - 1;
    for (size_t c = 0; c < 4; c++) p->r[c][i] = rates[4 * at + c];
    p->x[i] = prey[at], p->y[i] = hunters[at];
  }
}

#define FX(x, y) (a * (x) - b * (x) * (y))
#define FY(x, y) (d * (x) * (y) - c * (y))

static void step(Places *p, double h) {
#pragma omp simd
  for (size_t i = 0; i < WIDE; i++) {
    double a = p->r[0][i], b = p->r[1][i], c = p->r[2][i], d = p->r[3][i], x = p->x[i], y = p->y[i];
    double x1 = FX(x, y), y1 = FY(x, y), u = x + 0.5 * h * x1, w = y + 0.5 * h * y1;
    double x2 = FX(u, w), y2 = FY(u, w);
    u = x + 0.5 * h * x2, w = y + 0.5 * h * y2;
    double x3 = FX(u, w), y3 = FY(u, w);
    u = x + h * x3, w = y + h * y3;
    double x4 = FX(u, w), y4 = FY(u, w);
    p->x[i] = x + h / 6 * (x1 + 2 * (x2 + x3) + x4);
    p->y[i] = y + h / 6 * (y1 + 2 * (y2 + y3) + y4);
  }
}

void value(void) {
  double sum = 0, h = 5.0 / (double)steps;
#pragma omp parallel for reduction(+ : sum)
  for (size_t first = 0; first < n; first += WIDE) {
    Places p;
    load(&p, first);
    for (size_t t = 0; t < steps; t++) step(&p, h);
    for (size_t i = 0; i < WIDE && first + i < n; i++) sum += p.x[i];
  }
  v[0] = sum;
}

/* Takes the cotangent (kx, ky) of a slope at (u, w) to rates and state. */
#define BACK(u, w, kx, ky)                                                                  \
  ga += (kx) * (u), gb -= (kx) * (u) * (w), gc -= (ky) * (w), gd += (ky) * (u) * (w),       \
      ux = (kx) * (a - b * (w)) + (ky) * d * (w), uy = -(kx) * b * (u) + (ky) * (d * (u) - c)

void gradient(void) {
  double h = 5.0 / (double)steps;
#pragma omp parallel for
  for (size_t first = 0; first < n; first += WIDE) {
    double *own = kept + 2 * WIDE * (steps + 1) * (size_t)omp_get_thread_num();
    double gx[WIDE], gy[WIDE], grr[4][WIDE];
    Places p;
    load(&p, first);
    for (size_t t = 0; t < steps; t++) {
      for (size_t i = 0; i < WIDE; i++) own[2 * WIDE * t + i] = p.x[i], own[2 * WIDE * t + WIDE + i] = p.y[i];
      step(&p, h);
    }
    for (size_t i = 0; i < WIDE; i++) gx[i] = 1, gy[i] = 0, grr[0][i] = grr[1][i] = grr[2][i] = grr[3][i] = 0;
    for (size_t t = steps; t-- > 0;) {
#pragma omp simd
      for (size_t i = 0; i < WIDE; i++) {
        double a = p.r[0][i], b = p.r[1][i], c = p.r[2][i], d = p.r[3][i];
        double x = own[2 * WIDE * t + i], y = own[2 * WIDE * t + WIDE + i];
        double x1 = FX(x, y), y1 = FY(x, y), u1 = x + 0.5 * h * x1, w1 = y + 0.5 * h * y1;
        double x2 = FX(u1, w1), y2 = FY(u1, w1), u2 = x + 0.5 * h * x2, w2 = y + 0.5 * h * y2;
        double x3 = FX(u2, w2), y3 = FY(u2, w2), u3 = x + h * x3, w3 = y + h * y3;
        double ga = 0, gb = 0, gc = 0, gd = 0, ux, uy;
        double sx = gx[i], sy = gy[i], kx = h / 6 * gx[i], ky = h / 6 * gy[i];
        BACK(u3, w3, kx, ky);
        sx += ux, sy += uy;
        double lx = 2 * kx + h * ux, ly = 2 * ky + h * uy;
        BACK(u2, w2, lx, ly);
        sx += ux, sy += uy;
        lx = 2 * kx + 0.5 * h * ux, ly = 2 * ky + 0.5 * h * uy;
        BACK(u1, w1, lx, ly);
        sx += ux, sy += uy;
        lx = kx + 0.5 * h * ux, ly = ky + 0.5 * h * uy;
        BACK(x, y, lx, ly);
        gx[i] = sx + ux, gy[i] = sy + uy;
        grr[0][i] += ga, grr[1][i] += gb, grr[2][i] += gc, grr[3][i] += gd;
      }
    }
    for (size_t i = 0; i < WIDE && first + i < n; i++) {
      for (size_t c = 0; c < 4; c++) gr[4 * (first + i) + c] = grr[c][i];
      gp[first + i] = gx[i], gh[first + i] = gy[i];
    }
  }
}
