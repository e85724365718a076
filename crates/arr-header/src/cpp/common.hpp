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
