#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/owned.hpp>
#include <batfill/core/request.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// How long each number of processors is free from the origin on; see AvailabilityProfile::free_from_now().
class FreeFromNow {
 public:
    // Number of free processors at the origin.
    Amount most() const { return descents_.front().processors; }
    // The first instant at which fewer than `processors` are free; infinite if there is none.
    // Requires: processors > 0.
    // Cost: O(instants at which fewer are free than ever before).
    Time until(Amount processors) const;
    // Whether some number of processors is free for longer than in `other`.
    bool exceeds(const FreeFromNow& other) const;

 private:
    template <class Number>
    friend class BasicAvailabilityProfile;
    struct Descent {
        Time at;
        Amount processors;
    };
    // The instants at which fewer are free than ever before, up to the first at which none is.
    std::vector<Descent> descents_;
};

// What processors that are given back during an interval make possible: for each number of processors, how far before
// and after the interval that many are free.
class FreeSpans {
 public:
    // Only jobs that need from `least` to `most` processors profit. At some instant of the interval, too few
    // processors were free for them before, and enough are free now. If least > most, no job profits.
    Amount least() const { return least_; }
    Amount most() const { return most_; }
    struct Span {
        // Where the free time before the interval begins, or the interval itself.
        Time begin;
        // Where the free time after the interval ends, or the interval itself. May be infinite.
        Time end;
        Duration length() const { return end.is_infinite() ? Duration::infinity() : end - begin; }
    };
    // The span for this number, rounded down to a power of two but not below `least`.
    // Requires: least() <= processors <= most().
    const Span& find(Amount processors) const { return spans_[static_cast<std::size_t>(power_of(processors))]; }

    static constexpr std::size_t powers = 63;
    // The exponent of the power of two to which the number is rounded down; 0 for numbers below 1.
    static int power_of(Amount processors) {
        return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(processors, Amount{1})))) - 1;
    }

 private:
    template <class Number>
    friend class BasicAvailabilityProfile;
    // The number of processors that the span of a power of two is for.
    Amount wanted(int power) const { return std::max(Amount{1} << power, least_); }
    Amount least_ = 1;
    Amount most_ = 0;
    std::array<Span, powers> spans_;  // by exponent, for those from least_ to most_
};

// The number of free processors as a step function of time, from an origin to infinity: what running and planned jobs
// leave free according to their estimates. It only counts. Which processors a job gets is decided when it starts. Of a
// pool of the machine, it counts units as it does processors (PoolProfile).
//
// Steps lie in blocks of at most `block_size`. Each block keeps its smallest and largest value, so a search skips whole
// blocks. A change that covers a block is noted once for all its steps.
// Cost, with n steps (at most two for each running or planned job): O(block_size + n / block_size) for a change. A
// search costs the same, plus the steps of the blocks whose bounds do not give the answer. The benchmarks in bench/
// measure both.
template <class Number>
class BasicAvailabilityProfile {
 public:
    // Makes a profile in which `processors` are free from `origin` on.
    BasicAvailabilityProfile(Time origin, Number processors);

    // Adds `change` to the free processors during [from, to); does nothing if from >= to. Times before the origin count
    // as the origin. Sums may be any numbers: the profile does not know the size of the machine.
    void add(Time from, Time to, Number change);

    // Makes `now` the origin and forgets what is before it.
    // Requires: now >= origin().
    // Cost: O(steps forgotten / block_size).
    void advance(Time now);

    // The first t >= max(from, origin()) with t < min(limit, before) at which `processors` are free during all of
    // [t, min(t + length, limit)). Time::infinity() if there is none. `limit` is for a job that is planned at `limit`
    // and is itself in the profile: from `limit` on, the job has its own processors.
    Time earliest(Time from, Duration length, Number processors, Time limit = Time::infinity(),
                  Time before = Time::infinity()) const;

    // Overwrites `result`, to reuse its memory.
    // Cost: O(steps / block_size), and O(block_size) for each instant at which fewer are free than ever before. Stops
    // at the block with the first instant at which no processor is free.
    void free_from_now(FreeFromNow& result) const;

    // Overwrites `result` for `given` processors given back during [from, to), and for jobs that need at most `widest`.
    // Requires: origin() <= from < to, given >= 0.
    // Cost: O(steps / block_size), the steps in [from, to), and O(block_size) for each end of a span; the former if no
    // job profits.
    void free_spans(Time from, Time to, Number given, Amount widest, FreeSpans& result) const;

    // Requires: t >= origin().
    Number free_at(Time t) const;
    // The number of steps that overlap [from, to).
    // Requires: origin() <= from <= to.
    // Cost: O(steps / block_size).
    std::size_t steps_between(Time from, Time to) const;
    Time origin() const { return firsts_.front(); }
    // The steps: from each time to the next, so many processors are free. The first is at the origin.
    // Cost: O(steps).
    std::vector<std::pair<Time, Number>> steps() const;

 private:
    static constexpr int block_size = 64;

    struct Block {
        int count = 0;
        Number offset = 0;  // added to every value of the block
        Number least = 0;   // bounds of the values, with `offset`
        Number most = 0;
        Time times[block_size];
        Number values[block_size];
    };
    // A step: its block and its index there.
    struct Position {
        std::size_t block;
        int index;
    };

    Position find(Time t) const;  // the step that holds t
    // The same. Requires: t is not before the step `from`. Cost: less if both are in one block.
    Position find(Time t, Position from) const;
    struct Bounds {
        Number least;
        Number most;
    };
    // Bounds of the values from that step on, over the steps that begin before `to`.
    Bounds bounds(Position at, Time to) const;
    void find_begins(FreeSpans& spans, Position first, Time from) const;
    void find_ends(FreeSpans& spans, Position first, Time to) const;
    // Makes t the beginning of a step, which it returns. Requires: t is in the step `at`.
    Position split(Position at, Time t);
    // Removes the step if it has its predecessor's value. Does not update bounds.
    void merge_at(Position at);
    // Updates the bounds of a block; removes it if it is empty, joins it with the next if both are small.
    void tidy(std::size_t number);
    void join_with_next(std::size_t number);  // makes one block of two if both are small
    static void update_bounds(Block& block);
    Number value(Position at) const { return blocks_[at.block]->values[at.index] + blocks_[at.block]->offset; }

    std::vector<Time> firsts_;  // the first time of each block, for the binary search
    std::vector<Owned<Block>> blocks_;
};

extern template class BasicAvailabilityProfile<int>;
extern template class BasicAvailabilityProfile<Amount>;
using AvailabilityProfile = BasicAvailabilityProfile<int>;
using PoolProfile = BasicAvailabilityProfile<Amount>;

// The steps: "0 4; 10 2; 60 4", the number of free processors from each instant on.
std::string to_string(const AvailabilityProfile& profile);

}  // namespace batfill
