#include "src/support/interruption.hpp"

#include <cstdint>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/support/files.hpp"

namespace batfill {

namespace {

bool is_ignored(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

// Ends the process after one of the signals, or returns when `end` can be read.
void wait_and_stop(int signals, int end) {
    pollfd items[] = {{end, POLLIN, 0}, {signals, POLLIN, 0}};
    while (poll(items, 2, -1) < 0) {
    }
    signalfd_siginfo taken{};
    if (items[0].revents != 0 || read(signals, &taken, sizeof(taken)) < 0) {
        return;
    }
    discard_unfinished_outputs();
    const auto signal = static_cast<int>(taken.ssi_signo);
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
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

CleanStop::CleanStop() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (!is_ignored(signal)) {
            sigaddset(&signals_, signal);
        }
    }
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    arrived_ = signalfd(-1, &signals_, SFD_CLOEXEC);
    end_ = eventfd(0, EFD_CLOEXEC);
    thread_ = std::thread(wait_and_stop, arrived_, end_);
}

CleanStop::~CleanStop() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(end_, &one, sizeof(one));
    thread_.join();
    close(end_);
    close(arrived_);
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

}  // namespace batfill
