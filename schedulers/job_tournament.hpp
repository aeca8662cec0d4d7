#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/job_order.hpp>

namespace batfill {

// Finds the first of some waiting jobs while their scores change with the clock: a kinetic tournament. The leaves of a
// binary tree are the jobs. Each node holds the better of the winners below it, and an instant until which this result
// is known to hold. A query looks only at nodes whose instant has come, and at nodes above jobs that were added or
// removed.
//
// Source: Basch, Guibas, Hershberger, Data structures for mobile data, Journal of Algorithms 31(1), 1999.
class JobTournament {
 public:
    // Which of equal scores goes first: the job submitted first, or the job submitted last. Further ties go to the job
    // that arrived first, or last.
    enum class Ties { first, last };

    explicit JobTournament(Ties ties) : ties_(ties) {}

    // Adds a job.
    // Requires: the job is not in the tournament.
    // Cost: amortised O(log(jobs)), most of it in the next query.
    void insert(JobIndex job, Time submit, const JobScore& score);
    // Removes a job.
    // Requires: the job is in the tournament.
    // Cost: O(log(jobs)), as insert().
    void remove(JobIndex job);
    // Gives a job another score.
    // Requires: the job is in the tournament.
    // Cost: O(log(jobs)), as insert().
    void change(JobIndex job, const JobScore& score);

    // The score of a job.
    // Requires: the job is in the tournament.
    // Cost: O(1).
    const JobScore& score(JobIndex job) const;

    // The job that goes first; none if there are no jobs.
    // Requires: `now` is not less than in an earlier call.
    // Cost: amortised O(log(jobs)) for each job added or removed, and O(log^2(jobs)) for each job that overtakes
    // another; never more than O(jobs). Each call compares again the scores of different jobs that stay equal, or
    // nearly so, for a long time.
    std::optional<JobIndex> first(Time now);

 private:
    using Slot = std::uint32_t;
    static constexpr Slot none = 0xffff'ffff;

    struct Player {
        JobScore score;
        Time submit;
        JobIndex job = 0;
    };
    struct Node {
        Time holds_until = Time::infinity();
        Slot winner = none;
    };

    void put(Slot slot, Slot winner);
    void grow();
    void play(std::size_t at, Time now);
    bool goes_before(const Player& a, const Player& b, Time now) const;

    Ties ties_;
    std::vector<Player> players_;  // by slot
    std::vector<Slot> free_;       // unused slots
    std::vector<Slot> slots_;      // by JobIndex
    // Node i is above nodes 2i and 2i + 1. The second half are the leaves, one for each slot.
    std::vector<Node> nodes_;
};

}  // namespace batfill
