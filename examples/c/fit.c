/*
 * Fits a mixture of three Gaussians to Fisher's irises, as examples/mixture.arr does: the gradient of the log-density
 * comes from the program, compiled ahead of time, and the climb is written in C.
 *
 *     make && ./fit ../data/iris.csv
 */
#include "mixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 3, D = 4, STEPS = 201 };

/* The parameters, in arrays of our own. `at` shows them to the library. */
typedef struct {
    double logw[K];
    double mean[K][D];
    double logdiag[K][D];
    double below[K][D][D];
} parameters;

static mixture_Mixture at(const parameters *p)
{
    mixture_Mixture m = {
        .logw = {p->logw, {K}},
        .mean = {&p->mean[0][0], {K, D}},
        .logdiag = {&p->logdiag[0][0], {K, D}},
        .below = {&p->below[0][0][0], {K, D, D}},
    };
    return m;
}

static void add(double *x, const double *step, size_t count, double rate)
{
    for (size_t i = 0; i < count; i++)
        x[i] += rate * step[i];
}

/* Reads lines of D numbers and commas; one heading line is passed over. */
static double *read_points(const char *path, int64_t *count)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    double *points = NULL;
    int64_t n = 0, room = 0;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        double x[D];
        if (sscanf(line, "%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &x[3]) != D)
            continue;
        if (n == room) {
            room = room ? 2 * room : 64;
            points = realloc(points, (size_t)room * sizeof x);
            if (!points)
                abort();
        }
        memcpy(points + n++ * D, x, sizeof x);
    }
    fclose(file);
    *count = n;
    return points;
}

int main(int argc, char **argv)
{
    int64_t n;
    double *points = read_points(argc > 1 ? argv[1] : "../data/iris.csv", &n);
    arr_f64_2 xs = {points, {n, D}};

    /* Three equal round components, centred on three of the points. */
    static parameters p;
    for (int j = 0; j < K; j++)
        memcpy(p.mean[j], points + n * (2 * j + 1) / 6 * D, sizeof p.mean[j]);

    int failed = 0;
    arr_context *context = arr_context_new();
    for (int step = 0; step < STEPS && !failed; step++) {
        mixture_Mixture here = at(&p), gradient;
        double density;
        if (mixture_density_value_and_grad(context, &here, &xs, &density, &gradient) != ARR_OK) {
            fprintf(stderr, "%s\n", arr_context_error(context));
            failed = 1;
            break;
        }
        if (step % 20 == 0)
            printf("step %3d: %.10f\n", step, density);
        const double rate = 0.0005;
        add(p.logw, gradient.logw.data, K, rate);
        add(&p.mean[0][0], gradient.mean.data, K * D, rate);
        add(&p.logdiag[0][0], gradient.logdiag.data, K * D, rate);
        add(&p.below[0][0][0], gradient.below.data, K * D * D, rate);
        arr_free_mixture_Mixture(&gradient);
    }
    arr_context_free(context);
    free(points);
    if (failed)
        return 1;

    double sum = 0.0;
    for (int j = 0; j < K; j++)
        sum += exp(p.logw[j]);
    for (int j = 0; j < K; j++)
        printf("weight %.10f, centre %.6f %.6f %.6f %.6f\n", exp(p.logw[j]) / sum, p.mean[j][0], p.mean[j][1],
               p.mean[j][2], p.mean[j][3]);
    return 0;
}
