#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/random_stream.hpp"

// Compares the rounds of an engine with those of a plain form that knows places.
namespace batfill::tests {

// Whether the engine runs a round for this message.
inline bool is_round(const Message& message) {
    return !message.ended.empty() || !message.submitted.empty() || !message.machine_changes.empty();
}

// Requires that a round of the engine started exactly these jobs, on these places if the places are to be the same.
inline void require_starts(const Engine& engine, const std::vector<JobIndex>& started,
                           const std::map<JobIndex, ResourceSet>& expected, bool same_places) {
    std::vector<JobIndex> jobs;
    std::transform(expected.begin(), expected.end(), std::back_inserter(jobs),
                   [](const auto& start) { return start.first; });
    REQUIRE(started == jobs);
    for (const auto& [job, allocation] : same_places ? expected : std::map<JobIndex, ResourceSet>()) {
        REQUIRE(engine.state().job(job).allocation == allocation);
    }
}

// Checks that the head of the queue can start no later than when it became head, unless other jobs overtake it.
class HeadPromise {
 public:
    int kept = 0;
    int broken = 0;

    HeadPromise& operator+=(const HeadPromise& other) {
        kept += other.kept;
        broken += other.broken;
        return *this;
    }

    // Call this after a round of a plain form.
    template <typename Plain>
    void watch(const Plain& plain, const Message& message, const std::vector<JobIndex>& started) {
        const Time possible = plain.head_can_start_at().value_or(Time::infinity());
        if (head_ && std::binary_search(started.begin(), started.end(), *head_)) {
            ++(message.now <= promised_ ? kept : broken);
        } else if (head_ && head_ == plain.head() && !plain.is_head_overtaken()) {
            ++(possible <= promised_ ? kept : broken);
            return;
        }
        head_ = plain.head();
        promised_ = possible;
    }

 private:
    std::optional<JobIndex> head_;
    Time promised_;
};

// Requires that a round of the engine equals that of a plain form, unless the plain form is in doubt.
template <typename Plain>
void require_same_round(const Engine& engine, Plain& plain, const Message& message,
                        const std::vector<JobIndex>& started, bool same_places = true) {
    if (plain.in_doubt()) {
        return;
    }
    const auto expected = is_round(message) ? plain.round(message) : std::map<JobIndex, ResourceSet>();
    if (!plain.in_doubt()) {
        require_starts(engine, started, expected, same_places);
    }
}

// Plays a random stream to an engine, and requires that all rounds equal those of a plain form.
template <typename Plain>
void require_same_rounds(Stream& stream, Engine& engine, Plain& plain, bool same_places = true) {
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        require_same_round(engine, plain, message, started, same_places);
    });
}

// As above. Returns whether the heads of the queue started when they could first.
template <typename Plain>
HeadPromise watch_heads(Stream& stream, Engine& engine, Plain& plain) {
    HeadPromise promise;
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        require_same_round(engine, plain, message, started);
        if (!plain.in_doubt() && is_round(message)) {
            promise.watch(plain, message, started);
        }
    });
    return promise;
}

}  // namespace batfill::tests
