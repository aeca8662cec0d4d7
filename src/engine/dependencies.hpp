#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
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
// Memory: 32 bytes for each job that has started or is over, and 130 more for each that waits.
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
    bool empty() const { return held_.size() == free_of_held_.size() && rejected_.empty(); }
    bool is_held(JobNumber job) const;
    bool is_eligible(JobNumber job, Time now) const;  // and held
    // Whether a held job is eligible, or rejected.
    bool has_news(Time now) const { return !rejected_.empty() || next_instant() <= now; }
    // The held jobs that are eligible, by submission, then by arrival.
    std::vector<JobNumber> eligible(Time now) const;
    // Requires, as all below: the job is held.
    const JobSubmitted& held(JobNumber job) const { return held_job(job).submission; }
    // Takes a job, submitted at the instant at which it is eligible.
    JobSubmitted take(JobNumber job);
    // The conditions of a held job that do not hold yet: "ok:12 (it runs), any:13+600 (at 4200), start:14 and 40 more".
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
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();  // no place

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
    struct OpenCondition {
        Condition condition;
        std::uint32_t before = none;  // the place of the one before it that is about the same job
    };
    struct Followed {
        Time start = Time::infinity();             // infinite: it has not started
        Time end;                                  // of a job that is over
        std::uint32_t held = none;                 // its place in held_
        std::uint32_t open = none;                 // the place in open_ of the last condition about it
        JobState state = JobState::not_submitted;  // submitted only where that matters
    };

    JobNumber first_attempt(JobNumber job) const;
    // Null: nothing has happened to the job.
    const Followed* find(JobNumber job) const;
    Followed& follow(JobNumber job);
    JobState state(JobNumber job) const;
    const Held& held_job(JobNumber job) const { return held_[followed_[static_cast<std::size_t>(job)].held]; }
    // When what a condition of this kind is about happened. Infinite: not yet. None: it can never happen.
    std::optional<Time> instant_of(Dependency::Kind kind, JobNumber job) const;
    void add_open(JobNumber job, const Condition& condition);
    // Takes all conditions about the job, in the order in which they were added.
    Conditions take_open(Followed& job);
    void settle(JobNumber job, std::span<const Condition> conditions);
    Rejected rejected(JobSubmitted&& submission, Dependency::Kind kind, JobNumber job) const;

    FindJob find_;
    std::vector<Followed> followed_;  // by number
    std::map<JobNumber, JobNumber> first_attempts_;

    std::deque<Held> held_;
    std::vector<std::uint32_t> free_of_held_;  // places in held_ without a job
    std::uint64_t arrivals_ = 0;
    std::deque<OpenCondition> open_;
    std::vector<std::uint32_t> free_of_open_;
    std::unordered_map<std::string, Conditions> not_found_;  // about a job that nobody knows yet, by its id
    std::set<std::pair<Time, JobNumber>> instants_;          // at which held jobs are eligible
    std::deque<Rejected> rejected_;
};

}  // namespace batfill
