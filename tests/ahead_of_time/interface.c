/* Calls of C source: results of lengths that data decide, empty arrays that are NULL, and tags. */
#include "interface.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 5, M = 3 };

static int64_t work[1000];

static void print(const char *name, const double *x, int64_t n)
{
    int64_t i;
    printf("%s (%d):", name, (int)n);
    for (i = 0; i < n; i++) {
        printf(" %g", x[i]);
    }
    printf("\n");
}

static void fail(int status)
{
    const interface_failure *why = interface_explain(status);
    if (why == NULL) {
        abort();
    }
    printf("%s %s %s\n", why->code, why->place, why->message);
}

int main(void)
{
    const double x[N] = {3.0, -1.0, 4.0, -1.0, 5.0};
    const int64_t tags[2] = {interface_Shape_Rect, interface_Shape_Nothing};
    const int64_t wrong[2] = {interface_Shape_Circle, 3};
    const double sides[2] = {2.0, 0.0};
    double result[N], other[N];
    int64_t at[N], length = -1;

    if (interface_above_work_i64(N, N) > 1000 || interface_chosen(N, x, 0.0, result, &length, N) != 0) {
        abort();
    }
    print("chosen", result, length);
    fail(interface_chosen(N, x, 0.0, result, &length, M - 1));
    if (interface_above(N, x, 0.0, result, &length, work, N) != 0) {
        abort();
    }
    print("above", result, length);
    if (interface_pairs(N, x, at, result, other, &length, N) != 0) {
        abort();
    }
    print("pairs", result, length);

    /* Nothing is read or written of arrays without elements. */
    if (interface_same(0, 0, NULL, NULL, NULL, NULL) != 0 || interface_same(2, 0, x, NULL, result, NULL) != 0) {
        abort();
    }
    if (interface_above(0, NULL, 0.0, NULL, &length, NULL, 0) != 0 || length != 0) {
        abort();
    }

    if (interface_area(interface_Shape_Rect, 0.0, 2.0, 3.0, result) != 0 || result[0] != 6.0) {
        abort();
    }
    fail(interface_area(7, 0.0, 2.0, 3.0, result));
    fail(interface_area(-1, 0.0, 2.0, 3.0, result));
    if (interface_areas(2, tags, sides, sides, sides, result) != 0) {
        abort();
    }
    print("areas", result, 2);
    fail(interface_areas(2, wrong, sides, sides, sides, result));
    /* A tag that another one does not choose is not read. */
    if (interface_kept(interface_Kept_Few, 99, 0.0, 0.0, 0.0, 4, result) != 0 || result[0] != 4.0) {
        abort();
    }
    fail(interface_kept(interface_Kept_All, 99, 0.0, 0.0, 0.0, 4, result));
    return 0;
}
