/* Calls what shapes.arr defines. A line of output is the value of the expression in the comment before it. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>

static void check(arr_context *context, arr_status status)
{
    if (status != ARR_OK) {
        fprintf(stderr, "status %d: %s\n", (int)status, arr_context_error(context));
        exit(1);
    }
}

static void show_f64(double x)
{
    printf(x == (double)(long)x ? "%.1f" : "%.17g", x);
}

#define SHOW_ARRAY(array, type, show)                          \
    do {                                                       \
        printf("[");                                           \
        for (int64_t i_ = 0; i_ < (array).dims[0]; i_++) {     \
            type x_ = (array).data[i_];                        \
            printf(i_ ? ", " : "");                            \
            show;                                              \
        }                                                      \
        printf("]");                                           \
    } while (0)

static void show_f64s(arr_f64_1 a)
{
    SHOW_ARRAY(a, double, show_f64(x_));
}

static void show_shape(const shapes_Shape *s)
{
    switch (s->tag) {
    case shapes_Shape_Circle:
        printf("Circle({x = ");
        show_f64(s->Circle._0.x);
        printf(", y = ");
        show_f64(s->Circle._0.y);
        printf("}, ");
        show_f64(s->Circle._1);
        printf(")\n");
        break;
    case shapes_Shape_Polygon:
        printf("Polygon([");
        for (int64_t i = 0; i < s->Polygon._0.x.dims[0]; i++) {
            printf(i ? ", {x = " : "{x = ");
            show_f64(s->Polygon._0.x.data[i]);
            printf(", y = ");
            show_f64(s->Polygon._0.y.data[i]);
            printf("}");
        }
        printf("])\n");
        break;
    default:
        printf("Nothing\n");
    }
}

static void scalars(arr_context *c)
{
    bool a;
    int32_t b;
    int64_t l;
    uint32_t u;
    float f;
    double d;
    check(c, shapes_scalars(c, true, -7, INT64_C(1) << 40, 4294967295u, 1.25f, -0.5, &a, &b, &l, &u, &f, &d));
    /* > scalars(true, -7, 1099511627776, 4294967295, 1.25, -0.5) */
    printf("(%s, %d, %lld, %u, %.1f, %.1f)\n", a ? "true" : "false", (int)b, (long long)l, (unsigned)u, (double)f, d);
}

static void arrays(arr_context *c)
{
    const bool a[] = {true, false, true};
    const int32_t b[] = {1, -2, 3};
    const int64_t l[] = {4, 5, -6};
    const uint32_t u[] = {7, 8, 4294967295u};
    const float f[] = {0.5f, 1.5f, -2.5f};
    const double d[] = {0.25, -1.5, 3.0};
    arr_bool_1 a_in = {a, {3}}, a_out;
    arr_i32_1 b_in = {b, {3}}, b_out;
    arr_i64_1 l_in = {l, {3}}, l_out;
    arr_u32_1 u_in = {u, {3}}, u_out;
    arr_f32_1 f_in = {f, {3}}, f_out;
    arr_f64_1 d_in = {d, {3}}, d_out;
    check(c, shapes_arrays(c, &a_in, &b_in, &l_in, &u_in, &f_in, &d_in, &a_out, &b_out, &l_out, &u_out, &f_out, &d_out));
    /* > arrays([true, false, true], [1, -2, 3], [4, 5, -6], [7, 8, 4294967295], [0.5, 1.5, -2.5], [0.25, -1.5, 3.0]) */
    printf("(");
    SHOW_ARRAY(a_out, bool, printf("%s", x_ ? "true" : "false"));
    printf(", ");
    SHOW_ARRAY(b_out, int32_t, printf("%d", (int)x_));
    printf(", ");
    SHOW_ARRAY(l_out, int64_t, printf("%lld", (long long)x_));
    printf(", ");
    SHOW_ARRAY(u_out, uint32_t, printf("%u", (unsigned)x_));
    printf(", ");
    SHOW_ARRAY(f_out, float, show_f64((double)x_));
    printf(", ");
    show_f64s(d_out);
    printf(")\n");
    arr_free_bool_1(&a_out);
    arr_free_i32_1(&b_out);
    arr_free_i64_1(&l_out);
    arr_free_u32_1(&u_out);
    arr_free_f32_1(&f_out);
    arr_free_f64_1(&d_out);
    /* Again: they are empty now. */
    arr_free_f64_1(&d_out);
}

static void sizes(arr_context *c)
{
    const double x[] = {1.0, 2.0, 3.0}, y[] = {1.0, 2.0, 3.0, 4.0};
    arr_f64_1 x_in = {x, {3}}, second;
    arr_f64_2 y_in = {y, {2, 2}};
    arr_i64_1 first;
    check(c, shapes_sizes(c, 2, &x_in, &y_in, &first, &second));
    /* > sizes(2, [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]]) */
    printf("(");
    SHOW_ARRAY(first, int64_t, printf("%lld", (long long)x_));
    printf(", ");
    show_f64s(second);
    printf(")\n");
    arr_free_i64_1(&first);
    arr_free_f64_1(&second);
    /* An empty array has no data. */
    arr_f64_1 one = {x, {1}};
    arr_f64_2 none = {NULL, {0, 0}};
    check(c, shapes_sizes(c, 0, &one, &none, &first, &second));
    if (first.data || second.data)
        abort();
    /* > sizes(0, [1.0], (zeros(0, 0) :> [0][0]f64)) */
    printf("([], [])\n");
}

static void results(arr_context *c)
{
    const double x[] = {1.5, 2.0};
    arr_f64_1 in = {x, {2}}, first, second;
    /* Arguments that are results are copied, each of its own; what is not wanted is dropped. */
    check(c, shapes_same(c, &in, &first, NULL));
    check(c, shapes_same(c, &first, NULL, &second));
    if (first.data == x || second.data == first.data)
        abort();
    arr_free_f64_1(&first);
    /* > same([1.5, 2.0]).1 */
    show_f64s(second);
    printf("\n");
    arr_free_f64_1(&second);
    check(c, shapes_constant(c, &first));
    /* > constant */
    show_f64s(first);
    printf("\n");
    arr_free_f64_1(&first);
    check(c, shapes_nothing(c, 1.0));
}

static void records(arr_context *c)
{
    shapes_Point p = {1.0, 2.0}, sum;
    shapes_point_q q = {0.5, 3};
    check(c, shapes_point(c, &p, &q, &sum));
    /* > point({x = 1.0, y = 2.0}, (0.5, 3)) */
    printf("{x = %.1f, y = %.1f}\n", sum.x, sum.y);
    const double xs[] = {1.0, 2.0}, ys[] = {3.0, 4.0};
    shapes_Point_1 ps = {{xs, {2}}, {ys, {2}}}, swapped;
    check(c, shapes_points(c, &ps, &swapped));
    /* > points([{x = 1.0, y = 3.0}, {x = 2.0, y = 4.0}]) */
    printf("[{x = %.1f, y = %.1f}, {x = %.1f, y = %.1f}]\n", swapped.x.data[0], swapped.y.data[0], swapped.x.data[1],
           swapped.y.data[1]);
    arr_free_shapes_Point_1(&swapped);
}

static void sums(arr_context *c)
{
    const double xs[] = {0.0, 2.0, 2.0, 0.0}, ys[] = {0.0, 0.0, 1.0, 1.0};
    shapes_Shape circle = {.tag = shapes_Shape_Circle, .Circle = {{1.0, 2.0}, 2.0}};
    shapes_Shape polygon = {.tag = shapes_Shape_Polygon, .Polygon = {{{xs, {4}}, {ys, {4}}}}};
    shapes_Shape nothing = {.tag = shapes_Shape_Nothing}, grown;
    double area;
    check(c, shapes_area(c, &circle, &area));
    /* > area(Circle({x = 1.0, y = 2.0}, 2.0)) */
    printf("%.1f\n", area);
    check(c, shapes_area(c, &polygon, &area));
    /* > area(Polygon([{x = 0.0, y = 0.0}, {x = 2.0, y = 0.0}, {x = 2.0, y = 1.0}, {x = 0.0, y = 1.0}])) */
    printf("%.1f\n", area);
    check(c, shapes_area(c, &nothing, &area));
    /* > area(Nothing) */
    printf("%.1f\n", area);
    check(c, shapes_grown(c, &circle, 2.0, &grown));
    /* > grown(Circle({x = 1.0, y = 2.0}, 2.0), 2.0) */
    show_shape(&grown);
    arr_free_shapes_Shape(&grown);
    check(c, shapes_grown(c, &polygon, 2.0, &grown));
    /* > grown(Polygon([{x = 0.0, y = 0.0}, {x = 2.0, y = 0.0}, {x = 2.0, y = 1.0}, {x = 0.0, y = 1.0}]), 2.0) */
    show_shape(&grown);
    arr_free_shapes_Shape(&grown);

    /* An array of sums is a struct of arrays; no element is a polygon. */
    const int64_t tags[] = {shapes_Shape_Nothing, shapes_Shape_Circle};
    const double radii[] = {0.0, 1.0}, zeros[] = {0.0, 0.0};
    shapes_Shape_1 shapes = {.tag = {tags, {2}}, .Circle = {{{zeros, {2}}, {zeros, {2}}}, {radii, {2}}}};
    arr_f64_1 areas;
    check(c, shapes_areas(c, &shapes, &areas));
    /* > areas([Nothing, Circle({x = 0.0, y = 0.0}, 1.0)]) */
    show_f64s(areas);
    printf("\n");
    arr_free_f64_1(&areas);
    shapes_Shape_1 outline;
    check(c, shapes_outline(c, 3, &outline));
    check(c, shapes_areas(c, &outline, &areas));
    /* > areas(outline(3)) */
    show_f64s(areas);
    printf("\n");
    arr_free_f64_1(&areas);
    arr_free_shapes_Shape_1(&outline);
}

static void nested(arr_context *c)
{
    const double w1[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, b1[] = {0.5, -0.5}, w2[] = {1.0, -1.0}, b2[] = {2.0};
    const double x[] = {1.0, 0.0, -1.0}, target[] = {1.0};
    shapes_Net net = {{{w1, {2, 3}}, {b1, {2}}}, {{w2, {1, 2}}, {b2, {1}}}, 0.5f}, gradient;
    arr_f64_1 x_in = {x, {3}}, target_in = {target, {1}}, y;
    check(c, shapes_apply(c, &net, &x_in, &y));
    /* > apply({first = {weight = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], bias = [0.5, -0.5]}, second = {weight = [[1.0, -1.0]], bias = [2.0]}, rate = 0.5}, [1.0, 0.0, -1.0]) */
    show_f64s(y);
    printf("\n");
    arr_free_f64_1(&y);
    double value;
    check(c, shapes_loss_value_and_grad(c, &net, &x_in, &target_in, &value, &gradient, NULL, NULL));
    /* > let (v, g) = value_and_grad(\net => loss(net, [1.0, 0.0, -1.0], [1.0]))({first = {weight = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], bias = [0.5, -0.5]}, second = {weight = [[1.0, -1.0]], bias = [2.0]}, rate = 0.5f32}) in (v, g.first.bias, g.second.weight[0], g.rate) */
    printf("(");
    show_f64(value);
    printf(", ");
    show_f64s(gradient.first.bias);
    printf(", ");
    arr_f64_1 row = {gradient.second.weight.data, {gradient.second.weight.dims[1]}};
    show_f64s(row);
    printf(", ");
    show_f64((double)gradient.rate);
    printf(")\n");
    arr_free_shapes_Net(&gradient);
    double slope;
    check(c, shapes_f_value_and_grad(c, 3.0, &value, &slope));
    /* > value_and_grad(f)(3.0) */
    printf("(%.1f, %.1f)\n", value, slope);
    check(c, shapes_f_prime(c, 3.0, &value));
    /* > f'(3.0) */
    printf("%.1f\n", value);
}

int main(void)
{
    arr_context *context = arr_context_new();
    scalars(context);
    arrays(context);
    sizes(context);
    results(context);
    records(context);
    sums(context);
    nested(context);
    arr_context_free(context);
    return 0;
}
