#include "src/session/estimated_start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace batfill {

namespace {

// Lets the engine go on with every job until its walltime, until one job starts.
class Continuation {
 public:
    // Requires: all of these outlive this object.
    Continuation(Engine& engine, Time now, const JobDescription& job, const protocol::JobIds& ids)
        : engine_(engine), now_(now), ids_(ids), asked_(static_cast<JobNumber>(ids.size())) {
        engine_.arrive(now_);
        engine_.take_in({now_, JobSubmitted{asked_, SharedJobDescription::kept_elsewhere(job)}});
    }

    // None: the job is rejected, or nothing will happen any more.
    std::optional<Time> start() {
        while (true) {
            for (const Decision& decision : engine_.decide()) {
                if (is_about_asked<StartJob>(decision)) {
                    return now_;
                }
                if (is_about_asked<RejectJob>(decision)) {
                    return std::nullopt;
                }
                note(decision);
            }
            if (const Time guaranteed = engine_.guaranteed_at_submission(asked_); !guaranteed.is_infinite()) {
                return guaranteed;
            }
            if (!go_on()) {
                return std::nullopt;
            }
        }
    }

 private:
    // An algorithm may ask for calls without end. If this many in a row have changed nothing, the calls before the next
    // end of a job are left out; without such an end the job never starts. As in `simulate`.
    static constexpr int most_calls_in_vain = 10'000;

    template <class Kind>
    bool is_about_asked(const Decision& decision) const {
        const auto* const about = std::get_if<Kind>(&decision);
        return about != nullptr && about->job == asked_;
    }
    void note(const Decision& decision) {
        if (std::holds_alternative<StartJob>(decision)) {
            calls_in_vain_ = 0;
        } else if (const auto* const call = std::get_if<CallMeLater>(&decision)) {
            calls_.insert(call->time);
        }
    }

    // Moves to the next call or the next end of a job. Returns whether there is one.
    bool go_on() {
        calls_.erase(calls_.begin(), calls_.upper_bound(now_));
        const bool follows_calls = calls_in_vain_++ < most_calls_in_vain && !calls_.empty();
        // Ends of jobs that the algorithm registers by itself are unknown here.
        std::vector<std::pair<Time, JobNumber>> ends;
        for (const RunningJob& running : engine_.state().running) {
            if (const auto number = ids_.find(engine_.state().job(running.job).description().id)) {
                ends.emplace_back(std::max(now_, running.end), *number);
            }
        }
        Time next = follows_calls ? *calls_.begin() : Time::infinity();
        if (!ends.empty()) {
            next = std::min(next, ends.front().first);
        }
        if (next.is_infinite()) {
            return false;
        }
        now_ = next;
        engine_.arrive(now_);
        for (const auto& [end, job] : ends) {
            if (end <= now_) {
                engine_.take_in({now_, JobCompleted{job, JobState::completed_successfully}});
                calls_in_vain_ = 0;
            }
        }
        engine_.take_in({now_, RequestedCall{}});
        return true;
    }

    Engine& engine_;
    Time now_;
    const protocol::JobIds& ids_;
    JobNumber asked_;
    std::set<Time> calls_;
    int calls_in_vain_ = 0;
};

// What the copy of the process says: a start in microseconds, or one of these.
constexpr long long never = -1;
constexpr long long failed = -2;

[[noreturn]] void fail_of_system(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

[[noreturn]] void fail_of_algorithm(const Engine& engine, const JobDescription& job) {
    throw std::runtime_error("a question about job " + job.id + " is not answered: algorithm " +
                             engine.choice().algorithm() + " fails when the job is submitted");
}

// For an algorithm that only the system can copy, such as one in Python.
std::optional<Time> start_in_copy_of_process(Engine& engine, Time now, const JobDescription& job,
                                             const protocol::JobIds& ids) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        fail_of_system("a question is not answered: no pipe");
    }
    const pid_t copy = fork();
    if (copy < 0) {
        fail_of_system("a question is not answered: no process");
    }
    if (copy == 0) {
        long long start = failed;
        try {
            const std::optional<Time> found = Continuation(engine, now, job, ids).start();
            start = found ? static_cast<long long>(found->since_zero().count()) : never;
        } catch (...) {  // the copy must end here, whatever happens
        }
        const bool is_written = write(ends[1], &start, sizeof(start)) == sizeof(start);
        _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    long long start = failed;
    while (read(ends[0], &start, sizeof(start)) < 0 && errno == EINTR) {
    }
    close(ends[0]);
    while (waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (start == failed) {
        fail_of_algorithm(engine, job);
    }
    return start == never ? std::nullopt : std::optional(Time::at(Duration::microseconds(start)));
}

}  // namespace

std::optional<Time> start_if_submitted(Engine& engine, Time now, const JobDescription& job,
                                       const protocol::JobIds& ids) {
    if (const std::optional<Time> planned = engine.start_in_plan(now, job)) {
        return planned->is_infinite() ? std::nullopt : planned;
    }
    const std::unique_ptr<Engine> copy = engine.copy();
    if (!copy) {
        return start_in_copy_of_process(engine, now, job, ids);
    }
    try {
        return Continuation(*copy, now, job, ids).start();
    } catch (const std::exception&) {
        fail_of_algorithm(engine, job);
    }
}

}  // namespace batfill
