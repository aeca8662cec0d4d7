#pragma once

#include <exception>
#include <functional>
#include <memory>

namespace batfill::environments {

// A function that runs on a stack of its own, and can stop in the middle of whatever it calls. So a simulation can wait
// for a decision that somebody outside takes.
//
// A coroutine is resumed by one thread at a time, but not always by the same.
class Coroutine {
 public:
    // What unwinds the stack of a coroutine that is abandoned. Code in between must let it pass.
    struct Abandoned {};

    // `body` runs when resume() is called for the first time.
    explicit Coroutine(std::function<void(Coroutine&)> body);
    // Unwinds the body if it is suspended.
    ~Coroutine();
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;

    // Runs the body until it suspends itself (true) or ends (false).
    // Requires: the body has not ended.
    // Throws: what the body throws; it has ended then.
    bool resume();
    // Called by the body: returns when resume() is called again.
    // Throws: Abandoned if the coroutine is destroyed instead.
    void suspend();

 private:
    struct Contexts;
    static void enter();

    std::function<void(Coroutine&)> body_;
    std::unique_ptr<Contexts> contexts_;
    std::exception_ptr problem_;
    bool has_begun_ = false;
    bool has_ended_ = false;
    bool is_abandoned_ = false;
};

}  // namespace batfill::environments
