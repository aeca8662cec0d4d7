#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include <boost/context/fiber.hpp>

namespace batfill::environments {

// A function that runs on a stack of its own, and can stop in the middle of whatever it calls. So a simulation can wait
// for a decision that somebody outside takes.
//
// A coroutine is resumed by one thread at a time, but not always by the same.
class Coroutine {
 public:
    // `body` runs when resume() is called for the first time.
    explicit Coroutine(std::function<void(Coroutine&)> body);
    // Unwinds the body if it is suspended: an exception is thrown there, which code in between must not swallow.
    ~Coroutine();
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;

    // Runs the body until it suspends itself (true) or ends (false).
    // Requires: the body has not ended.
    // Throws: what the body throws; it has ended then.
    bool resume();
    // Called by the body: returns when resume() is called again, throws if the coroutine is destroyed instead.
    void suspend();

 private:
    // Where the body or its caller is suspended, and on which stack.
    struct Suspended {
        boost::context::fiber place;
        const void* bottom = nullptr;
        std::size_t size = 0;

        // Runs it until it resumes this stack.
        void resume();
    };

    Suspended body_;
    Suspended caller_;
    std::exception_ptr problem_;
    bool is_abandoned_ = false;
};

}  // namespace batfill::environments
