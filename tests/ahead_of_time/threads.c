/* Threads that call at once, with contexts of their own, get the same results; one context admits one at a time. */
#include "shapes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, CALLS = 200, N = 50 };

typedef struct {
    int number;
    arr_context *shared;
    int busy;
    double seen;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    arr_context *c = arr_context_new();
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i;
    arr_f64_1 in = {x, {N}};
    for (int call = 0; call < CALLS; call++) {
        arr_f64_1 first, second;
        if (shapes_same(c, &in, &first, &second) != ARR_OK || memcmp(first.data, second.data, sizeof x))
            abort();
        double picked, slope, value;
        /* Every thread's message is its own. */
        if (shapes_pick(c, &first, N + w->number, &picked) != ARR_FAILED)
            abort();
        char expected[64];
        snprintf(expected, sizeof expected, "index %d is out of range", N + w->number);
        if (!strstr(arr_context_error(c), expected))
            abort();
        if (shapes_f_value_and_grad(c, call, &value, &slope) != ARR_OK)
            abort();
        w->seen += slope;
        arr_free_f64_1(&first);
        arr_free_f64_1(&second);
        arr_status status = shapes_f(w->shared, 1.0, &value);
        if (status == ARR_BUSY)
            w->busy++;
        else if (status != ARR_OK)
            abort();
    }
    arr_context_free(c);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    static worker workers[THREADS];
    arr_context *shared = arr_context_new();
    for (int t = 0; t < THREADS; t++) {
        workers[t].number = t;
        workers[t].shared = shared;
        if (pthread_create(&threads[t], NULL, work, &workers[t]))
            abort();
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        printf("%.1f\n", workers[t].seen);
    }
    arr_context_free(shared);
    return 0;
}
