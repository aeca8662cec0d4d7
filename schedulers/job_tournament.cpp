#include "schedulers/job_tournament.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace batfill {

namespace {

constexpr std::size_t root = 1;

// Earlier than every query, so the next query recomputes the node.
constexpr Time unknown = Time::at(-Duration::infinity());

}  // namespace

void JobTournament::insert(JobIndex job, Time submit, const JobScore& score) {
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

void JobTournament::remove(JobIndex job) {
    const Slot slot = slots_[job];
    assert(slot != none);
    slots_[job] = none;
    free_.push_back(slot);
    put(slot, none);
}

void JobTournament::change(JobIndex job, const JobScore& score) {
    const Slot slot = slots_[job];
    assert(slot != none);
    players_[slot].score = score;
    put(slot, slot);
}

const JobScore& JobTournament::score(JobIndex job) const {
    assert(slots_[job] != none);
    return players_[slots_[job]].score;
}

std::optional<JobIndex> JobTournament::first(Time now) {
    if (nodes_.empty()) {
        return std::nullopt;
    }
    play(root, now);
    const Slot winner = nodes_[root].winner;
    return winner == none ? std::nullopt : std::optional(players_[winner].job);
}

void JobTournament::put(Slot slot, Slot winner) {
    const std::size_t leaf = nodes_.size() / 2 + slot;
    nodes_[leaf].winner = winner;
    // A node never holds longer than the nodes below it, so all nodes above an unknown one are unknown.
    for (std::size_t node = leaf / 2; node >= root && nodes_[node].holds_until != unknown; node /= 2) {
        nodes_[node].holds_until = unknown;
    }
}

void JobTournament::grow() {
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

void JobTournament::play(std::size_t at, Time now) {
    Node& node = nodes_[at];
    if (node.holds_until > now) {
        return;
    }
    play(2 * at, now);
    play(2 * at + 1, now);
    const Node& left = nodes_[2 * at];
    const Node& right = nodes_[2 * at + 1];
    node.holds_until = std::min(left.holds_until, right.holds_until);
    if (left.winner == none || right.winner == none) {
        node.winner = left.winner == none ? right.winner : left.winner;
        return;
    }
    const Player& a = players_[left.winner];
    const Player& b = players_[right.winner];
    node.winner = goes_before(a, b, now) ? left.winner : right.winner;
    node.holds_until = std::min(node.holds_until, JobScore::same_order_until(a.score, b.score, now));
}

bool JobTournament::goes_before(const Player& a, const Player& b, Time now) const {
    if (const int compared = JobScore::compare(a.score, b.score, now); compared != 0) {
        return compared > 0;
    }
    const Player& first = ties_ == Ties::first ? a : b;
    const Player& last = ties_ == Ties::first ? b : a;
    return first.submit != last.submit ? first.submit < last.submit : first.job < last.job;
}

}  // namespace batfill
