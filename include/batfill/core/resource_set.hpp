#pragma once

#include <cassert>
#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batfill {

// A set of processor numbers. It consists of disjoint closed intervals in increasing order that do not touch, so equal
// sets have equal representations and one canonical text. Costs are for n intervals (and m of another set). They do not
// depend on the number of processors.
class ResourceSet {
 public:
    struct Interval {
        int first;
        int last;
        friend bool operator==(Interval, Interval) = default;
    };

    ResourceSet() = default;
    // The processors first..last; empty if last < first.
    static ResourceSet range(int first, int last);

    // Reads Batsim's text, "0-3 7", also with commas instead of blanks, in any order and with repetitions. Returns no
    // value for any other text, or for a number above 2^31 - 2.
    // Cost: O(n log n).
    static std::optional<ResourceSet> parse(std::string_view text);
    // The canonical text: increasing numbers, as in "0-3 7"; empty for the empty set.
    // Cost: O(n).
    std::string to_string() const;
    void append_to(std::string& out) const;
    // For sentences: to_string(), or of many intervals the first ones, "0 2 4 and 40 more".
    std::string to_short_string() const;

    bool empty() const { return intervals_.empty(); }
    // The number of processors.
    // Cost: O(n).
    int size() const;
    const std::vector<Interval>& intervals() const { return intervals_; }
    // All numbers, increasing: a range that looks at this set.
    // Requires: this set outlives it, and does not change.
    // Cost: O(1) for each number.
    class Numbers;
    Numbers numbers() const&;
    Numbers numbers() && = delete;
    // The largest number in the set.
    // Requires: !empty().
    int last() const {
        assert(!empty());
        return intervals_.back().last;
    }

    bool contains(int processor) const;                 // O(log n)
    bool contains_all(const ResourceSet& other) const;  // O(n + m)
    int count_common(const ResourceSet& other) const;   // the size of the intersection, O(n + m)

    void insert(const ResourceSet& other);                     // union, O(n + m)
    void remove(const ResourceSet& other);                     // difference, O(n + m)
    ResourceSet intersection(const ResourceSet& other) const;  // O(log n + m + intervals of this set in between)

    // The lowest `count` consecutive processors of this set; none if there are not so many.
    // Requires: count > 0.
    // Cost: O(n).
    std::optional<ResourceSet> lowest_block(int count) const;
    // The largest number of consecutive processors.
    // Cost: O(n).
    int longest_block() const;

    // Takes the `count` lowest processors out of this set and returns them.
    // Requires: count <= size().
    ResourceSet take_lowest(int count);

    void clear() { intervals_.clear(); }
    friend bool operator==(const ResourceSet&, const ResourceSet&) = default;

 private:
    std::vector<Interval> intervals_;
};

class ResourceSet::Numbers {
 public:
    class Iterator {
     public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = int;
        using difference_type = std::ptrdiff_t;
        using pointer = const int*;
        using reference = int;

        Iterator() = default;
        Iterator(const Interval* interval, const Interval* end)
            : interval_(interval), end_(end), number_(interval != end ? interval->first : 0) {}
        int operator*() const { return number_; }
        Iterator& operator++() {
            if (number_ < interval_->last) {
                ++number_;
            } else {
                *this = Iterator(interval_ + 1, end_);
            }
            return *this;
        }
        Iterator operator++(int) {  // NOLINT(cert-dcl21-cpp): iterators return what can be assigned
            const Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

     private:
        const Interval* interval_ = nullptr;
        const Interval* end_ = nullptr;
        int number_ = 0;
    };

    explicit Numbers(const std::vector<Interval>& intervals)
        : begin_(intervals.data()), end_(intervals.data() + intervals.size()) {}
    Iterator begin() const { return {begin_, end_}; }
    Iterator end() const { return {end_, end_}; }

 private:
    const Interval* begin_;
    const Interval* end_;
};

inline ResourceSet::Numbers ResourceSet::numbers() const& {
    return Numbers(intervals_);
}

std::ostream& operator<<(std::ostream& out, const ResourceSet& set);

}  // namespace batfill
