#pragma once

#include <csignal>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

// SIGINT, SIGTERM and SIGHUP: signals that ask the process to end.
namespace batfill {

// Thrown when a long computation finds that the process shall end, or that its caller stops it. The daemon then ends in
// its own way; no other command sees it.
class Interrupted : public std::exception {
 public:
    const char* what() const noexcept override { return "stopped by a signal"; }
};

// While this object lives, look_for_interruption() calls `look` in this thread. It may throw Interrupted.
class InterruptionLook {
 public:
    explicit InterruptionLook(std::function<void()> look) : look_(std::move(look)), before_(current_) {
        current_ = &look_;
    }
    // As the object of another thread, whose look() this one gets. It lives as long, and may be null.
    explicit InterruptionLook(const std::function<void()>* look) : before_(current_) { current_ = look; }
    ~InterruptionLook() { current_ = before_; }
    InterruptionLook(const InterruptionLook&) = delete;
    InterruptionLook& operator=(const InterruptionLook&) = delete;

    // What look_for_interruption() calls in this thread; null if nothing.
    static const std::function<void()>* current() { return current_; }

 private:
    friend void look_for_interruption();

    static inline constinit thread_local const std::function<void()>* current_ = nullptr;

    std::function<void()> look_;
    const std::function<void()>* before_;
};

// Gives the caller of a long computation, if it looks for signals itself, the occasion to stop it. A computation calls
// this for each of its items, so often that a signal never waits for a second.
// Throws: Interrupted, if the caller stops the computation.
inline void look_for_interruption() {
    if (InterruptionLook::current_ != nullptr) {
        (*InterruptionLook::current_)();
    }
}

// Whether one of them is pending in a process that blocks them. For long computations inside a daemon, which
// handles signals only between two messages.
// Cost: one system call.
bool stop_signal_pending();

bool is_ignored(int signal);

// While this object lives, these signals still end the process, but first remove unfinished temporary files. Signals
// that were ignored at the start of the process stay ignored.
// Requires: it is made before other threads, which inherit that this object's thread handles the signals.
class CleanStop {
 public:
    // Throws: std::system_error if there is not enough memory for a thread.
    CleanStop();
    ~CleanStop();
    CleanStop(const CleanStop&) = delete;
    CleanStop& operator=(const CleanStop&) = delete;

 private:
    sigset_t signals_{};
    std::jthread thread_;
};

}  // namespace batfill
