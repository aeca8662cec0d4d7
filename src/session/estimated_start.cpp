#include "src/session/estimated_start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace batfill {

namespace {

// Lets the engine go on with every job until its walltime, until this one starts. Returns its start.
std::optional<Time> go_on_until_start(Engine& engine, Time now, const JobDescription& job,
                                      const protocol::JobIds& ids) {
    const auto asked = static_cast<JobNumber>(ids.size());
    const auto number_of = [&](JobIndex index) { return ids.find(engine.state().job(index).description().id); };
    std::set<Time> calls;
    engine.arrive(now);
    engine.take_in({now, JobSubmitted{asked, SharedJobDescription::kept_elsewhere(job)}});
    while (true) {
        for (const Decision& decision : engine.decide()) {
            if (const auto* const start = std::get_if<StartJob>(&decision); start != nullptr && start->job == asked) {
                return now;
            }
            if (const auto* const reject = std::get_if<RejectJob>(&decision);
                reject != nullptr && reject->job == asked) {
                return std::nullopt;
            }
            if (const auto* const call = std::get_if<CallMeLater>(&decision)) {
                calls.insert(call->time);
            }
        }
        if (const Time guaranteed = engine.guaranteed_at_submission(asked); !guaranteed.is_infinite()) {
            return guaranteed;
        }
        const std::vector<RunningJob> running(engine.state().running.begin(), engine.state().running.end());
        calls.erase(calls.begin(), calls.upper_bound(now));
        Time next = calls.empty() ? Time::infinity() : *calls.begin();
        if (!running.empty()) {
            next = std::max(now, std::min(next, running.front().end));
        }
        if (next.is_infinite()) {
            return std::nullopt;
        }
        now = next;
        engine.arrive(now);
        for (const RunningJob& job_to_end : running) {
            if (const auto number = number_of(job_to_end.job); number && job_to_end.end <= now) {
                engine.take_in({now, JobCompleted{*number, JobState::completed_successfully}});
            }
        }
        engine.take_in({now, RequestedCall{}});
    }
}

// What the copy of the process says: a start in microseconds, or one of these.
constexpr long long never = -1;
constexpr long long failed = -2;

[[noreturn]] void fail_of_system(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

std::optional<Time> start_if_submitted(Engine& engine, Time now, const JobDescription& job,
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
            const std::optional<Time> found = go_on_until_start(engine, now, job, ids);
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
        throw std::runtime_error("a question about job " + job.id + " is not answered: algorithm " +
                                 engine.choice().algorithm() + " fails when the job is submitted");
    }
    return start == never ? std::nullopt : std::optional(Time::at(Duration::microseconds(start)));
}

}  // namespace batfill
