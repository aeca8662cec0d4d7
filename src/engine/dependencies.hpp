#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/dependency.hpp>
#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/events.hpp>

namespace batfill {

// Jobs that wait for others (StatedNeeds::after), until they are eligible or can never be. Also what happened to every
// job so far, as a later one may ask for it.
//
// A killed job that is submitted again is the same job here: it starts once, and ends with its last attempt.
// Cost: O(1) for each condition over its whole life, and O(log(jobs that wait for an instant)) for a delay.
// Memory: 33 bytes for each job that has started or is over.
class Dependencies {
 public:
    explicit Dependencies(FindJob find) : find_(std::move(find)) {}

    // ---- What happens to jobs

    void started(JobNumber attempt, Time now);
    // `state` is the job's last: how it completed, or rejected.
    void ended(JobNumber attempt, JobState state, Time now);
    // The job that was killed goes on as `next`.
    void goes_on_as(JobNumber killed, JobNumber next);

    // ---- Jobs that wait

    // A job has this number and id. To be called before hold(), for each job that is submitted while others are held.
    // Returns false if it was submitted before.
    bool submitted(JobNumber job, const std::string& id);
    // Keeps a job until its conditions hold, or one never can.
    // Requires: the job waits for others.
    void hold(JobSubmitted submission);
    bool empty() const { return held_.empty() && rejected_.empty(); }
    bool is_held(JobNumber job) const { return held_.contains(job); }
    bool is_eligible(JobNumber job, Time now) const;  // and held
    // The held jobs that are eligible, by submission, then by arrival.
    std::vector<JobNumber> eligible(Time now) const;
    // Requires, as all below: the job is held.
    const JobSubmitted& held(JobNumber job) const { return held_.at(job).submission; }
    // Takes a job, submitted at the instant at which it is eligible.
    JobSubmitted take(JobNumber job);
    // The conditions of a held job that do not hold yet: "ok:12 (it runs), any:13+600 (at 4200), start:14".
    std::string missing(JobNumber job, Time now) const;
    // When the next job is eligible, as far as is known.
    Time next_instant() const { return instants_.empty() ? Time::infinity() : instants_.begin()->first; }

    struct Rejected {
        JobSubmitted submission;
        std::string reason;  // a predicate
    };
    // Takes a job that can never be eligible. None: there is no other.
    std::optional<Rejected> take_rejected();
    // Takes all that are held, by arrival: nothing will happen any more, so none of them can ever be eligible.
    std::vector<Rejected> take_hopeless();

 private:
    struct Held {
        JobSubmitted submission;
        std::uint64_t arrival = 0;
        std::size_t open = 0;  // conditions for which no instant is known
        Time eligible;         // the latest of the known instants
    };
    // A condition of a held job.
    struct Condition {
        JobNumber dependent{};
        Dependency::Kind kind{};
        Duration delay;
    };
    using Conditions = std::vector<Condition>;

    JobNumber first_attempt(JobNumber job) const;
    JobState state(JobNumber job) const;
    std::size_t make_place(JobNumber job);
    // When what a condition of this kind is about happened. Infinite: not yet. None: it can never happen.
    std::optional<Time> instant_of(Dependency::Kind kind, JobNumber job) const;
    void settle(JobNumber job, std::span<const Condition> conditions);
    Rejected rejected(JobSubmitted&& submission, Dependency::Kind kind, JobNumber job) const;

    FindJob find_;
    // By number.
    std::vector<JobState> states_;  // submitted only where that matters
    std::vector<Time> starts_;      // infinite: it has not started
    std::vector<Time> ends_;        // of a job that is over
    std::map<JobNumber, JobNumber> first_attempts_;

    std::unordered_map<JobNumber, Held> held_;
    std::uint64_t arrivals_ = 0;
    std::unordered_map<JobNumber, Conditions> open_;         // by the job that they are about
    std::unordered_map<std::string, Conditions> not_found_;  // as above, by id: nobody knows the job yet
    std::set<std::pair<Time, JobNumber>> instants_;          // at which held jobs are eligible
    std::deque<Rejected> rejected_;
};

}  // namespace batfill
