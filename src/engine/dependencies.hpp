#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/dependency.hpp>
#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/events.hpp>

#include "src/engine/arrays.hpp"

namespace batfill {

// What an engine does with a job whose turn it is.
class Admission {
 public:
    virtual ~Admission() = default;
    virtual void admit(JobSubmitted&& job) = 0;
    // Notes that a job waits for others.
    virtual void hold(const JobSubmitted& job) = 0;
    // Why the machine or the algorithm could never run the job. None: they could.
    virtual std::optional<RejectJob> refused(const JobSubmitted& job) const = 0;
    virtual void reject(JobSubmitted&& job, RejectJob&& rejection) = 0;
};

// Jobs that wait for others or for an instant (StatedNeeds::has_conditions()), until they are eligible or can never be.
// Also what happened to every job so far, as a later one may ask for it. It leads these jobs, and those that are
// submitted while there are any, to their admission.
//
// A killed job that is submitted again is the same job here: it starts once, and ends with its last attempt.
// Cost: O(1) for each condition over its whole life, and O(log(jobs that wait for an instant)) for a delay; for tasks,
// that of Arrays.
// Memory: 32 bytes for each job that has started or is over, and 130 more for each that waits.
class Dependencies {
 public:
    explicit Dependencies(FindJob find) : find_(std::move(find)) {}

    // ---- What happens to jobs

    // Counts for others at the next admit_eligible_after_starts().
    void started(JobNumber attempt) { starts_.push_back(attempt); }
    // `state` is the job's last: how it completed, or rejected.
    void ended(JobNumber attempt, JobState state, Time now);
    // The job that was killed goes on as `next`.
    void goes_on_as(JobNumber killed, JobNumber next);

    // ---- Jobs that wait

    static bool has_conditions(const JobSubmitted& job) {
        return job.description->needs && job.description->needs->has_conditions();
    }
    // Whether a round must look at rejections and at jobs that are held before this job is admitted; or others may wait
    // for it as a task.
    bool has_turn(const JobSubmitted& job) const { return is_any_held() || has_conditions(job) || is_task(job); }
    // Keeps such a job for take_turns().
    // Throws: InputError if it was submitted before.
    void take(JobSubmitted&& job);
    // Keeps an attempt of a killed job, which comes after all others.
    void take_again(JobSubmitted&& attempt) { again_.push_back(std::move(attempt)); }
    // Whether jobs are held, or are to have their turns.
    bool is_any_held() const { return !in_turn_.empty() || !are_all_free(); }
    // Whether the round at this instant has jobs to lead to their admission.
    bool is_due(Time now) const { return !in_turn_.empty() || !again_.empty() || next_instant() <= now; }
    // When the next job is eligible, as far as is known.
    Time next_instant() const { return instants_.empty() ? Time::infinity() : instants_.begin()->first; }

    // The jobs of this round, in their order, once all that are rejected now are known to be; then jobs that became
    // eligible; then attempts of killed jobs.
    void take_turns(Admission& engine, Time now);
    // Once the algorithm has decided: jobs that the starts have made eligible. Returns whether there was one.
    bool admit_eligible_after_starts(Admission& engine, Time now);
    // Nothing will happen any more, so none of those that are held can ever be eligible.
    void reject_hopeless(Admission& engine);

    bool is_held(JobNumber job) const;
    // The conditions of a held job that do not hold yet: its instant, the first of the others, and how many more.
    OpenConditions missing(JobNumber job, Time now) const;
    // What keeps a held task from its turn. None: nothing does.
    std::optional<OpenTurn> missing_turn(JobNumber job) const;
    // When a job that was held became eligible, and was admitted.
    std::optional<Time> eligible_since(JobNumber job) const;

 private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();  // no position

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
        std::uint32_t before = none;  // the position of the one before it that is about the same job
    };
    struct Followed {
        Time start = Time::infinity();             // infinite: it has not started
        Time end;                                  // of a job that is over
        std::uint32_t held = none;                 // its position in held_
        std::uint32_t open = none;                 // the position in open_ of the last condition about it
        JobState state = JobState::not_submitted;  // submitted only where that matters
    };

    struct Rejected {
        JobSubmitted submission;
        std::string reason;  // a predicate
    };

    static bool is_task(const JobSubmitted& job) { return job.description->needs && job.description->needs->array; }
    // Adds a task to its array. Returns whether it has its turn.
    bool add_task(const JobSubmitted& job);
    void hold(JobSubmitted submission);
    // An open condition of a held job holds since this instant.
    void holds(JobNumber job, Time instant);
    bool are_all_free() const { return held_.size() == free_of_held_.size() && rejected_.empty(); }
    bool is_eligible(JobNumber job, Time now) const;  // and held
    // The held jobs that are eligible, by submission, then by arrival.
    std::vector<JobNumber> eligible(Time now) const;
    // Takes a held job, submitted at the instant at which it is eligible.
    JobSubmitted take_held(JobNumber job);
    void admit_held(Admission& engine, JobNumber job);
    bool admit_eligible(Admission& engine, Time now);
    void reject_dependents(Admission& engine);
    void has_started(JobNumber attempt, Time now);

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
    std::vector<std::uint32_t> free_of_held_;  // positions in held_ without a job
    std::uint64_t arrivals_ = 0;
    std::deque<OpenCondition> open_;
    std::vector<std::uint32_t> free_of_open_;
    std::unordered_map<std::string, Conditions> not_found_;  // about a job that nobody knows yet, by its id
    Arrays arrays_;
    std::set<std::pair<Time, JobNumber>> instants_;  // at which held jobs are eligible
    std::deque<Rejected> rejected_;                  // can never be eligible
    std::vector<JobSubmitted> in_turn_;              // of the current message
    std::vector<JobSubmitted> again_;
    std::vector<JobNumber> starts_;
    std::vector<Time> eligible_since_;  // by number; infinite: of no job that was held
};

}  // namespace batfill
