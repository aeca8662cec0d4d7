#pragma once

#include <csignal>
#include <exception>
#include <thread>

// SIGINT, SIGTERM and SIGHUP: signals that ask the process to end.
namespace batfill {

// Thrown when a long computation finds that the process shall end. The daemon then ends in its own way; no other
// command sees it.
class Interrupted : public std::exception {
 public:
    const char* what() const noexcept override { return "stopped by a signal"; }
};

// Whether one of them is pending in a process that blocks them. For long computations inside a daemon, which
// handles signals only between two messages.
// Cost: one system call.
bool stop_signal_pending();

// Whether the process ignores a signal.
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
