#include "src/support/interruption.hpp"

#include "src/support/files.hpp"

namespace batfill {

namespace {

// The signal by which CleanStop wakes its thread to end it.
const int wake_signal = SIGRTMIN;

// Ends the process after one of the signals. Returns when `end` is requested.
void wait_and_stop(const std::stop_token& end, const sigset_t& signals) {
    int signal = wake_signal;
    while (signal == wake_signal) {
        if (end.stop_requested() || sigwait(&signals, &signal) != 0) {
            return;
        }
    }
    discard_unfinished_outputs();
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    (void)std::signal(signal, SIG_DFL);
    (void)raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

}  // namespace

bool stop_signal_pending() {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
           sigismember(&pending, SIGHUP) == 1;
}

bool is_ignored(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

CleanStop::CleanStop() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (!is_ignored(signal)) {
            sigaddset(&signals_, signal);
        }
    }
    sigaddset(&signals_, wake_signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::jthread(wait_and_stop, signals_);
}

CleanStop::~CleanStop() {
    thread_.request_stop();
    pthread_kill(thread_.native_handle(), wake_signal);
    thread_.join();
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

}  // namespace batfill
