#include "schedulers/slurm/node_space.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace batfill::slurm {

void NodeSpace::begin(Seconds begin, Seconds end, const NodeSet& nodes, std::span<const int> licenses,
                      Version version) {
    version_ = version;
    segments_.assign(1, Segment{begin, end, 0});
    if (rows_.empty()) {
        rows_.emplace_back();
    }
    rows_.front().nodes = nodes;
    rows_.front().licenses.assign(licenses.begin(), licenses.end());
    unused_rows_.clear();
    for (std::size_t unused = rows_.size(); unused-- > 1;) {
        unused_rows_.push_back(unused);
    }
    records_ = 1;
    block_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(end - begin) / blocks));
    free_in_block_.fill(nodes);
    free_in_large_.fill(nodes);
}

bool NodeSpace::has(std::size_t segment, std::span<const LicenseCount> licenses) const {
    return std::all_of(licenses.begin(), licenses.end(), [&](const LicenseCount& wanted) {
        return row(segment).licenses[static_cast<std::size_t>(wanted.license)] >= wanted.count;
    });
}

std::size_t NodeSpace::first_behind(Seconds time, bool at_it) const {
    const auto found = std::partition_point(segments_.begin(), segments_.end(), [&](const Segment& one) {
        return at_it ? one.end < time : one.end <= time;
    });
    return static_cast<std::size_t>(found - segments_.begin());
}

bool NodeSpace::scan(Seconds at, Seconds until, std::span<const LicenseCount> licenses, NodeSet& nodes,
                     std::optional<Seconds>& later) const {
    std::size_t first = first_behind(at, false);
    later = next_gain(first, at, until);
    for (std::size_t i = first; i < segments_.size() && segments_[i].begin <= until; ++i) {
        nodes &= row(i).nodes;
        if (!has(i, licenses)) {
            later = segments_[i].end;
            return false;
        }
    }
    return true;
}

std::optional<Seconds> NodeSpace::next_gain(std::size_t& first, Seconds at, Seconds until) const {
    while (first < segments_.size() && segments_[first].end <= at) {
        ++first;
    }
    for (std::size_t i = first; i < segments_.size(); ++i) {
        if (segments_[i].gains) {
            return segments_[i].end;
        }
        if (segments_[i].begin > until) {
            return version_ == Version::v26_11 && i + 2 < segments_.size() ? std::optional(segments_[i + 1].end)
                                                                           : std::nullopt;
        }
    }
    return std::nullopt;
}

bool NodeSpace::has_free(std::size_t first, Seconds at, Seconds until, int least, NodeSet& nodes) const {
    const auto keep = [&](const NodeSet& free) {
        return least == 1 ? nodes.keep_some_common(free) : !nodes.keep_common(free) || nodes.count() >= least;
    };
    const auto keep_segments = [&](std::size_t segment, Seconds end) {
        for (; segment < segments_.size() && segments_[segment].begin < end; ++segment) {
            if (!keep(row(segment).nodes)) {
                return false;
            }
        }
        return true;
    };
    if (least == 1 ? !nodes.intersects(nodes) : nodes.count() < least) {
        return false;
    }
    // The blocks inside of [at, until].
    const Seconds begin = segments_.front().begin;
    const Seconds behind = std::min(until + 1, segments_.back().end);
    const Seconds first_block = (std::max(at, begin) - begin + (Seconds{1} << block_bits_) - 1) >> block_bits_;
    const Seconds behind_blocks = (std::max(behind, begin) - begin) >> block_bits_;
    if (first_block >= behind_blocks) {
        return keep_segments(first, until + 1);
    }
    for (auto block = static_cast<std::size_t>(first_block); block < static_cast<std::size_t>(behind_blocks);) {
        const bool is_large =
            block % blocks_in_large == 0 && block + blocks_in_large <= static_cast<std::size_t>(behind_blocks);
        if (!keep(is_large ? free_in_large_[block / blocks_in_large] : free_in_block_[block])) {
            return false;
        }
        block += is_large ? blocks_in_large : 1;
    }
    const Seconds end_of_blocks = begin + (behind_blocks << block_bits_);
    return keep_segments(first, begin + (first_block << block_bits_)) &&
           (end_of_blocks >= behind || keep_segments(first_behind(end_of_blocks, false), behind));
}

void NodeSpace::take_blocks(Seconds start, Seconds end, const NodeSet& nodes) {
    const Seconds first = segments_.front().begin;
    const auto block_at = [&](Seconds time) { return static_cast<std::size_t>((time - first) >> block_bits_); };
    for (std::size_t block = block_at(start); block <= block_at(end - 1); ++block) {
        free_in_block_[block] -= nodes;
    }
    for (std::size_t large = block_at(start) / blocks_in_large; large <= block_at(end - 1) / blocks_in_large; ++large) {
        free_in_large_[large] -= nodes;
    }
}

bool NodeSpace::conflicts(Seconds start, Seconds end, const NodeSet& nodes,
                          std::span<const LicenseCount> licenses) const {
    for (std::size_t i = first_behind(start, false); i < segments_.size() && segments_[i].begin < end; ++i) {
        if (!nodes.is_subset_of(row(i).nodes) || !has(i, licenses)) {
            return true;
        }
    }
    return false;
}

void NodeSpace::reserve(Seconds start, Seconds end, Seconds least, const NodeSet& nodes,
                        std::span<const LicenseCount> licenses) {
    start = std::max(start, segments_.front().begin);
    end = std::max(end, start + least);
    const std::size_t cut = first_behind(start, true);
    if (cut == segments_.size()) {
        return;
    }
    if (segments_[cut].end > start) {
        split(cut, start);
    }
    std::size_t last = cut;
    while (segments_[last].end != end && last + 1 < segments_.size()) {
        ++last;
        if (end < segments_[last].end) {
            split(last, end);
        }
        Row& taken_from = row(last);
        taken_from.nodes -= nodes;
        for (const LicenseCount& taken : licenses) {
            int& left = taken_from.licenses[static_cast<std::size_t>(taken.license)];
            left = std::max(left - taken.count, 0);
        }
    }
    take_blocks(start, std::min(end, segments_.back().end), nodes);
    const std::size_t first = cut == 0 ? 0 : cut - 1;
    // Inside, what is taken from both of two neighbours can only end that the later one has a node more.
    for (std::size_t i = first; i <= last; ++i) {
        if (segments_[i].gains || i < first + 2 || i == last) {
            find_gain(i);
        }
    }
    join_one(first, last);
}

void NodeSpace::find_gain(std::size_t i) {
    segments_[i].gains = i + 1 < segments_.size() && !row(i + 1).nodes.is_subset_of(row(i).nodes);
}

void NodeSpace::split(std::size_t segment, Seconds at) {
    if (unused_rows_.empty()) {
        unused_rows_.push_back(rows_.size());
        rows_.emplace_back();
    }
    const std::size_t later_row = unused_rows_.back();
    unused_rows_.pop_back();
    rows_[later_row] = row(segment);
    const Segment later{at, segments_[segment].end, later_row, segments_[segment].gains};
    segments_[segment].end = at;
    segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(segment) + 1, later);
    ++records_;
}

void NodeSpace::join_one(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last && i + 1 < segments_.size(); ++i) {
        if (row(i).nodes == row(i + 1).nodes && row(i).licenses == row(i + 1).licenses) {
            segments_[i].end = segments_[i + 1].end;
            segments_[i].gains = segments_[i + 1].gains;
            unused_rows_.push_back(segments_[i + 1].row);
            segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return;
        }
    }
}

}  // namespace batfill::slurm
