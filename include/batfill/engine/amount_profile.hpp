#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// Several amounts as functions of time, which change at the same instants: what is free on a host from each instant on.
// An amount may become negative; whoever needs nothing of it asks for `not_needed`.
// Cost, with n steps and c amounts: O(n * c) for each operation.
class AmountProfile {
 public:
    static constexpr Amount not_needed = -(Amount{1} << 62);

    // These amounts are free from `origin` on.
    AmountProfile(Time origin, std::span<const Amount> amounts)
        : columns_(amounts.size()), times_{origin}, values_(amounts.begin(), amounts.end()) {}

    // Adds `sign` times the amounts during [from, to); nothing if from >= to. Times before the origin count as it.
    void add(Time from, Time to, std::span<const Amount> amounts, int sign);
    // Makes `now` the origin and forgets what is before it.
    void advance(Time now) {
        if (times_.size() > 1 && times_[1] <= now) {
            forget_before(now);
        }
        times_.front() = std::max(times_.front(), now);
    }

    // The first t >= max(from, origin) with t < before at which these amounts are free during all of [t, t + length);
    // infinite if there is none. From `limit` on, they count as free.
    // Requires: before <= limit.
    Time earliest(std::span<const Amount> amounts, Duration length, Time from, Time before = Time::infinity(),
                  Time limit = Time::infinity()) const;

    // An interval in which these amounts are free, as long as possible. From the origin on, it began then.
    struct Stretch {
        Time begin;
        Time end;
    };
    // The first one that ends after `from`; begin is infinite if there is none.
    Stretch next_stretch(std::span<const Amount> amounts, Time from) const;
    // The same without what is before `from`, and only if it begins before `until`. Of one that lasts until then or
    // longer, the end is some instant from then on.
    Stretch next_free(std::span<const Amount> amounts, Time from, Time until = Time::infinity()) const;
    // From the first to the last instant of [from, to) at which these amounts are free, but were not as long as
    // somebody took `given`. Begin is infinite if there is none.
    Stretch freed(std::span<const Amount> amounts, std::span<const Amount> given, Time from, Time to) const;
    // Of the intervals in which this much of one amount is free, and which meet [from, to), the longest one for each
    // level. Raises `longest` of a level to it.
    // Requires: `levels` increases, and has at most `most_levels`.
    static constexpr std::size_t most_levels = 16;
    void longest_meeting(Time from, Time to, std::size_t column, std::span<const Amount> levels,
                         std::span<Duration> longest) const;
    // The first t >= max(from, origin) from which on these amounts are free for ever.
    // Requires: nothing that is free later is taken again.
    // Cost: O(log(n) * c).
    Time first_for_ever(std::span<const Amount> amounts, Time from) const;
    // Whether these amounts are free at t.
    // Cost: O(log(n) + c).
    bool has_at(std::span<const Amount> amounts, Time t) const { return has(step_at(t), amounts); }
    // Whether these amounts are free during all of [from, to).
    bool has_during(std::span<const Amount> amounts, Time from, Time to) const;
    // The instants at which amounts change, after the origin; the origin first.
    const std::vector<Time>& instants() const { return times_; }
    // What is free at an instant from the origin on.
    std::span<const Amount> at(Time t) const { return {values_.data() + step_at(t) * columns_, columns_}; }
    // From t on, these amounts are free instead.
    // Requires: t is the origin, or after all instants so far.
    void set_from(Time t, std::span<const Amount> amounts);
    struct Bounds {
        Amount least;
        Amount most;
    };
    // The smallest and the largest of an amount in [from, to).
    Bounds bounds(std::size_t column, Time from, Time to) const;
    // The same of steps from `first` up to `end`: each begins at the instant of this number.
    Bounds bounds_of_steps(std::size_t column, std::size_t first, std::size_t end) const;
    // The step that holds t; the first one before the origin.
    std::size_t step_at(Time t) const {
        // The step is one of `left` from `step` on. Without branches: which half it is, nobody can foresee.
        std::size_t step = 0;
        for (std::size_t left = times_.size(); left > 1;) {
            const std::size_t half = left / 2;
            step += times_[step + half] <= t ? half : 0;
            left -= half;
        }
        return step;
    }
    Amount least(std::size_t column, Time from, Time to) const { return bounds(column, from, to).least; }
    // No amount but the first one has been negative from this instant on.
    Time negative_until() const { return negative_until_; }

 private:
    void forget_before(Time now);
    std::size_t split_at(Time t);  // makes t the beginning of a step
    void merge(std::size_t step);  // makes it a part of the one before it if it begins nothing
    bool has(std::size_t step, std::span<const Amount> amounts) const {
        const Amount* const values = values_.data() + step * columns_;
        Amount lacks = 0;  // negative if something is too little; without branches: hosts lack now this, now that
        for (std::size_t column = 0; column < columns_; ++column) {
            lacks |= values[column] - amounts[column];
        }
        return lacks >= 0;
    }

    std::size_t columns_;
    std::vector<Time> times_;     // when each step begins, increasing; the first is the origin
    std::vector<Amount> values_;  // by step, then by column
    Time negative_until_ = Time::at(-Duration::infinity());
};

}  // namespace batfill
