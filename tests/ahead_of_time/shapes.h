/* Compiled from shapes.arr by arr 0.1.0. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#ifndef ARR_H
#define ARR_H

#ifdef __cplusplus
#define ARR_C extern "C"
#else
#define ARR_C
#endif

/* What every function returns. */
typedef enum arr_status {
    ARR_OK = 0,
    ARR_FAILED = 1,        /* the program stopped: an index out of range, a division by zero, .. */
    ARR_BAD_ARGUMENT = 2,  /* an argument does not fit the function, or the other arguments */
    ARR_OUT_OF_MEMORY = 3, /* there is not enough memory, or the context allows no more */
    ARR_BUSY = 4,          /* another thread is in a call with this context */
    ARR_INTERNAL = 5       /* the library was put together from different versions, or has a fault */
} arr_status;

/*
 * A context holds the message of the last failure and the limits of calls. One thread uses it at a time; threads that
 * call at once have a context each. There is no other state.
 *
 * Arguments are read in place and never changed or kept. Results are written when the call succeeds, and not touched
 * otherwise; a result pointer that is NULL means that this result is not wanted. Arrays in results belong to the
 * caller, whatever becomes of the context, until their arr_free_ function is called, which leaves them empty.
 *
 * A function whose name ends in _into writes arrays to memory that the caller gives instead: `data` of each result, which
 * has room for as many elements as its `dims` say. Afterwards `dims` are those of the result. The memory may be that of
 * arguments, but not of another result. Such a call allocates nothing, if it is not the first one of the context that has
 * arguments of these sizes, and runs on one thread.
 */
typedef struct arr_context arr_context;

ARR_C arr_context *arr_context_new(void);
ARR_C void arr_context_free(arr_context *context);

/* What a status says, in one line. Of ARR_BUSY there is no more to know: the context belongs to the other thread. */
ARR_C const char *arr_status_text(arr_status status);

/* What went wrong in the last call that failed, with the place in the program: one line, valid until the next call. */
ARR_C const char *arr_context_error(const arr_context *context);

/* The number of its diagnostic, 601 for E0601 (`arr explain E0601`); 0 if it has none. */
ARR_C int32_t arr_context_code(const arr_context *context);

/*
 * Copies the message of a call that has just returned `status`, as much of it as `room` bytes hold with the 0 at the end, and
 * gives the number of its diagnostic. While another thread is in a call, the text of ARR_BUSY is copied.
 */
ARR_C int32_t arr_context_copy_error(arr_context *context, arr_status status, char *text, int64_t room);

/* How many bytes each later call may use for arrays; no limit if this is not called. */
ARR_C void arr_context_set_max_memory(arr_context *context, int64_t bytes);

/*
 * On how many threads each later call runs; one if this is not called, as many as there are cores if the number is 0.
 * There are never more than 64, or than there are cores if these are more. Results do not depend on it. All contexts of
 * a process share these threads.
 */
ARR_C void arr_context_set_threads(arr_context *context, int32_t threads);

#endif

#ifndef ARR_BOOL_1
#define ARR_BOOL_1
typedef struct arr_bool_1 {
    const bool *data;
    int64_t dims[1];
} arr_bool_1;
ARR_C void arr_free_bool_1(arr_bool_1 *array);
#endif

#ifndef ARR_I32_1
#define ARR_I32_1
typedef struct arr_i32_1 {
    const int32_t *data;
    int64_t dims[1];
} arr_i32_1;
ARR_C void arr_free_i32_1(arr_i32_1 *array);
#endif

#ifndef ARR_I64_1
#define ARR_I64_1
typedef struct arr_i64_1 {
    const int64_t *data;
    int64_t dims[1];
} arr_i64_1;
ARR_C void arr_free_i64_1(arr_i64_1 *array);
#endif

#ifndef ARR_U32_1
#define ARR_U32_1
typedef struct arr_u32_1 {
    const uint32_t *data;
    int64_t dims[1];
} arr_u32_1;
ARR_C void arr_free_u32_1(arr_u32_1 *array);
#endif

#ifndef ARR_F32_1
#define ARR_F32_1
typedef struct arr_f32_1 {
    const float *data;
    int64_t dims[1];
} arr_f32_1;
ARR_C void arr_free_f32_1(arr_f32_1 *array);
#endif

#ifndef ARR_F64_1
#define ARR_F64_1
typedef struct arr_f64_1 {
    const double *data;
    int64_t dims[1];
} arr_f64_1;
ARR_C void arr_free_f64_1(arr_f64_1 *array);
#endif

#ifndef ARR_F64_2
#define ARR_F64_2
typedef struct arr_f64_2 {
    const double *data;
    int64_t dims[2];
} arr_f64_2;
ARR_C void arr_free_f64_2(arr_f64_2 *array);
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { shapes_Shape_Circle, shapes_Shape_Polygon, shapes_Shape_Nothing };

typedef struct shapes_Point {
    double x;
    double y;
} shapes_Point;

typedef struct shapes_point_q {
    double _0;
    int64_t _1;
} shapes_point_q;

/**
 * An array of rank 1 of `Point`, as a struct of arrays of one shape.
 */
typedef struct shapes_Point_1 {
    arr_f64_1 x; /* [n]f64 */
    arr_f64_1 y; /* [n]f64 */
} shapes_Point_1;
void arr_free_shapes_Point_1(shapes_Point_1 *value);

/**
 * A figure in the plane. * / A comment of C does not end here.
 */
typedef struct shapes_Shape {
    int64_t tag; /* shapes_Shape_Circle, shapes_Shape_Polygon, shapes_Shape_Nothing */
    struct { shapes_Point _0; double _1; } Circle; /* Circle({ x: f64, y: f64 }, f64) */
    struct { shapes_Point_1 _0; } Polygon; /* Polygon([4]{ x: f64, y: f64 }) */
} shapes_Shape;
void arr_free_shapes_Shape(shapes_Shape *value);

/**
 * An array of rank 2 of `Point`, as a struct of arrays of one shape.
 */
typedef struct shapes_Point_2 {
    arr_f64_2 x; /* [n][4]f64 */
    arr_f64_2 y; /* [n][4]f64 */
} shapes_Point_2;
void arr_free_shapes_Point_2(shapes_Point_2 *value);

/**
 * An array of rank 1 of `Shape`, as a struct of arrays of one shape.
 * A figure in the plane. * / A comment of C does not end here.
 */
typedef struct shapes_Shape_1 {
    arr_i64_1 tag; /* shapes_Shape_Circle, shapes_Shape_Polygon, shapes_Shape_Nothing */
    struct { shapes_Point_1 _0; arr_f64_1 _1; } Circle; /* Circle([n]{ x: f64, y: f64 }, [n]f64) */
    struct { shapes_Point_2 _0; } Polygon; /* Polygon([n][4]{ x: f64, y: f64 }) */
} shapes_Shape_1;
void arr_free_shapes_Shape_1(shapes_Shape_1 *value);

typedef struct shapes_Layer {
    arr_f64_2 weight; /* [n][m]f64 */
    arr_f64_1 bias; /* [n]f64 */
} shapes_Layer;
void arr_free_shapes_Layer(shapes_Layer *value);

typedef struct shapes_Net {
    shapes_Layer first; /* { weight: [n][m]f64, bias: [n]f64 } */
    shapes_Layer second; /* { weight: [k][n]f64, bias: [k]f64 } */
    float rate;
} shapes_Net;
void arr_free_shapes_Net(shapes_Net *value);

/**
 * Every scalar type, and names that C keeps for itself.
 *
 *     scalars(bool: bool, int: i32, long: i64, unsigned: u32, float: f32, double: f64) -> (bool, i32, i64, u32, f32, f64)
 *     -- shapes.arr:13
 *
 * in  bool_      bool
 * in  int_       i32
 * in  long_      i64
 * in  unsigned_  u32
 * in  float_     f32
 * in  double_    f64
 * out result_0   bool
 * out result_1   i32
 * out result_2   i64
 * out result_3   u32
 * out result_4   f32
 * out result_5   f64
 */
arr_status shapes_scalars(
    arr_context *context,
    bool bool_,
    int32_t int_,
    int64_t long_,
    uint32_t unsigned_,
    float float_,
    double double_,
    bool *result_0,
    int32_t *result_1,
    int64_t *result_2,
    uint32_t *result_3,
    float *result_4,
    double *result_5);

/**
 * Arrays of every element type.
 *
 *     arrays(a: [n]bool, b: [n]i32, c: [n]i64, d: [n]u32, e: [n]f32, f: [n]f64) -> ([n]bool, [n]i32, [n]i64, [n]u32, [n]f32, [n]f64)
 *     -- shapes.arr:24
 *
 * in  a         [n]bool
 * in  b         [n]i32
 * in  c         [n]i64
 * in  d         [n]u32
 * in  e         [n]f32
 * in  f         [n]f64
 * out result_0  [n]bool
 * out result_1  [n]i32
 * out result_2  [n]i64
 * out result_3  [n]u32
 * out result_4  [n]f32
 * out result_5  [n]f64
 */
arr_status shapes_arrays(
    arr_context *context,
    const arr_bool_1 *a,
    const arr_i32_1 *b,
    const arr_i64_1 *c,
    const arr_u32_1 *d,
    const arr_f32_1 *e,
    const arr_f64_1 *f,
    arr_bool_1 *result_0,
    arr_i32_1 *result_1,
    arr_i64_1 *result_2,
    arr_u32_1 *result_3,
    arr_f32_1 *result_4,
    arr_f64_1 *result_5);
/** `shapes_arrays`, with arrays in memory that the results name. */
arr_status shapes_arrays_into(
    arr_context *context,
    const arr_bool_1 *a,
    const arr_i32_1 *b,
    const arr_i64_1 *c,
    const arr_u32_1 *d,
    const arr_f32_1 *e,
    const arr_f64_1 *f,
    arr_bool_1 *result_0,
    arr_i32_1 *result_1,
    arr_i64_1 *result_2,
    arr_u32_1 *result_3,
    arr_f32_1 *result_4,
    arr_f64_1 *result_5);

/**
 * Sizes of every kind: `n + 1` is solved for `n`, and `k` is a parameter.
 *
 *     sizes(k: i64, x: [n+1]f64, y: [k][n]f64) -> ([n]i64, [2*k]f64)
 *     -- shapes.arr:35
 *
 * in  k         i64
 * in  x         [n + 1]f64
 * in  y         [k][n]f64
 * out result_0  [n]i64
 * out result_1  [2 * k]f64
 */
arr_status shapes_sizes(
    arr_context *context,
    int64_t k,
    const arr_f64_1 *x,
    const arr_f64_2 *y,
    arr_i64_1 *result_0,
    arr_f64_1 *result_1);
/** `shapes_sizes`, with arrays in memory that the results name. */
arr_status shapes_sizes_into(
    arr_context *context,
    int64_t k,
    const arr_f64_1 *x,
    const arr_f64_2 *y,
    arr_i64_1 *result_0,
    arr_f64_1 *result_1);

/**
 * The argument itself, twice.
 *
 *     same(x: [n]f64) -> ([n]f64, [n]f64)
 *     -- shapes.arr:39
 *
 * in  x         [n]f64
 * out result_0  [n]f64
 * out result_1  [n]f64
 */
arr_status shapes_same(
    arr_context *context,
    const arr_f64_1 *x,
    arr_f64_1 *result_0,
    arr_f64_1 *result_1);
/** `shapes_same`, with arrays in memory that the results name. */
arr_status shapes_same_into(
    arr_context *context,
    const arr_f64_1 *x,
    arr_f64_1 *result_0,
    arr_f64_1 *result_1);

/**
 *     constant
 *     -- shapes.arr:41
 *
 * out result  [3]f64
 */
arr_status shapes_constant(arr_context *context, arr_f64_1 *result);
/** `shapes_constant`, with arrays in memory that the results name. */
arr_status shapes_constant_into(arr_context *context, arr_f64_1 *result);

/**
 *     point(p: Point, q: (f64, i64)) -> Point
 *     -- shapes.arr:43
 *
 * in  p       Point
 * in  q       (f64, i64)
 * out result  Point
 */
arr_status shapes_point(
    arr_context *context,
    const shapes_Point *p,
    const shapes_point_q *q,
    shapes_Point *result);

/**
 *     points(ps: [n]Point) -> [n]Point
 *     -- shapes.arr:45
 *
 * in  ps      [n]Point
 * out result  [n]Point
 */
arr_status shapes_points(arr_context *context, const shapes_Point_1 *ps, shapes_Point_1 *result);
/** `shapes_points`, with arrays in memory that the results name. */
arr_status shapes_points_into(
    arr_context *context,
    const shapes_Point_1 *ps,
    shapes_Point_1 *result);

/**
 *     area(s: Shape) -> f64
 *     -- shapes.arr:47
 *
 * in  s       Shape
 * out result  f64
 */
arr_status shapes_area(arr_context *context, const shapes_Shape *s, double *result);

/**
 *     grown(s: Shape, by: f64) -> Shape
 *     -- shapes.arr:57
 *
 * in  s       Shape
 * in  by      f64
 * out result  Shape
 */
arr_status shapes_grown(
    arr_context *context,
    const shapes_Shape *s,
    double by,
    shapes_Shape *result);
/** `shapes_grown`, with arrays in memory that the results name. */
arr_status shapes_grown_into(
    arr_context *context,
    const shapes_Shape *s,
    double by,
    shapes_Shape *result);

/**
 *     areas(shapes: [n]Shape) -> [n]f64
 *     -- shapes.arr:64
 *
 * in  shapes  [n]Shape
 * out result  [n]f64
 */
arr_status shapes_areas(arr_context *context, const shapes_Shape_1 *shapes, arr_f64_1 *result);
/** `shapes_areas`, with arrays in memory that the results name. */
arr_status shapes_areas_into(arr_context *context, const shapes_Shape_1 *shapes, arr_f64_1 *result);

/**
 *     outline(n: i64) -> [n]Shape
 *     -- shapes.arr:66
 *
 * in  n       i64
 * out result  [n]Shape
 */
arr_status shapes_outline(arr_context *context, int64_t n, shapes_Shape_1 *result);
/** `shapes_outline`, with arrays in memory that the results name. */
arr_status shapes_outline_into(arr_context *context, int64_t n, shapes_Shape_1 *result);

/**
 *     apply(net: Net[n, m, k], x: [m]f64) -> [k]f64
 *     -- shapes.arr:69
 *
 * in  net     Net[n, m, k]
 * in  x       [m]f64
 * out result  [k]f64
 */
arr_status shapes_apply(
    arr_context *context,
    const shapes_Net *net,
    const arr_f64_1 *x,
    arr_f64_1 *result);
/** `shapes_apply`, with arrays in memory that the results name. */
arr_status shapes_apply_into(
    arr_context *context,
    const shapes_Net *net,
    const arr_f64_1 *x,
    arr_f64_1 *result);

/**
 * `f` and `f'` are two names.
 *
 *     f(x: f64) -> f64
 *     -- shapes.arr:78
 *
 * in  x       f64
 * out result  f64
 */
arr_status shapes_f(arr_context *context, double x, double *result);

/**
 *     f'(x: f64) -> f64
 *     -- shapes.arr:80
 *
 * in  x       f64
 * out result  f64
 */
arr_status shapes_f_prime(arr_context *context, double x, double *result);

/**
 *     nothing(x: (), y: f64) -> ()
 *     -- shapes.arr:82
 *
 * in  y  f64
 */
arr_status shapes_nothing(arr_context *context, double y);

/**
 *     pick(x: [n]f64, i: i64) -> f64
 *     -- shapes.arr:84
 *
 * in  x       [n]f64
 * in  i       i64
 * out result  f64
 */
arr_status shapes_pick(arr_context *context, const arr_f64_1 *x, int64_t i, double *result);

/**
 *     ratio(a: i64, b: i64) -> i64
 *     -- shapes.arr:86
 *
 * in  a       i64
 * in  b       i64
 * out result  i64
 */
arr_status shapes_ratio(arr_context *context, int64_t a, int64_t b, int64_t *result);

/**
 *     zeroes(n: i64) -> [n]f64
 *     -- shapes.arr:88
 *
 * in  n       i64
 * out result  [n]f64
 */
arr_status shapes_zeroes(arr_context *context, int64_t n, arr_f64_1 *result);
/** `shapes_zeroes`, with arrays in memory that the results name. */
arr_status shapes_zeroes_into(arr_context *context, int64_t n, arr_f64_1 *result);

/**
 *     great(x: [n]f64) -> f64
 *     -- shapes.arr:90
 *
 * in  x       [n]f64
 * out result  f64
 */
arr_status shapes_great(arr_context *context, const arr_f64_1 *x, double *result);

/**
 *     add(x: [n]f64, y: [m]f64) -> [n]f64
 *     -- shapes.arr:92
 *
 * in  x       [n]f64
 * in  y       [m]f64
 * out result  [n]f64
 */
arr_status shapes_add(
    arr_context *context,
    const arr_f64_1 *x,
    const arr_f64_1 *y,
    arr_f64_1 *result);
/** `shapes_add`, with arrays in memory that the results name. */
arr_status shapes_add_into(
    arr_context *context,
    const arr_f64_1 *x,
    const arr_f64_1 *y,
    arr_f64_1 *result);

/**
 * The value, and its derivatives with respect to the parameters that have a result here.
 *
 *     loss(net: Net[n, m, k], x: [m]f64, target: [k]f64) -> f64
 *     -- shapes.arr:73
 *
 * in  net       Net[n, m, k]
 * in  x         [m]f64
 * in  target    [k]f64
 * out value     f64
 * out d_net     Net[n, m, k]
 * out d_x       [m]f64
 * out d_target  [k]f64
 */
arr_status shapes_loss_value_and_grad(
    arr_context *context,
    const shapes_Net *net,
    const arr_f64_1 *x,
    const arr_f64_1 *target,
    double *value,
    shapes_Net *d_net,
    arr_f64_1 *d_x,
    arr_f64_1 *d_target);
/** `shapes_loss_value_and_grad`, with arrays in memory that the results name. */
arr_status shapes_loss_value_and_grad_into(
    arr_context *context,
    const shapes_Net *net,
    const arr_f64_1 *x,
    const arr_f64_1 *target,
    double *value,
    shapes_Net *d_net,
    arr_f64_1 *d_x,
    arr_f64_1 *d_target);

/**
 * `f` and `f'` are two names.
 * The value, and its derivatives with respect to the parameters that have a result here.
 *
 *     f(x: f64) -> f64
 *     -- shapes.arr:78
 *
 * in  x      f64
 * out value  f64
 * out d_x    f64
 */
arr_status shapes_f_value_and_grad(arr_context *context, double x, double *value, double *d_x);

#ifdef __cplusplus
}
#endif

#endif
