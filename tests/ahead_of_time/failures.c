/* Everything that can go wrong in a call: status, code, message. Results are left alone. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>

static const double one_to_three[] = {1.0, 2.0, 3.0};

static void show(arr_context *context, arr_status status)
{
    printf("%d %d %s\n", (int)status, (int)arr_context_code(context), arr_context_error(context));
}

int main(void)
{
    arr_context *c = arr_context_new();
    if (arr_context_code(c) != 0 || arr_context_error(c)[0])
        abort();
    arr_f64_1 x = {one_to_three, {3}}, two = {one_to_three, {2}}, none = {NULL, {0}}, kept = {one_to_three, {7}};
    double untouched = 42.0;
    int64_t quotient;

    /* What the program finds. */
    show(c, shapes_pick(c, &x, 7, &untouched));
    show(c, shapes_pick(c, &x, -1, &untouched));
    show(c, shapes_ratio(c, 1, 0, &quotient));
    show(c, shapes_zeroes(c, -5, &kept));
    show(c, shapes_great(c, &none, &untouched));
    show(c, shapes_add(c, &x, &two, &kept));

    /* Too much memory: for the machine, for numbers, and for what is allowed. */
    show(c, shapes_zeroes(c, INT64_C(1) << 50, &kept));
    show(c, shapes_zeroes(c, INT64_MAX, &kept));
    arr_context_set_max_memory(c, 1000);
    show(c, shapes_zeroes(c, 1000, &kept));
    arr_context_set_max_memory(c, INT64_MAX);

    /* Arguments that do not fit. */
    arr_f64_1 negative = {one_to_three, {-1}}, missing = {NULL, {3}}, huge = {one_to_three, {INT64_MAX}};
    arr_f64_1 crooked = {(const double *)((const char *)one_to_three + 1), {2}};
    arr_f64_2 y = {one_to_three, {1, 3}};
    arr_i64_1 first;
    show(c, shapes_pick(c, NULL, 0, &untouched));
    show(c, shapes_pick(c, &negative, 0, &untouched));
    show(c, shapes_pick(c, &missing, 0, &untouched));
    show(c, shapes_pick(c, &huge, 0, &untouched));
    show(c, shapes_pick(c, &crooked, 0, &untouched));
    show(c, shapes_sizes(c, 1, &x, &y, &first, &kept));
    show(c, shapes_sizes(c, 2, &two, &y, &first, &kept));
    show(c, shapes_sizes(c, 1, &none, &y, &first, &kept));
    shapes_Point_1 points = {x, two};
    shapes_Point_1 swapped;
    show(c, shapes_points(c, &points, &swapped));
    shapes_Shape shape = {.tag = 3};
    show(c, shapes_area(c, &shape, &untouched));
    shape.tag = shapes_Shape_Polygon;
    shape.Polygon._0 = points;
    show(c, shapes_area(c, &shape, &untouched));
    const int64_t tags[] = {0, -1};
    shapes_Shape_1 shapes = {.tag = {tags, {2}}};
    show(c, shapes_areas(c, &shapes, &kept));

    if (untouched != 42.0 || kept.data != one_to_three || kept.dims[0] != 7)
        abort();
    /* A call that succeeds keeps the message; a call without a context says nothing. */
    arr_status status = shapes_pick(c, &x, 1, &untouched);
    printf("%d %.1f\n", (int)status, untouched);
    printf("%d %s\n", (int)shapes_pick(NULL, &x, 1, &untouched), arr_context_error(NULL));
    arr_context_free(c);
    arr_context_free(NULL);
    return 0;
}
