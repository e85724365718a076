/* Threads that share a context, which is wrong of them: each call is made, or is refused with the text of ARR_BUSY. */
#include "shapes.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

int main()
{
    std::vector<double> x(12, 0.5);
    arr::context shared;
    std::atomic<int> others{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; number++) {
        threads.emplace_back([&, number] {
            for (int call = 0; call < 5000; call++) {
                try {
                    shapes::pick(shared, arr::view(x), std::int64_t{12} << (15 * number));
                    std::abort();
                } catch (const arr::error &error) {
                    const bool busy = std::strcmp(error.what(), arr_status_text(ARR_BUSY)) == 0;
                    /* A call that failed finds the context busy where another thread was quicker than its message. */
                    others += error.status() == ARR_BUSY ? !busy : !busy && !std::strstr(error.what(), "out of range");
                }
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%d other messages; ARR_BUSY: %s\n", others.load(), arr_status_text(ARR_BUSY));
    return 0;
}
