#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "src/support/interruption.hpp"

namespace batfill {

// Calls work(0), ..., work(count - 1) on `threads` threads, including this one, and starts them in that order.
// After each call, calls progress(number done) from any of the threads, one call at a time. If a call throws, starts no
// more. Rethrows the exception of the lowest index, which is the same for any number of threads.
// look_for_interruption() does in all of them what it does in this one, possibly at once.
// Requires: at least one thread.
inline void for_each_in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                                 const std::function<void(std::size_t)>& progress = {}) {
    std::mutex mutex;  // guards the variables below
    std::size_t next = 0;
    std::size_t done = 0;
    std::size_t first_failure = count;
    std::exception_ptr problem;
    const auto serve = [&, look = InterruptionLook::current()] {
        const InterruptionLook same(look);
        std::unique_lock lock(mutex);
        while (next < count && !problem) {
            const std::size_t number = next++;
            lock.unlock();
            std::exception_ptr failure;
            try {
                work(number);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            ++done;
            if (failure && number < first_failure) {
                first_failure = number;
                problem = failure;
            }
            if (progress) {
                progress(done);
            }
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
        others.emplace_back(serve);
    }
    serve();
    others.clear();  // waits for these threads to end
    if (problem) {
        std::rethrow_exception(problem);
    }
}

}  // namespace batfill
