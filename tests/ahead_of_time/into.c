/* Results in memory of the caller: larger, of arguments, too small. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(arr_context *context, arr_status status)
{
    printf("%d %d %s\n", (int)status, (int)arr_context_code(context), arr_context_error(context));
}

static void check(arr_context *context, arr_status status)
{
    if (status != ARR_OK) {
        show(context, status);
        exit(1);
    }
}

static void print(const char *name, const arr_f64_1 *array)
{
    printf("%s:", name);
    for (int64_t i = 0; i < array->dims[0]; i++)
        printf(" %g", array->data[i]);
    printf("\n");
}

int main(void)
{
    arr_context *c = arr_context_new();
    double a[] = {1.0, 2.0, 3.0}, b[] = {10.0, 20.0, 30.0}, long_room[9], short_room[2] = {7.0, 7.0};
    arr_f64_1 x = {a, {3}}, y = {b, {3}};

    /* More room than is needed: the sizes are the result's, and the rest is left alone. */
    long_room[3] = 42.0;
    arr_f64_1 whole = {long_room, {9}};
    check(c, shapes_same_into(c, &x, &whole, NULL));
    print("whole", &whole);
    printf("%g\n", long_room[3]);

    /* In place, and results that lie in each other's arguments. */
    shapes_Point_1 points = {x, y};
    check(c, shapes_points_into(c, &points, &points));
    print("x", &points.x);
    print("y", &points.y);
    shapes_Layer layer = {{a, {1, 3}}, {b, {1}}};
    shapes_Net net = {layer, {{b, {1, 1}}, {b, {1}}}, 1.0f};
    arr_f64_1 in_place = {a, {3}};
    check(c, shapes_apply_into(c, &net, &x, &in_place));
    print("in place", &in_place);

    /* Changed sizes are noticed. */
    arr_f64_1 first_two = {b, {2}};
    whole.dims[0] = 9;
    check(c, shapes_same_into(c, &first_two, &whole, NULL));
    print("two", &whole);

    /* A gradient whose parts lie in one array. */
    double all[4], value;
    shapes_Net d_net = {{{all, {1, 1}}, {all + 1, {1}}}, {{all + 2, {1, 1}}, {all + 3, {1}}}, 0.0f};
    double one[] = {2.0};
    arr_f64_1 single = {one, {1}};
    shapes_Net small = {{{one, {1, 1}}, {one, {1}}}, {{one, {1, 1}}, {one, {1}}}, 1.0f};
    check(c, shapes_loss_value_and_grad_into(c, &small, &single, &single, &value, &d_net, NULL, NULL));
    printf("%g: %g %g %g %g, %g\n", value, all[0], all[1], all[2], all[3], (double)d_net.rate);

    /* What has too little room; nothing is written. */
    arr_f64_1 little = {short_room, {2}}, nowhere = {NULL, {3}}, negative = {short_room, {-3}}, kept = {long_room, {9}};
    arr_f64_1 crooked = {(const double *)((const char *)long_room + 1), {3}};
    long_room[0] = 42.0;
    show(c, shapes_same_into(c, &x, &kept, &little));
    show(c, shapes_same_into(c, &x, &kept, &nowhere));
    show(c, shapes_same_into(c, &x, &kept, &negative));
    show(c, shapes_same_into(c, &x, &kept, &crooked));
    d_net.second.weight.dims[0] = 0;
    value = 42.0;
    show(c, shapes_loss_value_and_grad_into(c, &small, &single, &single, &value, &d_net, NULL, NULL));
    if (long_room[0] != 42.0 || kept.dims[0] != 9 || short_room[0] != 7.0 || value != 42.0)
        abort();

    /* A program's failure leaves the memory alone, and needs no memory to be told. */
    show(c, shapes_zeroes_into(c, -1, &kept));
    if (long_room[0] != 42.0 || kept.dims[0] != 9)
        abort();
    check(c, shapes_zeroes_into(c, 9, &kept));
    print("zeroes", &kept);
    arr_context_free(c);
    return 0;
}
