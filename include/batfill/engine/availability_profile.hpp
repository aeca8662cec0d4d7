#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// The number of free processors as a step function of time, from an origin to infinity: what running and planned jobs
// leave free according to their estimates. It only counts; which processors a job gets is decided when it starts.
//
// Steps lie in blocks of at most `block_size`, each with its smallest and its largest value, so that a search skips
// whole blocks and a change that covers a block is noted once for all its steps. With n steps (at most two for each
// running or planned job) a change costs O(block_size + n / block_size), and a search the same plus the steps of the
// blocks whose bounds do not tell the answer. The benchmarks in bench/ measure both.
class AvailabilityProfile {
 public:
    // A profile in which `processors` are free from `origin` on.
    AvailabilityProfile(Time origin, int processors);
    ~AvailabilityProfile();
    AvailabilityProfile(AvailabilityProfile&&) noexcept;
    AvailabilityProfile& operator=(AvailabilityProfile&&) noexcept;

    // Adds `change` to the free processors during [from, to); nothing if from >= to. Times before the origin count as
    // the origin. The sums may be any numbers: the profile knows no size of the machine.
    void add(Time from, Time to, int change);

    // Forgets what is before `now`, which becomes the origin. Requires now >= origin(). O(steps forgotten /
    // block_size).
    void advance(Time now);

    // The first t >= max(from, origin()) such that `processors` are free during all of [t, min(t + length, limit)), and
    // t < min(limit, before); Time::infinity() if there is none. With a limit, this is the search for an earlier place
    // of a job that is planned at `limit` and itself in the profile: from `limit` on, its own processors serve it.
    Time earliest(Time from, Duration length, int processors, Time limit = Time::infinity(),
                  Time before = Time::infinity()) const;

    // For how long processors are free from the origin on, by their number, as free_from_origin() tells it.
    class FreeFromOrigin {
     public:
        // How many are free at the origin.
        int most() const { return descents_.front().processors; }
        // The first instant at which fewer than `processors` are free; infinite if there is none. Requires processors >
        // 0. O(instants at which fewer are free than ever before).
        Time until(int processors) const;
        // Whether some number of processors is free for longer than by `other`.
        bool exceeds(const FreeFromOrigin& other) const;

     private:
        friend class AvailabilityProfile;
        struct Descent {
            Time at;
            int processors;
        };
        std::vector<Descent> descents_;  // where fewer are free than ever before, up to the first where none is
    };
    // Writes over `result`, to use its memory again. O(steps / block_size), and the steps of as many blocks as there
    // are such instants; nothing behind the first instant at which no processor is free.
    void free_from_origin(FreeFromOrigin& result) const;

    // What it helps that processors were given back during an interval: for how long just before and just after it
    // processors are free, by their number.
    class Surroundings {
     public:
        // Only those that need from `least` to `most` processors are helped: there were too few at some instant of the
        // interval, and there are enough now. Nobody if least > most.
        int least() const { return least_; }
        int most() const { return most_; }
        struct Window {
            Time begin;  // of what is free before the interval, or that of the interval
            Time end;    // of what is free after it, or that of the interval; may be infinite
            Duration length() const { return end.is_infinite() ? Duration::infinity() : end - begin; }
        };
        // For this number rounded down to a power of two, if that is not less than `least`. Requires least() <=
        // processors <= most().
        const Window& find(int processors) const { return windows_[static_cast<std::size_t>(power_of(processors))]; }

        static constexpr std::size_t powers = 31;
        // Which power of two the number is rounded down to; that of 1 for less.
        static int power_of(int processors) {
            return static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(processors, 1)))) - 1;
        }

     private:
        friend class AvailabilityProfile;
        // What the window of a power of two is made for.
        int wanted(int power) const { return std::max(1 << power, least_); }
        int least_ = 1;
        int most_ = 0;
        std::array<Window, powers> windows_;  // by power of two, of those from least_ to most_
    };
    // Writes over `result`, for `given` processors that have been given back during [from, to); requires origin() <=
    // from < to and given >= 0. O(steps / block_size), the steps between the two and those of as many blocks as there
    // are ends of windows.
    void surroundings(Time from, Time to, int given, Surroundings& result) const;

    int free_at(Time t) const;  // requires t >= origin()
    // How many steps begin or hold in [from, to); requires origin() <= from <= to. O(steps / block_size).
    std::size_t steps_between(Time from, Time to) const;
    Time origin() const { return firsts_.front(); }
    std::size_t steps() const { return steps_; }

 private:
    static constexpr int block_size = 64;

    struct Block {
        int count = 0;
        int offset = 0;  // to be added to every value of the block
        int least = 0;   // bounds of the values, offset included
        int most = 0;
        Time times[block_size];
        int values[block_size];
    };
    // Where a step is: a block and a place in it.
    struct Position {
        std::size_t block;
        int index;
    };

    Position find(Time t) const;  // the step that holds t
    struct Bounds {
        int least;
        int most;
    };
    Bounds bounds(Position at, Time to) const;  // of the values from that step on, of steps before `to`
    void find_begins(Surroundings& around, Position first, Time from) const;
    void find_ends(Surroundings& around, Time to) const;
    Position split_at(Time t);                // makes t the beginning of a step and returns it
    void merge_at(Position at);               // removes a step that has its predecessor's value; bounds are not updated
    void tidy(std::size_t number);            // updates the bounds of a block; removes it if empty, joins it if small
    void join_with_next(std::size_t number);  // makes one block of two that have become small
    static void update_bounds(Block& block);
    int value(Position at) const { return blocks_[at.block]->values[at.index] + blocks_[at.block]->offset; }

    std::vector<Time> firsts_;  // the first time of each block, for the binary search
    std::vector<std::unique_ptr<Block>> blocks_;
    std::size_t steps_ = 1;
};

}  // namespace batfill
