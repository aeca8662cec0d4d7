#include <algorithm>
#include <array>

#include <batfill/engine/amount_profile.hpp>

namespace batfill {

std::size_t AmountProfile::split_at(Time t) {
    const std::size_t step = step_at(t);
    if (times_[step] >= t) {
        return step;
    }
    times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(step + 1), t);
    // Those of the last step twice, then those of the others from this one on.
    for (std::size_t column = 0; column < columns_; ++column) {
        values_.push_back(values_[values_.size() - columns_]);
    }
    for (std::size_t to = values_.size() - columns_; to-- > (step + 1) * columns_;) {
        values_[to] = values_[to - columns_];
    }
    return step + 1;
}

void AmountProfile::merge(std::size_t step) {
    if (step == 0 || step >= times_.size()) {
        return;
    }
    const Amount* const values = values_.data() + step * columns_;
    Amount differs = 0;
    for (std::size_t column = 0; column < columns_; ++column) {
        differs |= values[column] ^ *(values + column - columns_);
    }
    if (differs == 0) {
        times_.erase(times_.begin() + static_cast<std::ptrdiff_t>(step));
        for (std::size_t from = (step + 1) * columns_; from < values_.size(); ++from) {
            values_[from - columns_] = values_[from];
        }
        values_.resize(times_.size() * columns_);
    }
}

void AmountProfile::add(Time from, Time to, std::span<const Amount> amounts, int sign) {
    from = std::max(from, times_.front());
    if (from >= to || columns_ == 0) {
        return;
    }
    const std::size_t first = split_at(from);
    const std::size_t last = to.is_infinite() ? times_.size() : split_at(to);
    Amount all_but_first = 0;  // negative if one is
    for (std::size_t step = first; step < last; ++step) {
        Amount* const values = values_.data() + step * columns_;
        values[0] += sign * amounts[0];
        for (std::size_t column = 1; column < columns_; ++column) {
            values[column] += sign * amounts[column];
            all_but_first |= values[column];
        }
    }
    if (all_but_first < 0) {
        negative_until_ = std::max(negative_until_, to);
    }
    merge(last);
    merge(first);
}

void AmountProfile::forget_before(Time now) {
    const auto gone = static_cast<std::ptrdiff_t>(step_at(now));
    times_.erase(times_.begin(), times_.begin() + gone);
    values_.erase(values_.begin(), values_.begin() + gone * static_cast<std::ptrdiff_t>(columns_));
}

AmountProfile::Stretch AmountProfile::next_free(std::span<const Amount> amounts, Time from, Time until) const {
    std::size_t step = step_at(from);
    while (step < times_.size() && times_[step] < until && !has(step, amounts)) {
        ++step;
    }
    if (step == times_.size() || times_[step] >= until) {
        return {Time::infinity(), Time::infinity()};
    }
    const Time begin = std::max(from, times_[step]);
    while (step < times_.size() && times_[step] < until && has(step, amounts)) {
        ++step;
    }
    return {begin, step == times_.size() ? Time::infinity() : times_[step]};
}

AmountProfile::Stretch AmountProfile::next_stretch(std::span<const Amount> amounts, Time from) const {
    Stretch stretch = next_free(amounts, from);
    if (!stretch.begin.is_infinite()) {
        std::size_t first = step_at(stretch.begin);
        while (first > 0 && has(first - 1, amounts)) {
            --first;
        }
        stretch.begin = times_[first];
    }
    return stretch;
}

Time AmountProfile::earliest(std::span<const Amount> amounts, Duration length, Time from, Time before,
                             Time limit) const {
    Time start = std::max(from, times_.front());  // until now, the amounts are free from then on
    for (std::size_t step = step_at(start); start < before; ++step) {
        const bool is_last = step + 1 == times_.size();
        if (!has(step, amounts)) {
            start = is_last ? Time::infinity() : times_[step + 1];
        } else if (is_last || std::min(start + length, limit) <= times_[step + 1]) {
            return start;
        }
    }
    return Time::infinity();
}

AmountProfile::Stretch AmountProfile::freed(std::span<const Amount> amounts, std::span<const Amount> given, Time from,
                                            Time to) const {
    Stretch freed{Time::infinity(), Time::infinity()};
    if (from >= to) {
        return freed;
    }
    for (std::size_t step = step_at(from); step < times_.size() && times_[step] < to; ++step) {
        bool is_free = true;
        bool was_free = true;
        for (std::size_t column = 0; column < columns_; ++column) {
            const Amount value = values_[step * columns_ + column];
            is_free &= value >= amounts[column];
            was_free &= value - given[column] >= amounts[column];
        }
        if (is_free && !was_free) {
            freed.begin = std::min(freed.begin, std::max(from, times_[step]));
            freed.end = step + 1 == times_.size() ? to : std::min(to, times_[step + 1]);
        }
    }
    return freed;
}

Time AmountProfile::first_for_ever(std::span<const Amount> amounts, Time from) const {
    const std::size_t first = step_at(from);
    std::size_t low = first;
    std::size_t high = times_.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (has(middle, amounts)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (low == times_.size()) {
        return Time::infinity();
    }
    return low == first ? std::max(from, times_.front()) : times_[low];
}

void AmountProfile::longest_meeting(Time from, Time to, std::size_t column, std::span<const Amount> levels,
                                    std::span<Duration> longest) const {
    std::array<Time, most_levels> begins;  // of the intervals that last, by level
    std::size_t last_now = 0;              // how many of them
    for (std::size_t step = 0; step < times_.size() && (times_[step] < to || last_now > 0); ++step) {
        const Amount value = values_[step * columns_ + column];
        for (; last_now > 0 && levels[last_now - 1] > value; --last_now) {
            Duration& length = longest[last_now - 1];
            length = std::max(length, times_[step] > from ? times_[step] - begins[last_now - 1] : length);
        }
        while (times_[step] < to && last_now < levels.size() && levels[last_now] <= value) {
            begins[last_now++] = times_[step];
        }
    }
    std::fill_n(longest.begin(), last_now, Duration::infinity());
}

bool AmountProfile::has_during(std::span<const Amount> amounts, Time from, Time to) const {
    for (std::size_t step = step_at(from); step < times_.size() && (step == 0 || times_[step] < to); ++step) {
        if (!has(step, amounts)) {
            return false;
        }
    }
    return true;
}

void AmountProfile::set_from(Time t, std::span<const Amount> amounts) {
    const std::size_t step = split_at(t);
    if (std::ranges::any_of(amounts, [](Amount amount) { return amount < 0; })) {
        negative_until_ = Time::infinity();
    }
    std::ranges::copy(amounts, values_.begin() + static_cast<std::ptrdiff_t>(step * columns_));
}

AmountProfile::Bounds AmountProfile::bounds_of_steps(std::size_t column, std::size_t first, std::size_t end) const {
    Bounds bounds{values_[first * columns_ + column], values_[first * columns_ + column]};
    for (std::size_t step = first + 1; step < end; ++step) {
        bounds.least = std::min(bounds.least, values_[step * columns_ + column]);
        bounds.most = std::max(bounds.most, values_[step * columns_ + column]);
    }
    return bounds;
}

AmountProfile::Bounds AmountProfile::bounds(std::size_t column, Time from, Time to) const {
    const std::size_t first = step_at(from);
    Bounds bounds = bounds_of_steps(column, first, first + 1);
    for (std::size_t step = first + 1; step < times_.size() && times_[step] < to; ++step) {
        const Amount value = values_[step * columns_ + column];
        bounds = {std::min(bounds.least, value), std::max(bounds.most, value)};
    }
    return bounds;
}

}  // namespace batfill
