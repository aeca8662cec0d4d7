#pragma once

#include <csignal>
#include <exception>
#include <thread>

// SIGINT, SIGTERM and SIGHUP, which ask the process to end.
namespace batfill {

// A long computation has found that the process is to end. The daemon ends in its own way then; nobody else sees it.
class Interrupted : public std::exception {
 public:
    const char* what() const noexcept override { return "stopped by a signal"; }
};

// Whether SIGINT or SIGTERM has come in a process that blocks them, and has not been taken yet. For long computations
// inside of a daemon, which looks at signals only between two messages. One system call.
bool stop_signal_pending();

// While it lives, these signals end the process as they always do, but what was written under temporary names is
// removed before. Signals that the process was started to ignore are ignored. To be made before other threads are,
// which inherit that they leave these signals to this object's thread.
class CleanStop {
 public:
    // Throws std::system_error if there is not enough memory for a thread.
    CleanStop();
    ~CleanStop();
    CleanStop(const CleanStop&) = delete;
    CleanStop& operator=(const CleanStop&) = delete;

 private:
    sigset_t signals_{};
    int arrived_ = -1;  // readable when one of the signals has come
    int end_ = -1;      // readable when the thread is to end
    std::thread thread_;
};

}  // namespace batfill
