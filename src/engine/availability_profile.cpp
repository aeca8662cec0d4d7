#include <algorithm>
#include <cassert>
#include <limits>

#include <batfill/engine/availability_profile.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

namespace {

// The index of the last of `count` increasing times that is <= t, or 0. This is the innermost step of every operation.
// Comparison results are unpredictable, so the loop does not branch on them.
int last_not_after(const Time* times, int count, Time t) {
    const Time* base = times;
    while (count > 1) {
        const int half = count / 2;
        base = base[half] <= t ? base + half : base;
        count -= half;
    }
    return static_cast<int>(base - times);
}

// The state of a search over the steps for the earliest sufficient gap.
struct GapSearch {
    Time from;
    Duration length;
    Time limit;   // no gap needs to reach beyond this
    Time before;  // the gap must begin before this
    // If set, `gap` begins a gap that reaches at least to the current step.
    bool in_gap = false;
    Time gap{};
    Time gap_needed_until{};

    // Scans the steps first..count-1. Returns whether the search is over; then in_gap says whether it found a gap.
    template <class Number>
    bool scan(const Time* times, const Number* values, int first, int count, Number processors) {
        int i = first;
        while (i < count) {
            if (!in_gap) {
                while (i < count && values[i] < processors) {
                    ++i;
                }
                if (i == count) {
                    return false;
                }
                gap = std::max(times[i], from);
                if (gap >= before) {
                    return true;
                }
                in_gap = true;
                gap_needed_until = std::min(gap + length, limit);
            }
            while (i < count && values[i] >= processors) {
                ++i;
            }
            if (i < count) {
                if (times[i] >= gap_needed_until) {
                    return true;
                }
                in_gap = false;
            }
        }
        return false;
    }
};

}  // namespace

template <class Number>
BasicAvailabilityProfile<Number>::BasicAvailabilityProfile(Time origin, Number processors) {
    assert(processors >= 0);
    auto block = std::make_unique<Block>();
    block->count = 1;
    block->times[0] = origin;
    block->values[0] = block->least = block->most = processors;
    firsts_.push_back(origin);
    blocks_.emplace_back(std::move(block));
}

template <class Number>
typename BasicAvailabilityProfile<Number>::Position BasicAvailabilityProfile<Number>::find(Time t) const {
    if (t == origin()) {
        return {0, 0};
    }
    const int number = last_not_after(firsts_.data(), static_cast<int>(firsts_.size()), t);
    const Block& block = *blocks_[static_cast<std::size_t>(number)];
    return {static_cast<std::size_t>(number), last_not_after(block.times, block.count, t)};
}

template <class Number>
typename BasicAvailabilityProfile<Number>::Position BasicAvailabilityProfile<Number>::find(Time t,
                                                                                           Position from) const {
    if (from.block + 1 < firsts_.size() && firsts_[from.block + 1] <= t) {
        return find(t);
    }
    const Block& block = *blocks_[from.block];
    return {from.block, from.index + last_not_after(block.times + from.index, block.count - from.index, t)};
}

template <class Number>
void BasicAvailabilityProfile<Number>::update_bounds(Block& block) {
    Number least = block.values[0];
    Number most = least;
    for (int i = 1; i < block.count; ++i) {  // compilers vectorise this, but not std::minmax_element
        least = std::min(least, block.values[i]);
        most = std::max(most, block.values[i]);
    }
    block.least = least + block.offset;
    block.most = most + block.offset;
}

template <class Number>
typename BasicAvailabilityProfile<Number>::Position BasicAvailabilityProfile<Number>::split(Position at, Time t) {
    if (blocks_[at.block]->times[at.index] == t) {
        return at;
    }
    if (blocks_[at.block]->count == block_size) {
        Block& full = *blocks_[at.block];
        auto half = std::make_unique<Block>();
        constexpr int kept = block_size / 2;
        half->count = block_size - kept;
        half->offset = full.offset;
        std::copy(full.times + kept, full.times + block_size, half->times);
        std::copy(full.values + kept, full.values + block_size, half->values);
        full.count = kept;
        update_bounds(full);
        update_bounds(*half);
        const auto position = static_cast<std::ptrdiff_t>(at.block) + 1;
        firsts_.insert(firsts_.begin() + position, half->times[0]);
        blocks_.insert(blocks_.begin() + position, std::move(half));
        if (at.index >= kept) {
            at = {at.block + 1, at.index - kept};
        }
    }
    Block& block = *blocks_[at.block];
    const int index = at.index + 1;
    std::copy_backward(block.times + index, block.times + block.count, block.times + block.count + 1);
    std::copy_backward(block.values + index, block.values + block.count, block.values + block.count + 1);
    block.times[index] = t;
    block.values[index] = block.values[at.index];
    ++block.count;
    return {at.block, index};
}

template <class Number>
void BasicAvailabilityProfile<Number>::merge_at(Position at) {
    Block& block = *blocks_[at.block];
    if (at.index == 0 && at.block == 0) {
        return;
    }
    const Position before =
        at.index > 0 ? Position{at.block, at.index - 1} : Position{at.block - 1, blocks_[at.block - 1]->count - 1};
    if (value(before) != value(at)) {
        return;
    }
    std::copy(block.times + at.index + 1, block.times + block.count, block.times + at.index);
    std::copy(block.values + at.index + 1, block.values + block.count, block.values + at.index);
    --block.count;
    if (block.count > 0) {
        firsts_[at.block] = block.times[0];
    }
}

template <class Number>
void BasicAvailabilityProfile<Number>::tidy(std::size_t number) {
    if (number >= blocks_.size()) {
        return;
    }
    if (blocks_[number]->count == 0) {
        const auto position = static_cast<std::ptrdiff_t>(number);
        firsts_.erase(firsts_.begin() + position);
        blocks_.erase(blocks_.begin() + position);
        return;
    }
    update_bounds(*blocks_[number]);
    join_with_next(number);
}

template <class Number>
void BasicAvailabilityProfile<Number>::join_with_next(std::size_t number) {
    if (number + 1 >= blocks_.size() || blocks_[number]->count + blocks_[number + 1]->count > block_size / 2) {
        return;
    }
    Block& block = *blocks_[number];
    const Block& next = *blocks_[number + 1];
    std::copy(next.times, next.times + next.count, block.times + block.count);
    for (int i = 0; i < next.count; ++i) {
        block.values[block.count + i] = next.values[i] + next.offset - block.offset;
    }
    block.count += next.count;
    update_bounds(block);
    const auto position = static_cast<std::ptrdiff_t>(number) + 1;
    firsts_.erase(firsts_.begin() + position);
    blocks_.erase(blocks_.begin() + position);
}

template <class Number>
void BasicAvailabilityProfile<Number>::add(Time from, Time to, Number change) {
    from = std::max(from, origin());
    if (from >= to || change == 0) {
        return;
    }
    Position begin = split(find(from), from);
    Position end{blocks_.size(), 0};
    if (!to.is_infinite()) {
        const std::size_t before = blocks_.size();
        end = split(find(to, begin), to);
        if (blocks_.size() != before) {
            begin = find(from);  // the second split may have moved it
        }
    }
    for (std::size_t number = begin.block; number <= end.block && number < blocks_.size(); ++number) {
        Block& block = *blocks_[number];
        const int first = number == begin.block ? begin.index : 0;
        const int last = number == end.block ? end.index : block.count;
        if (first == 0 && last == block.count) {
            block.offset += change;
            block.least += change;
            block.most += change;
        } else {
            for (int i = first; i < last; ++i) {
                block.values[i] += change;
            }
        }
    }
    // From back to front: the remaining blocks keep their positions.
    if (end.block < blocks_.size()) {
        merge_at(end);
    }
    merge_at(begin);
    if (end.block != begin.block) {
        tidy(end.block);
    }
    tidy(begin.block);
    if (begin.block > 0) {
        join_with_next(begin.block - 1);
    }
}

template <class Number>
void BasicAvailabilityProfile<Number>::advance(Time now) {
    assert(now >= origin());
    const Position at = find(now);
    if (at.block > 0) {
        const auto position = static_cast<std::ptrdiff_t>(at.block);
        firsts_.erase(firsts_.begin(), firsts_.begin() + position);
        blocks_.erase(blocks_.begin(), blocks_.begin() + position);
    }
    Block& block = *blocks_.front();
    if (at.index > 0) {
        std::copy(block.times + at.index, block.times + block.count, block.times);
        std::copy(block.values + at.index, block.values + block.count, block.values);
        block.count -= at.index;
        update_bounds(block);
    }
    block.times[0] = now;
    firsts_.front() = now;
}

template <class Number>
void BasicAvailabilityProfile<Number>::free_spans(Time from, Time to, Number given, Amount widest,
                                                  FreeSpans& result) const {
    assert(origin() <= from && from < to && given >= 0);
    const Position first = find(from);
    const Bounds now = bounds(first, to);
    result.least_ = std::max(now.least - given + 1, Number{1});
    result.most_ = std::min(Amount{now.most}, widest);
    if (result.least_ <= result.most_) {
        find_begins(result, first, from);
        find_ends(result, first, to);
    }
}

// Spans for fewer processors reach further. Each walk away from the interval closes the spans for the most
// processors first.
template <class Number>
void BasicAvailabilityProfile<Number>::find_begins(FreeSpans& spans, Position first, Time from) const {
    const int smallest_power = FreeSpans::power_of(spans.least_);
    int power = FreeSpans::power_of(spans.most_);
    Time begin = from;
    const auto end_at = [&](Number value) {
        for (; power >= smallest_power && value < spans.wanted(power); --power) {
            spans.spans_[static_cast<std::size_t>(power)].begin = begin;
        }
    };
    for (std::size_t number = first.block + 1; number-- > 0 && power >= smallest_power;) {
        const Block& block = *blocks_[number];
        if (number != first.block && block.least >= spans.wanted(power)) {
            begin = block.times[0];
            continue;
        }
        for (int i = number == first.block ? first.index : block.count - 1; i >= 0; --i) {
            if (block.times[i] < begin) {
                end_at(block.values[i] + block.offset);
                begin = block.times[i];
            }
        }
    }
    end_at(0);
}

template <class Number>
void BasicAvailabilityProfile<Number>::find_ends(FreeSpans& spans, Position first, Time to) const {
    const int smallest_power = FreeSpans::power_of(spans.least_);
    int power = FreeSpans::power_of(spans.most_);
    const auto end_at = [&](Number value, Time end) {
        for (; power >= smallest_power && value < spans.wanted(power); --power) {
            spans.spans_[static_cast<std::size_t>(power)].end = end;
        }
    };
    const Position last = to.is_infinite() ? Position{blocks_.size(), 0} : find(to, first);
    for (std::size_t number = last.block; number < blocks_.size() && power >= smallest_power; ++number) {
        const Block& block = *blocks_[number];
        if (block.least >= spans.wanted(power)) {
            continue;
        }
        for (int i = number == last.block ? last.index : 0; i < block.count; ++i) {
            end_at(block.values[i] + block.offset, std::max(to, block.times[i]));
        }
    }
    end_at(0, Time::infinity());
}

template <class Number>
Time BasicAvailabilityProfile<Number>::earliest(Time from, Duration length, Number processors, Time limit,
                                                Time before) const {
    from = std::max(from, origin());
    before = std::min(before, limit);
    const Position at = find(from);
    GapSearch search{from, length, limit, before};
    for (std::size_t number = at.block; number < blocks_.size(); ++number) {
        const Block& block = *blocks_[number];
        const int first = number == at.block ? at.index : 0;
        if (block.times[first] >= (search.in_gap ? search.gap_needed_until : before)) {
            break;
        }
        if (search.in_gap ? block.least >= processors : block.most < processors) {
            continue;
        }
        if (search.scan(block.times, block.values, first, block.count, processors - block.offset)) {
            break;
        }
    }
    return search.in_gap ? search.gap : Time::infinity();
}

Time FreeFromNow::until(Amount processors) const {
    assert(processors > 0);
    const auto end = std::ranges::find_if(descents_, [&](const Descent& one) { return one.processors < processors; });
    return end == descents_.end() ? Time::infinity() : end->at;
}

bool FreeFromNow::exceeds(const FreeFromNow& other) const {
    // Of all counts that `other` has free until the same instant, the smallest is free longest here.
    return std::any_of(other.descents_.begin(), other.descents_.end(), [&](const Descent& descent) {
        return until(std::max(descent.processors, Amount{0}) + 1) > descent.at;
    });
}

template <class Number>
void BasicAvailabilityProfile<Number>::free_from_now(FreeFromNow& result) const {
    result.descents_.clear();
    Number least = std::numeric_limits<Number>::max();
    for (const Owned<Block>& block : blocks_) {
        if (block->least >= least) {
            continue;
        }
        for (int i = 0; i < block->count; ++i) {
            if (block->values[i] + block->offset < least) {
                least = block->values[i] + block->offset;
                result.descents_.push_back({block->times[i], least});
            }
        }
        if (least <= 0) {
            return;
        }
    }
}

template <class Number>
typename BasicAvailabilityProfile<Number>::Bounds BasicAvailabilityProfile<Number>::bounds(Position at, Time to) const {
    Bounds bounds{value(at), value(at)};
    for (std::size_t number = at.block; number < blocks_.size(); ++number) {
        const Block& block = *blocks_[number];
        const int first = number == at.block ? at.index : 0;
        if (block.times[first] >= to) {
            break;
        }
        if (block.least >= bounds.least && block.most <= bounds.most) {
            continue;
        }
        const int last = last_not_after(block.times, block.count, to);
        const int end = block.times[last] < to ? last + 1 : last;
        for (int i = first; i < end; ++i) {
            bounds.least = std::min(bounds.least, block.values[i] + block.offset);
            bounds.most = std::max(bounds.most, block.values[i] + block.offset);
        }
    }
    return bounds;
}

template <class Number>
std::vector<std::pair<Time, Number>> BasicAvailabilityProfile<Number>::steps() const {
    std::vector<std::pair<Time, Number>> steps;
    for (const Owned<Block>& block : blocks_) {
        for (int i = 0; i < block->count; ++i) {
            steps.emplace_back(block->times[i], block->values[i] + block->offset);
        }
    }
    return steps;
}

template <class Number>
Number BasicAvailabilityProfile<Number>::free_at(Time t) const {
    assert(t >= origin());
    return value(find(t));
}

template <class Number>
std::size_t BasicAvailabilityProfile<Number>::steps_between(Time from, Time to) const {
    assert(origin() <= from && from <= to);
    if (from == to) {
        return 0;
    }
    const Position first = find(from);
    const Position last = find(to);
    int steps = last.index - first.index;
    for (std::size_t number = first.block; number < last.block; ++number) {
        steps += blocks_[number]->count;
    }
    if (blocks_[last.block]->times[last.index] < to) {
        ++steps;
    }
    return static_cast<std::size_t>(steps);
}

template class BasicAvailabilityProfile<int>;
template class BasicAvailabilityProfile<Amount>;

std::string to_string(const AvailabilityProfile& profile) {
    std::string text;
    for (const auto& [time, free] : profile.steps()) {
        text.append(text.empty() ? "" : "; ").append(instant_text(time)).append(" ").append(std::to_string(free));
    }
    return text;
}

}  // namespace batfill
