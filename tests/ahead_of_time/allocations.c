/* Counts the calls of the allocator. Each line is a function, and how often the first call with a context, the second, and
 * the hundred calls after that allocate. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>

/* The allocator of the C library, behind the functions that everything calls. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long allocations;

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **made, size_t alignment, size_t size)
{
    allocations++;
    *made = __libc_memalign(alignment, size);
    return *made == NULL;
}

#define COUNT(name, call)                                                                       \
    do {                                                                                        \
        arr_context *context = arr_context_new();                                               \
        long counts[3], before;                                                                 \
        for (int call_ = 0; call_ < 3; call_++) {                                               \
            before = allocations;                                                               \
            for (int repeat = 0; repeat < (call_ < 2 ? 1 : 100); repeat++)                      \
                if ((call) != ARR_OK) {                                                         \
                    printf("%s\n", arr_context_error(context));                                 \
                    return 1;                                                                   \
                }                                                                               \
            counts[call_] = allocations - before;                                               \
        }                                                                                       \
        printf("%s: %s, %ld, %ld\n", name, counts[0] > 0 ? "some" : "none", counts[1], counts[2]); \
        arr_context_free(context);                                                              \
    } while (0)

int main(void)
{
    static const double numbers[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    static const int64_t longs[] = {1, 2, 3};
    static const int32_t ints[] = {1, 2, 3};
    static const uint32_t unsigneds[] = {1, 2, 3};
    static const float floats[] = {1, 2, 3};
    static const bool bools[] = {true, false, true};
    static double room[16][16];
    double y, value;
    bool b;
    int32_t i;
    int64_t l;
    uint32_t u;
    float f;

    COUNT("f", shapes_f(context, 3.0, &y));
    COUNT("scalars", shapes_scalars(context, true, 1, 2, 3, 4.0f, 5.0, &b, &i, &l, &u, &f, &y));

    arr_bool_1 x0 = {bools, {3}}, y0 = {(bool *)room[0], {16}};
    arr_i32_1 x1 = {ints, {3}}, y1 = {(int32_t *)room[1], {16}};
    arr_i64_1 x2 = {longs, {3}}, y2 = {(int64_t *)room[2], {16}};
    arr_u32_1 x3 = {unsigneds, {3}}, y3 = {(uint32_t *)room[3], {16}};
    arr_f32_1 x4 = {floats, {3}}, y4 = {(float *)room[4], {16}};
    arr_f64_1 x5 = {numbers, {3}}, y5 = {room[5], {16}};
    COUNT("arrays", shapes_arrays_into(context, &x0, &x1, &x2, &x3, &x4, &x5, &y0, &y1, &y2, &y3, &y4, &y5));

    y2.dims[0] = y5.dims[0] = 16;
    arr_f64_2 rows = {numbers, {2, 2}};
    COUNT("sizes", shapes_sizes_into(context, 2, &x5, &rows, &y2, &y5));
    COUNT("same", shapes_same_into(context, &x5, &y5, &(arr_f64_1){room[6], {3}}));
    COUNT("constant", shapes_constant_into(context, &y5));

    /* A payload that is not there is an array of zeros. */
    shapes_Shape nothing = {.tag = shapes_Shape_Nothing}, grown = {0};
    grown.Polygon._0.x = (arr_f64_1){room[6], {4}};
    grown.Polygon._0.y = (arr_f64_1){room[7], {4}};
    COUNT("grown", shapes_grown_into(context, &nothing, 2.0, &grown));

    shapes_Net net = {{{numbers, {3, 2}}, {numbers, {3}}}, {{numbers, {2, 3}}, {numbers, {2}}}, 0.5f};
    shapes_Net d_net = {{{room[8], {3, 2}}, {room[9], {3}}}, {{room[10], {2, 3}}, {room[11], {2}}}, 0};
    arr_f64_1 two = {numbers, {2}}, d_x = {room[12], {2}}, d_target = {room[13], {2}};
    COUNT("apply", shapes_apply_into(context, &net, &two, &d_x));
    COUNT("loss_value_and_grad",
          shapes_loss_value_and_grad_into(context, &net, &two, &two, &value, &d_net, &d_x, &d_target));
    arr_f64_1 empty = {NULL, {0}};
    COUNT("same, empty", shapes_same_into(context, &empty, &empty, &empty));

    /* Arrays that the caller is to own have to be allocated, and no more than they. */
    COUNT("apply, owned", shapes_apply(context, &net, &two, &d_x));
    return 0;
}
