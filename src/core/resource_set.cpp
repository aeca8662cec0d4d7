#include <algorithm>
#include <charconv>
#include <limits>
#include <ostream>

#include <batfill/core/resource_set.hpp>

namespace batfill {

namespace {

using Interval = ResourceSet::Interval;

// Appends `next` to sorted intervals, merging it with the last one if they overlap or touch.
void append(std::vector<Interval>& intervals, Interval next) {
    if (!intervals.empty() && next.first <= intervals.back().last + 1) {
        intervals.back().last = std::max(intervals.back().last, next.last);
    } else {
        intervals.push_back(next);
    }
}

// Calls handle(interval) for each interval of the intersection, in order.
void for_each_common(const std::vector<Interval>& some, const std::vector<Interval>& others, auto handle) {
    if (others.empty()) {
        return;
    }
    auto b = others.begin();
    auto a = std::ranges::lower_bound(some, b->first, {}, &Interval::last);
    while (a != some.end() && b != others.end()) {
        const Interval common{std::max(a->first, b->first), std::min(a->last, b->last)};
        if (common.first <= common.last) {
            handle(common);
        }
        if (a->last < b->last) {
            ++a;
        } else {
            ++b;
        }
    }
}

void append_number(std::string& out, int number) {
    char text[12];
    const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
    out.append(text, static_cast<std::size_t>(end - text));  // it costs twice as much with iterators
}

}  // namespace

ResourceSet ResourceSet::range(int first, int last) {
    ResourceSet set;
    if (first <= last) {
        set.intervals_.push_back({first, last});
    }
    return set;
}

std::optional<ResourceSet> ResourceSet::parse(std::string_view text) {
    std::vector<Interval> found;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&](int& value) {
        if (at == end || *at < '0' || *at > '9') {
            return false;
        }
        const auto [next, problem] = std::from_chars(at, end, value);
        at = next;
        return problem == std::errc() && value < std::numeric_limits<int>::max();
    };
    while (true) {
        while (at != end && (*at == ' ' || *at == ',')) {
            ++at;
        }
        if (at == end) {
            break;
        }
        Interval next{};
        if (!number(next.first)) {
            return std::nullopt;
        }
        next.last = next.first;
        if (at != end && *at == '-') {
            ++at;
            if (!number(next.last) || next.last < next.first) {
                return std::nullopt;
            }
        }
        if (at != end && *at != ' ' && *at != ',') {
            return std::nullopt;
        }
        found.push_back(next);
    }
    std::sort(found.begin(), found.end(), [](Interval a, Interval b) { return a.first < b.first; });
    ResourceSet set;
    for (const Interval& next : found) {
        append(set.intervals_, next);
    }
    return set;
}

void ResourceSet::append_to(std::string& out) const {
    bool separate = false;
    for (const Interval& interval : intervals_) {
        if (separate) {
            out += ' ';
        }
        separate = true;
        append_number(out, interval.first);
        if (interval.last != interval.first) {
            out += '-';
            append_number(out, interval.last);
        }
    }
}

std::string ResourceSet::to_short_string() const {
    constexpr std::size_t most = 6;
    constexpr std::size_t named = 3;
    if (intervals_.size() <= most) {
        return to_string();
    }
    ResourceSet first;
    first.intervals_.assign(intervals_.begin(), intervals_.begin() + named);
    return first.to_string() + " and " + std::to_string(size() - first.size()) + " more";
}

std::string ResourceSet::to_string() const {
    std::string text;
    append_to(text);
    return text;
}

int ResourceSet::size() const {
    int count = 0;
    for (const Interval& interval : intervals_) {
        count += interval.last - interval.first + 1;
    }
    return count;
}

bool ResourceSet::contains(int processor) const {
    const auto after = std::ranges::upper_bound(intervals_, processor, {}, &Interval::first);
    return after != intervals_.begin() && processor <= std::prev(after)->last;
}

bool ResourceSet::contains_all(const ResourceSet& other) const {
    return count_common(other) == other.size();
}

ResourceSet ResourceSet::intersection(const ResourceSet& other) const {
    ResourceSet result;
    for_each_common(intervals_, other.intervals_, [&](Interval common) { result.intervals_.push_back(common); });
    return result;
}

int ResourceSet::count_common(const ResourceSet& other) const {
    int count = 0;
    for_each_common(intervals_, other.intervals_, [&](Interval common) { count += common.last - common.first + 1; });
    return count;
}

void ResourceSet::insert(const ResourceSet& other) {
    if (other.intervals_.size() == 1) {
        // The common case, a job on one interval, changes the vector in place.
        Interval added = other.intervals_.front();
        auto from = std::ranges::lower_bound(intervals_, added.first - 1, {}, &Interval::last);
        auto to = from;
        while (to != intervals_.end() && to->first <= added.last + 1) {
            added.first = std::min(added.first, to->first);
            added.last = std::max(added.last, to->last);
            ++to;
        }
        if (from == to) {
            intervals_.insert(from, added);
        } else {
            *from = added;
            intervals_.erase(std::next(from), to);
        }
        return;
    }
    std::vector<Interval> merged;
    merged.reserve(intervals_.size() + other.intervals_.size());
    auto a = intervals_.begin();
    auto b = other.intervals_.begin();
    while (a != intervals_.end() || b != other.intervals_.end()) {
        const bool from_a = b == other.intervals_.end() || (a != intervals_.end() && a->first <= b->first);
        append(merged, from_a ? *a++ : *b++);
    }
    intervals_ = std::move(merged);
}

void ResourceSet::remove(const ResourceSet& other) {
    if (other.empty() || empty()) {
        return;
    }
    std::vector<Interval> left;
    left.reserve(intervals_.size() + other.intervals_.size());
    auto taken = other.intervals_.begin();
    for (const Interval& interval : intervals_) {
        int first = interval.first;
        while (taken != other.intervals_.end() && taken->last < first) {
            ++taken;
        }
        for (auto cut = taken; cut != other.intervals_.end() && cut->first <= interval.last; ++cut) {
            if (cut->first > first) {
                left.push_back({first, cut->first - 1});
            }
            first = cut->last + 1;
        }
        if (first <= interval.last) {
            left.push_back({first, interval.last});
        }
    }
    intervals_ = std::move(left);
}

std::optional<ResourceSet> ResourceSet::lowest_block(int count) const {
    assert(count > 0);
    const auto found = std::find_if(intervals_.begin(), intervals_.end(), [=](const Interval& interval) {
        return interval.last - interval.first >= count - 1;
    });
    return found == intervals_.end() ? std::nullopt : std::optional(range(found->first, found->first + count - 1));
}

int ResourceSet::longest_block() const {
    int longest = 0;
    for (const Interval& interval : intervals_) {
        longest = std::max(longest, interval.last - interval.first + 1);
    }
    return longest;
}

ResourceSet ResourceSet::take_lowest(int count) {
    assert(count <= size());
    ResourceSet taken;
    auto at = intervals_.begin();
    while (count > 0 && at != intervals_.end()) {
        const int length = at->last - at->first + 1;
        if (length > count) {
            taken.intervals_.push_back({at->first, at->first + count - 1});
            at->first += count;
            break;
        }
        taken.intervals_.push_back(*at);
        count -= length;
        ++at;
    }
    intervals_.erase(intervals_.begin(), at);
    return taken;
}

std::ostream& operator<<(std::ostream& out, const ResourceSet& set) {
    return out << set.to_string();
}

}  // namespace batfill
