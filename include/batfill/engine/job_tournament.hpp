#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/job_order.hpp>

namespace batfill {

// The first of some waiting jobs while their scores change with the clock: a kinetic tournament. In a binary tree whose
// leaves are the jobs, each node has the better of the winners below it, and an instant until which that is known to
// stay so; a question looks only at nodes whose instant has come, and at those above jobs that have come or gone.
// Basch, Guibas, Hershberger, Data structures for mobile data, Journal of Algorithms 31(1), 1999.
class JobTournament {
 public:
    // Which of equal scores goes first: the job that was submitted first, or the one submitted last; among those, the
    // one that arrived first, or last.
    enum class Ties { first, last };

    explicit JobTournament(Ties ties) : ties_(ties) {}

    // Adds a job, which must not be there. Amortised O(log(jobs)), most of which the next question takes.
    void insert(JobIndex job, Time submit, const JobScore& score);
    // Removes a job, which must be there. O(log(jobs)), as insert().
    void remove(JobIndex job);
    // Gives a job that must be there another score. O(log(jobs)), as insert().
    void change(JobIndex job, const JobScore& score);

    // The score of a job that must be there. O(1).
    const JobScore& score(JobIndex job) const;

    // The job that goes first; none if there are no jobs. `now` must not be less than at an earlier call. Amortised
    // O(log(jobs)) for each job that has come or gone and O(log^2(jobs)) for each that overtakes another, never more
    // than O(jobs). Scores of different jobs that come out equal, or nearly so, over a long time are compared anew at
    // each call.
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
    std::vector<Slot> free_;       // slots
    std::vector<Slot> slots_;      // by JobIndex
    std::vector<Node> nodes_;      // node i is above 2i and 2i + 1; the second half are the leaves, one for each slot
};

}  // namespace batfill
