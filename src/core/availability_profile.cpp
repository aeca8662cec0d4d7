#include <batfill/availability_profile.hpp>

#include <algorithm>

namespace batfill {

AvailabilityProfile::AvailabilityProfile(Time origin, int processors) {
    auto block = std::make_unique<Block>();
    block->count = 1;
    block->times[0] = origin;
    block->values[0] = block->least = block->most = processors;
    firsts_.push_back(origin);
    blocks_.push_back(std::move(block));
}

AvailabilityProfile::~AvailabilityProfile() = default;
AvailabilityProfile::AvailabilityProfile(AvailabilityProfile&&) noexcept = default;
AvailabilityProfile& AvailabilityProfile::operator=(AvailabilityProfile&&) noexcept = default;

Time AvailabilityProfile::origin() const { return firsts_.front(); }

AvailabilityProfile::Position AvailabilityProfile::find(Time t) const {
    const auto after = std::upper_bound(firsts_.begin() + 1, firsts_.end(), t);
    const auto number = static_cast<std::size_t>(after - firsts_.begin()) - 1;
    const Block& block = *blocks_[number];
    const Time* const next = std::upper_bound(block.times + 1, block.times + block.count, t);
    return {number, static_cast<int>(next - block.times) - 1};
}

void AvailabilityProfile::update_bounds(Block& block) {
    const auto [least, most] = std::minmax_element(block.values, block.values + block.count);
    block.least = *least + block.offset;
    block.most = *most + block.offset;
}

AvailabilityProfile::Position AvailabilityProfile::split_at(Time t) {
    Position at = find(t);
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
        const auto place = static_cast<std::ptrdiff_t>(at.block) + 1;
        firsts_.insert(firsts_.begin() + place, half->times[0]);
        blocks_.insert(blocks_.begin() + place, std::move(half));
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
    ++steps_;
    return {at.block, index};
}

void AvailabilityProfile::merge_at(Time t) {
    const Position at = find(t);
    Block& block = *blocks_[at.block];
    if (block.times[at.index] != t || (at.block == 0 && at.index == 0)) {
        return;
    }
    const Position before = at.index > 0 ? Position{at.block, at.index - 1}
                                         : Position{at.block - 1, blocks_[at.block - 1]->count - 1};
    if (value(before) != value(at)) {
        return;
    }
    --steps_;
    if (block.count == 1) {
        const auto place = static_cast<std::ptrdiff_t>(at.block);
        firsts_.erase(firsts_.begin() + place);
        blocks_.erase(blocks_.begin() + place);
        return;
    }
    std::copy(block.times + at.index + 1, block.times + block.count, block.times + at.index);
    std::copy(block.values + at.index + 1, block.values + block.count, block.values + at.index);
    --block.count;
    firsts_[at.block] = block.times[0];
    update_bounds(block);
    join_with_next(at.block);
    if (at.block > 0) {
        join_with_next(at.block - 1);
    }
}

void AvailabilityProfile::join_with_next(std::size_t number) {
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
    const auto place = static_cast<std::ptrdiff_t>(number) + 1;
    firsts_.erase(firsts_.begin() + place);
    blocks_.erase(blocks_.begin() + place);
}

void AvailabilityProfile::add(Time from, Time to, int change) {
    from = std::max(from, origin());
    if (from >= to || change == 0) {
        return;
    }
    split_at(from);
    if (!to.is_infinite()) {
        split_at(to);
    }
    // Looked up after both splits: the second may have moved what the first returned.
    const Position begin = find(from);
    const Position end = to.is_infinite() ? Position{blocks_.size(), 0} : find(to);
    for (std::size_t number = begin.block; number <= end.block && number < blocks_.size(); ++number) {
        Block& block = *blocks_[number];
        const int first = number == begin.block ? begin.index : 0;
        const int last = number == end.block ? end.index : block.count;
        if (first == 0 && last == block.count) {
            block.offset += change;
            block.least += change;
            block.most += change;
        } else if (first < last) {
            for (int i = first; i < last; ++i) {
                block.values[i] += change;
            }
            update_bounds(block);
        }
    }
    merge_at(from);
    if (!to.is_infinite()) {
        merge_at(to);
    }
}

void AvailabilityProfile::advance(Time now) {
    const Position at = find(now);
    if (at.block > 0) {
        for (std::size_t i = 0; i < at.block; ++i) {
            steps_ -= static_cast<std::size_t>(blocks_[i]->count);
        }
        const auto place = static_cast<std::ptrdiff_t>(at.block);
        firsts_.erase(firsts_.begin(), firsts_.begin() + place);
        blocks_.erase(blocks_.begin(), blocks_.begin() + place);
    }
    Block& block = *blocks_.front();
    if (at.index > 0) {
        std::copy(block.times + at.index, block.times + block.count, block.times);
        std::copy(block.values + at.index, block.values + block.count, block.values);
        block.count -= at.index;
        steps_ -= static_cast<std::size_t>(at.index);
        update_bounds(block);
    }
    block.times[0] = now;
    firsts_.front() = now;
}

Time AvailabilityProfile::earliest(Time from, Duration length, int processors, Time limit) const {
    from = std::max(from, origin());
    Position at = find(from);
    bool found = false;   // `candidate` begins a gap that holds at least up to the present step
    Time candidate;
    Time end;
    for (std::size_t number = at.block; number < blocks_.size(); ++number) {
        const Block& block = *blocks_[number];
        const int first = number == at.block ? at.index : 0;
        if (found ? block.times[first] >= end : block.times[first] >= limit) {
            break;
        }
        if (found ? block.least >= processors : block.most < processors) {
            continue;
        }
        const int needed = processors - block.offset;
        for (int i = first; i < block.count; ++i) {
            if (block.values[i] < needed) {
                if (found && block.times[i] >= end) {
                    return candidate;
                }
                found = false;
            } else if (!found) {
                candidate = std::max(block.times[i], from);
                if (candidate >= limit) {
                    return Time::infinity();
                }
                found = true;
                end = std::min(candidate + length, limit);
            }
        }
    }
    return found ? candidate : Time::infinity();
}

int AvailabilityProfile::most_free(Time from, Time to) const {
    from = std::max(from, origin());
    const Position at = find(from);
    int most = value(at);
    for (std::size_t number = at.block; number < blocks_.size(); ++number) {
        const Block& block = *blocks_[number];
        const int first = number == at.block ? at.index : 0;
        if (block.times[first] >= to) {
            break;
        }
        if (block.most <= most) {
            continue;
        }
        for (int i = first; i < block.count && block.times[i] < to; ++i) {
            most = std::max(most, block.values[i] + block.offset);
        }
    }
    return most;
}

int AvailabilityProfile::free_at(Time t) const { return value(find(t)); }

}  // namespace batfill
