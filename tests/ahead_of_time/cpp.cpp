/* Calls through the C++ header: values, failures, memory, results that outlive their context. */
#include "shapes.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

static void print(const char *name, std::span<const double> elements)
{
    std::printf("%s:", name);
    for (double x : elements)
        std::printf(" %g", x);
    std::printf("\n");
}

int main()
{
    arr::context context;
    context.set_threads(1);
    std::printf("f(3) = %g\n", shapes::f(context, 3.0));
    auto [y, slope] = shapes::f_value_and_grad(context, 3.0);
    std::printf("%g, slope %g\n", y, slope);

    /* A range of one axis, and one with extents. */
    std::vector<double> x{1.0, 2.0}, weight{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, bias{0.1, 0.2, 0.3};
    const shapes::Net net{
        {arr::view(weight, 3, 2), arr::view(bias)},
        {arr::view(weight, 2, 3), arr::view(std::span(bias).first(2))},
        0.5f};
    auto result = shapes::apply(context, net, arr::view(x));
    print("apply", arr::span(*result));
    std::printf("%lld\n", static_cast<long long>(result->dims[0]));

    /* Several results, which are moved and outlive the context. */
    std::tuple<double, arr::owned<shapes::Net>, arr::owned<arr_f64_1>, arr::owned<arr_f64_1>> kept;
    {
        arr::context other;
        kept = shapes::loss_value_and_grad(other, net, arr::view(x), arr::view(x));
    }
    std::printf("loss %g\n", std::get<0>(kept));
    print("d_net.second.weight", arr::span(std::get<1>(kept)->second.weight));
    print("d_target", arr::span(*std::get<3>(kept)));

    /* A sum, and an array of sums. */
    shapes::Shape circle{};
    circle.tag = shapes_Shape_Circle;
    circle.Circle = {{1.0, 2.0}, 3.0};
    auto grown = shapes::grown(context, circle, 2.0);
    std::printf("tag %d, radius %g\n", static_cast<int>(grown->tag), grown->Circle._1);
    auto outline = shapes::outline(context, 2);
    print("radii", arr::span(outline->Circle._1));
    auto point = shapes::point(context, {1.0, 2.0}, {3.0, 4});
    std::printf("point %g %g\n", point.x, point.y);
    shapes::nothing(context, 1.0);

    /* Into memory of the caller. */
    std::vector<double> room(9, 7.0);
    auto memory = arr::view(room);
    shapes::apply_into(context, net, arr::view(x), memory);
    print("into", arr::span(memory));

    /* Failures are exceptions, with the place in the program. */
    try {
        shapes::pick(context, arr::view(x), 7);
        std::abort();
    } catch (const arr::error &error) {
        std::printf("%d %d %s\n", static_cast<int>(error.status()), error.code(), error.what());
    }
    try {
        arr::view(x, 3, 3);
        std::abort();
    } catch (const std::invalid_argument &error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}
