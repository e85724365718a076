/* Compiled from shapes.arr by arr 0.1.0. C++20. */
#ifndef SHAPES_HPP
#define SHAPES_HPP

#include "shapes.h"

#ifndef ARR_HPP
#define ARR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace arr {

/* A call that failed: what() is one line, with the place in the program. Results are not written. Of ARR_BUSY, a call while
 * another thread is in one with the same context, it only says that. */
class error : public std::runtime_error {
public:
    error(arr_status status, int code, const char *message)
        : std::runtime_error(message), status_(status), code_(code) {}
    arr_status status() const noexcept { return status_; }
    /* The number of the diagnostic, 601 for E0601 (`arr explain E0601`); 0 if it has none. */
    int code() const noexcept { return code_; }

private:
    arr_status status_;
    int code_;
};

/* What calls share: the message of the last failure, limits, memory for the next call. One thread uses it at a time. */
class context {
public:
    context() : own_(arr_context_new()) {}
    ~context() { arr_context_free(own_); }
    context(context &&other) noexcept : own_(std::exchange(other.own_, nullptr)) {}
    context &operator=(context &&other) noexcept
    {
        std::swap(own_, other.own_);
        return *this;
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;

    /* How many bytes each later call may use for arrays. */
    void set_max_memory(std::int64_t bytes) { arr_context_set_max_memory(own_, bytes); }
    /* On how many threads each later call runs; 0 for as many as there are cores. */
    void set_threads(std::int32_t threads) { arr_context_set_threads(own_, threads); }

    arr_context *get() const noexcept { return own_; }
    /* Throws what a call returned, unless it is ARR_OK. */
    void check(arr_status status) const
    {
        if (status == ARR_OK)
            return;
        /* A copy: another thread may be in a call, or begin one. */
        char message[4096];
        const std::int32_t code = arr_context_copy_error(own_, status, message, sizeof message);
        throw error(status, code, message);
    }

private:
    arr_context *own_;
};

/* What is known of a type with arrays: how they are freed, and of an array itself its elements. */
template <class T> struct traits;

/* The array of a type of elements and a number of axes. */
template <class T, std::size_t rank> struct array_of;

/* A result with arrays that the library has allocated. They are freed with it. */
template <class T> class owned {
public:
    owned() = default;
    ~owned() { traits<T>::free(&value_); }
    owned(owned &&other) noexcept : value_(std::exchange(other.value_, T{})) {}
    owned &operator=(owned &&other) noexcept
    {
        std::swap(value_, other.value_);
        return *this;
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;

    const T &operator*() const noexcept { return value_; }
    const T *operator->() const noexcept { return &value_; }
    /* Where a call writes it. */
    T *address() noexcept { return &value_; }

private:
    T value_{};
};

/* The elements of an array, row by row. */
template <class A> std::span<const typename traits<A>::element> span(const A &array)
{
    std::size_t count = 1;
    for (std::int64_t extent : array.dims)
        count *= static_cast<std::size_t>(extent);
    return {array.data, count};
}

/* What a range holds as an array, with an extent for each axis; without any it has one axis. The array is valid as long as
 * what the range holds. It can be an argument, and where the range can be written to, memory for a result. */
template <std::ranges::contiguous_range R, class... Extents>
auto view(R &&range, Extents... extents)
    requires(std::ranges::sized_range<R> && std::ranges::borrowed_range<R> && (std::is_integral_v<Extents> && ...))
{
    using element = std::ranges::range_value_t<R>;
    constexpr std::size_t rank = sizeof...(Extents) == 0 ? 1 : sizeof...(Extents);
    typename array_of<element, rank>::type array{std::ranges::data(range), {}};
    const std::size_t count = std::ranges::size(range);
    if constexpr (sizeof...(Extents) == 0) {
        array.dims[0] = static_cast<std::int64_t>(count);
    } else {
        const std::int64_t given[] = {static_cast<std::int64_t>(extents)...};
        std::size_t product = 1;
        for (std::size_t axis = 0; axis < rank; axis++) {
            array.dims[axis] = given[axis];
            product *= static_cast<std::size_t>(given[axis]);
        }
        if (product != count)
            throw std::invalid_argument("an array has as many elements as its extents say");
    }
    return array;
}

} /* namespace arr */

#endif

#ifndef ARR_BOOL_1_HPP
#define ARR_BOOL_1_HPP
template <> struct arr::traits<arr_bool_1> {
    using element = bool;
    static void free(arr_bool_1 *value) { arr_free_bool_1(value); }
};
template <> struct arr::array_of<bool, 1> {
    using type = arr_bool_1;
};
#endif

#ifndef ARR_I32_1_HPP
#define ARR_I32_1_HPP
template <> struct arr::traits<arr_i32_1> {
    using element = int32_t;
    static void free(arr_i32_1 *value) { arr_free_i32_1(value); }
};
template <> struct arr::array_of<int32_t, 1> {
    using type = arr_i32_1;
};
#endif

#ifndef ARR_I64_1_HPP
#define ARR_I64_1_HPP
template <> struct arr::traits<arr_i64_1> {
    using element = int64_t;
    static void free(arr_i64_1 *value) { arr_free_i64_1(value); }
};
template <> struct arr::array_of<int64_t, 1> {
    using type = arr_i64_1;
};
#endif

#ifndef ARR_U32_1_HPP
#define ARR_U32_1_HPP
template <> struct arr::traits<arr_u32_1> {
    using element = uint32_t;
    static void free(arr_u32_1 *value) { arr_free_u32_1(value); }
};
template <> struct arr::array_of<uint32_t, 1> {
    using type = arr_u32_1;
};
#endif

#ifndef ARR_F32_1_HPP
#define ARR_F32_1_HPP
template <> struct arr::traits<arr_f32_1> {
    using element = float;
    static void free(arr_f32_1 *value) { arr_free_f32_1(value); }
};
template <> struct arr::array_of<float, 1> {
    using type = arr_f32_1;
};
#endif

#ifndef ARR_F64_1_HPP
#define ARR_F64_1_HPP
template <> struct arr::traits<arr_f64_1> {
    using element = double;
    static void free(arr_f64_1 *value) { arr_free_f64_1(value); }
};
template <> struct arr::array_of<double, 1> {
    using type = arr_f64_1;
};
#endif

#ifndef ARR_F64_2_HPP
#define ARR_F64_2_HPP
template <> struct arr::traits<arr_f64_2> {
    using element = double;
    static void free(arr_f64_2 *value) { arr_free_f64_2(value); }
};
template <> struct arr::array_of<double, 2> {
    using type = arr_f64_2;
};
#endif

template <> struct arr::traits<shapes_Point_1> {
    static void free(shapes_Point_1 *value) { arr_free_shapes_Point_1(value); }
};
template <> struct arr::traits<shapes_Shape> {
    static void free(shapes_Shape *value) { arr_free_shapes_Shape(value); }
};
template <> struct arr::traits<shapes_Point_2> {
    static void free(shapes_Point_2 *value) { arr_free_shapes_Point_2(value); }
};
template <> struct arr::traits<shapes_Shape_1> {
    static void free(shapes_Shape_1 *value) { arr_free_shapes_Shape_1(value); }
};
template <> struct arr::traits<shapes_Layer> {
    static void free(shapes_Layer *value) { arr_free_shapes_Layer(value); }
};
template <> struct arr::traits<shapes_Net> {
    static void free(shapes_Net *value) { arr_free_shapes_Net(value); }
};

namespace shapes {

using Point = ::shapes_Point;
using point_q = ::shapes_point_q;
using Point_1 = ::shapes_Point_1;
using Shape = ::shapes_Shape;
using Point_2 = ::shapes_Point_2;
using Shape_1 = ::shapes_Shape_1;
using Layer = ::shapes_Layer;
using Net = ::shapes_Net;

/**
 * Every scalar type, and names that C keeps for itself.
 *
 *     scalars(bool: bool, int: i32, long: i64, unsigned: u32, float: f32, double: f64) -> (bool, i32, i64, u32, f32, f64)
 *     -- shapes.arr:13
 */
inline std::tuple<bool, int32_t, int64_t, uint32_t, float, double> scalars(arr::context &context, bool bool_, int32_t int_, int64_t long_, uint32_t unsigned_, float float_, double double_)
{
    bool result_0{};
    int32_t result_1{};
    int64_t result_2{};
    uint32_t result_3{};
    float result_4{};
    double result_5{};
    context.check(::shapes_scalars(context.get(), bool_, int_, long_, unsigned_, float_, double_, &result_0, &result_1, &result_2, &result_3, &result_4, &result_5));
    return {result_0, result_1, result_2, result_3, result_4, result_5};
}

/**
 * Arrays of every element type.
 *
 *     arrays(a: [n]bool, b: [n]i32, c: [n]i64, d: [n]u32, e: [n]f32, f: [n]f64) -> ([n]bool, [n]i32, [n]i64, [n]u32, [n]f32, [n]f64)
 *     -- shapes.arr:24
 */
inline std::tuple<arr::owned<arr_bool_1>, arr::owned<arr_i32_1>, arr::owned<arr_i64_1>, arr::owned<arr_u32_1>, arr::owned<arr_f32_1>, arr::owned<arr_f64_1>> arrays(arr::context &context, const arr_bool_1 &a, const arr_i32_1 &b, const arr_i64_1 &c, const arr_u32_1 &d, const arr_f32_1 &e, const arr_f64_1 &f)
{
    arr::owned<arr_bool_1> result_0{};
    arr::owned<arr_i32_1> result_1{};
    arr::owned<arr_i64_1> result_2{};
    arr::owned<arr_u32_1> result_3{};
    arr::owned<arr_f32_1> result_4{};
    arr::owned<arr_f64_1> result_5{};
    context.check(::shapes_arrays(context.get(), &a, &b, &c, &d, &e, &f, result_0.address(), result_1.address(), result_2.address(), result_3.address(), result_4.address(), result_5.address()));
    return {std::move(result_0), std::move(result_1), std::move(result_2), std::move(result_3), std::move(result_4), std::move(result_5)};
}

/**
 * With arrays in memory that the results name.
 */
inline void arrays_into(arr::context &context, const arr_bool_1 &a, const arr_i32_1 &b, const arr_i64_1 &c, const arr_u32_1 &d, const arr_f32_1 &e, const arr_f64_1 &f, arr_bool_1 &result_0, arr_i32_1 &result_1, arr_i64_1 &result_2, arr_u32_1 &result_3, arr_f32_1 &result_4, arr_f64_1 &result_5)
{
    context.check(::shapes_arrays_into(context.get(), &a, &b, &c, &d, &e, &f, &result_0, &result_1, &result_2, &result_3, &result_4, &result_5));
}

/**
 * Sizes of every kind: `n + 1` is solved for `n`, and `k` is a parameter.
 *
 *     sizes(k: i64, x: [n+1]f64, y: [k][n]f64) -> ([n]i64, [2*k]f64)
 *     -- shapes.arr:35
 */
inline std::tuple<arr::owned<arr_i64_1>, arr::owned<arr_f64_1>> sizes(arr::context &context, int64_t k, const arr_f64_1 &x, const arr_f64_2 &y)
{
    arr::owned<arr_i64_1> result_0{};
    arr::owned<arr_f64_1> result_1{};
    context.check(::shapes_sizes(context.get(), k, &x, &y, result_0.address(), result_1.address()));
    return {std::move(result_0), std::move(result_1)};
}

/**
 * With arrays in memory that the results name.
 */
inline void sizes_into(arr::context &context, int64_t k, const arr_f64_1 &x, const arr_f64_2 &y, arr_i64_1 &result_0, arr_f64_1 &result_1)
{
    context.check(::shapes_sizes_into(context.get(), k, &x, &y, &result_0, &result_1));
}

/**
 * The argument itself, twice.
 *
 *     same(x: [n]f64) -> ([n]f64, [n]f64)
 *     -- shapes.arr:39
 */
inline std::tuple<arr::owned<arr_f64_1>, arr::owned<arr_f64_1>> same(arr::context &context, const arr_f64_1 &x)
{
    arr::owned<arr_f64_1> result_0{};
    arr::owned<arr_f64_1> result_1{};
    context.check(::shapes_same(context.get(), &x, result_0.address(), result_1.address()));
    return {std::move(result_0), std::move(result_1)};
}

/**
 * With arrays in memory that the results name.
 */
inline void same_into(arr::context &context, const arr_f64_1 &x, arr_f64_1 &result_0, arr_f64_1 &result_1)
{
    context.check(::shapes_same_into(context.get(), &x, &result_0, &result_1));
}

/**
 *     constant
 *     -- shapes.arr:41
 */
inline arr::owned<arr_f64_1> constant(arr::context &context)
{
    arr::owned<arr_f64_1> result{};
    context.check(::shapes_constant(context.get(), result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void constant_into(arr::context &context, arr_f64_1 &result)
{
    context.check(::shapes_constant_into(context.get(), &result));
}

/**
 *     point(p: Point, q: (f64, i64)) -> Point
 *     -- shapes.arr:43
 */
inline shapes_Point point(arr::context &context, const shapes_Point &p, const shapes_point_q &q)
{
    shapes_Point result{};
    context.check(::shapes_point(context.get(), &p, &q, &result));
    return result;
}

/**
 *     points(ps: [n]Point) -> [n]Point
 *     -- shapes.arr:45
 */
inline arr::owned<shapes_Point_1> points(arr::context &context, const shapes_Point_1 &ps)
{
    arr::owned<shapes_Point_1> result{};
    context.check(::shapes_points(context.get(), &ps, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void points_into(arr::context &context, const shapes_Point_1 &ps, shapes_Point_1 &result)
{
    context.check(::shapes_points_into(context.get(), &ps, &result));
}

/**
 *     area(s: Shape) -> f64
 *     -- shapes.arr:47
 */
inline double area(arr::context &context, const shapes_Shape &s)
{
    double result{};
    context.check(::shapes_area(context.get(), &s, &result));
    return result;
}

/**
 *     grown(s: Shape, by: f64) -> Shape
 *     -- shapes.arr:57
 */
inline arr::owned<shapes_Shape> grown(arr::context &context, const shapes_Shape &s, double by)
{
    arr::owned<shapes_Shape> result{};
    context.check(::shapes_grown(context.get(), &s, by, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void grown_into(arr::context &context, const shapes_Shape &s, double by, shapes_Shape &result)
{
    context.check(::shapes_grown_into(context.get(), &s, by, &result));
}

/**
 *     areas(shapes: [n]Shape) -> [n]f64
 *     -- shapes.arr:64
 */
inline arr::owned<arr_f64_1> areas(arr::context &context, const shapes_Shape_1 &shapes)
{
    arr::owned<arr_f64_1> result{};
    context.check(::shapes_areas(context.get(), &shapes, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void areas_into(arr::context &context, const shapes_Shape_1 &shapes, arr_f64_1 &result)
{
    context.check(::shapes_areas_into(context.get(), &shapes, &result));
}

/**
 *     outline(n: i64) -> [n]Shape
 *     -- shapes.arr:66
 */
inline arr::owned<shapes_Shape_1> outline(arr::context &context, int64_t n)
{
    arr::owned<shapes_Shape_1> result{};
    context.check(::shapes_outline(context.get(), n, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void outline_into(arr::context &context, int64_t n, shapes_Shape_1 &result)
{
    context.check(::shapes_outline_into(context.get(), n, &result));
}

/**
 *     apply(net: Net[n, m, k], x: [m]f64) -> [k]f64
 *     -- shapes.arr:69
 */
inline arr::owned<arr_f64_1> apply(arr::context &context, const shapes_Net &net, const arr_f64_1 &x)
{
    arr::owned<arr_f64_1> result{};
    context.check(::shapes_apply(context.get(), &net, &x, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void apply_into(arr::context &context, const shapes_Net &net, const arr_f64_1 &x, arr_f64_1 &result)
{
    context.check(::shapes_apply_into(context.get(), &net, &x, &result));
}

/**
 * `f` and `f'` are two names.
 *
 *     f(x: f64) -> f64
 *     -- shapes.arr:78
 */
inline double f(arr::context &context, double x)
{
    double result{};
    context.check(::shapes_f(context.get(), x, &result));
    return result;
}

/**
 *     f'(x: f64) -> f64
 *     -- shapes.arr:80
 */
inline double f_prime(arr::context &context, double x)
{
    double result{};
    context.check(::shapes_f_prime(context.get(), x, &result));
    return result;
}

/**
 *     nothing(x: (), y: f64) -> ()
 *     -- shapes.arr:82
 */
inline void nothing(arr::context &context, double y)
{
    context.check(::shapes_nothing(context.get(), y));
}

/**
 *     pick(x: [n]f64, i: i64) -> f64
 *     -- shapes.arr:84
 */
inline double pick(arr::context &context, const arr_f64_1 &x, int64_t i)
{
    double result{};
    context.check(::shapes_pick(context.get(), &x, i, &result));
    return result;
}

/**
 *     ratio(a: i64, b: i64) -> i64
 *     -- shapes.arr:86
 */
inline int64_t ratio(arr::context &context, int64_t a, int64_t b)
{
    int64_t result{};
    context.check(::shapes_ratio(context.get(), a, b, &result));
    return result;
}

/**
 *     zeroes(n: i64) -> [n]f64
 *     -- shapes.arr:88
 */
inline arr::owned<arr_f64_1> zeroes(arr::context &context, int64_t n)
{
    arr::owned<arr_f64_1> result{};
    context.check(::shapes_zeroes(context.get(), n, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void zeroes_into(arr::context &context, int64_t n, arr_f64_1 &result)
{
    context.check(::shapes_zeroes_into(context.get(), n, &result));
}

/**
 *     great(x: [n]f64) -> f64
 *     -- shapes.arr:90
 */
inline double great(arr::context &context, const arr_f64_1 &x)
{
    double result{};
    context.check(::shapes_great(context.get(), &x, &result));
    return result;
}

/**
 *     add(x: [n]f64, y: [m]f64) -> [n]f64
 *     -- shapes.arr:92
 */
inline arr::owned<arr_f64_1> add(arr::context &context, const arr_f64_1 &x, const arr_f64_1 &y)
{
    arr::owned<arr_f64_1> result{};
    context.check(::shapes_add(context.get(), &x, &y, result.address()));
    return result;
}

/**
 * With arrays in memory that the results name.
 */
inline void add_into(arr::context &context, const arr_f64_1 &x, const arr_f64_1 &y, arr_f64_1 &result)
{
    context.check(::shapes_add_into(context.get(), &x, &y, &result));
}

/**
 * The value, and its derivatives with respect to the parameters that have a result here.
 *
 *     loss(net: Net[n, m, k], x: [m]f64, target: [k]f64) -> f64
 *     -- shapes.arr:73
 */
inline std::tuple<double, arr::owned<shapes_Net>, arr::owned<arr_f64_1>, arr::owned<arr_f64_1>> loss_value_and_grad(arr::context &context, const shapes_Net &net, const arr_f64_1 &x, const arr_f64_1 &target)
{
    double value{};
    arr::owned<shapes_Net> d_net{};
    arr::owned<arr_f64_1> d_x{};
    arr::owned<arr_f64_1> d_target{};
    context.check(::shapes_loss_value_and_grad(context.get(), &net, &x, &target, &value, d_net.address(), d_x.address(), d_target.address()));
    return {value, std::move(d_net), std::move(d_x), std::move(d_target)};
}

/**
 * With arrays in memory that the results name.
 */
inline double loss_value_and_grad_into(arr::context &context, const shapes_Net &net, const arr_f64_1 &x, const arr_f64_1 &target, shapes_Net &d_net, arr_f64_1 &d_x, arr_f64_1 &d_target)
{
    double value{};
    context.check(::shapes_loss_value_and_grad_into(context.get(), &net, &x, &target, &value, &d_net, &d_x, &d_target));
    return value;
}

/**
 * `f` and `f'` are two names.
 * The value, and its derivatives with respect to the parameters that have a result here.
 *
 *     f(x: f64) -> f64
 *     -- shapes.arr:78
 */
inline std::tuple<double, double> f_value_and_grad(arr::context &context, double x)
{
    double value{};
    double d_x{};
    context.check(::shapes_f_value_and_grad(context.get(), x, &value, &d_x));
    return {value, d_x};
}

} /* namespace shapes */

#endif
