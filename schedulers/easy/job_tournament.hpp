#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/planning/job_order.hpp>

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
    void insert(JobIndex job, Time submit, const JobScore& score) {
        if (free_.empty()) {
            grow();
        }
        const Slot slot = free_.back();
        free_.pop_back();
        slots_.resize(std::max(slots_.size(), std::size_t{job} + 1), none);
        assert(slots_[job] == none);
        slots_[job] = slot;
        players_[slot] = {score, submit, job};
        put(slot, slot);
    }
    // Removes a job.
    // Requires: the job is in the tournament.
    // Cost: O(log(jobs)), as insert().
    void remove(JobIndex job) {
        const Slot slot = slots_[job];
        assert(slot != none);
        slots_[job] = none;
        free_.push_back(slot);
        put(slot, none);
    }
    // Gives a job another score.
    // Requires: the job is in the tournament.
    // Cost: O(log(jobs)), as insert().
    void change(JobIndex job, const JobScore& score) {
        const Slot slot = slots_[job];
        assert(slot != none);
        players_[slot].score = score;
        put(slot, slot);
    }

    // The score of a job.
    // Requires: the job is in the tournament.
    // Cost: O(1).
    const JobScore& score(JobIndex job) const {
        assert(slots_[job] != none);
        return players_[slots_[job]].score;
    }

    // The job that goes first; none if there are no jobs. `by_id` is JobTable::ordered_by_id(): equal scores go by the
    // ids in it.
    // Requires: `now` is not less than in an earlier call; `by_id` is the same as there.
    // Cost: amortised O(log(jobs)) for each job added or removed, and O(log^2(jobs)) for each job that overtakes
    // another; never more than O(jobs). Each call compares again the scores of different jobs that stay equal, or
    // nearly so, for a long time.
    std::optional<JobIndex> first(Time now, const JobTable* by_id = nullptr) {
        if (nodes_.empty()) {
            return std::nullopt;
        }
        play(root, now, by_id);
        const Slot winner = nodes_[root].winner;
        return winner == none ? std::nullopt : std::optional(players_[winner].job);
    }

 private:
    using Slot = std::uint32_t;
    static constexpr Slot none = 0xffff'ffff;
    static constexpr std::size_t root = 1;
    // Earlier than every query, so the next query recomputes the node.
    static constexpr Time unknown = Time::at(-Duration::infinity());

    struct Player {
        JobScore score;
        Time submit;
        JobIndex job = 0;
    };
    struct Node {
        Time holds_until = Time::infinity();
        Slot winner = none;
    };

    void put(Slot slot, Slot winner) {
        const std::size_t leaf = nodes_.size() / 2 + slot;
        nodes_[leaf].winner = winner;
        // A node never holds longer than the nodes below it, so all nodes above an unknown one are unknown.
        for (std::size_t node = leaf / 2; node >= root && nodes_[node].holds_until != unknown; node /= 2) {
            nodes_[node].holds_until = unknown;
        }
    }
    void grow() {
        const std::size_t old = players_.size();
        const std::size_t slots = std::max<std::size_t>(2 * old, 2);
        players_.resize(slots);
        std::vector<Node> nodes(2 * slots);
        std::copy(nodes_.end() - static_cast<std::ptrdiff_t>(old), nodes_.end(),
                  nodes.begin() + static_cast<std::ptrdiff_t>(slots));
        std::for_each(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(slots),
                      [](Node& node) { node.holds_until = unknown; });
        nodes_ = std::move(nodes);
        for (std::size_t slot = slots; slot-- > old;) {
            free_.push_back(static_cast<Slot>(slot));
        }
    }
    void play(std::size_t at, Time now, const JobTable* by_id) {
        Node& node = nodes_[at];
        if (node.holds_until > now) {
            return;
        }
        play(2 * at, now, by_id);
        play(2 * at + 1, now, by_id);
        const Node& left = nodes_[2 * at];
        const Node& right = nodes_[2 * at + 1];
        node.holds_until = std::min(left.holds_until, right.holds_until);
        if (left.winner == none || right.winner == none) {
            node.winner = left.winner == none ? right.winner : left.winner;
            return;
        }
        const Player& a = players_[left.winner];
        const Player& b = players_[right.winner];
        node.winner = goes_before(a, b, now, by_id) ? left.winner : right.winner;
        node.holds_until = std::min(node.holds_until, JobScore::same_order_until(a.score, b.score, now));
    }
    bool goes_before(const Player& a, const Player& b, Time now, const JobTable* by_id) const {
        if (const int compared = JobScore::compare(a.score, b.score, now); compared != 0) {
            return compared > 0;
        }
        if (by_id != nullptr) {
            return by_id->has_first_id(a.job, b.job);
        }
        const Player& first = ties_ == Ties::first ? a : b;
        const Player& last = ties_ == Ties::first ? b : a;
        return first.submit != last.submit ? first.submit < last.submit : first.job < last.job;
    }

    Ties ties_;
    std::vector<Player> players_;  // by slot
    std::vector<Slot> free_;       // unused slots
    std::vector<Slot> slots_;      // by JobIndex
    // Node i is above nodes 2i and 2i + 1. The second half are the leaves, one for each slot.
    std::vector<Node> nodes_;
};

}  // namespace batfill
