#include "schedulers/slurm/node_space.hpp"

#include <algorithm>

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
    block_length_ = std::max<Seconds>((end - begin + static_cast<Seconds>(blocks) - 1) / static_cast<Seconds>(blocks), 1);
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
    later = next_gain(at, until);
    for (std::size_t i = first_behind(at, false); i < segments_.size() && segments_[i].begin <= until; ++i) {
        nodes &= row(i).nodes;
        if (!has(i, licenses)) {
            later = segments_[i].end;
            return false;
        }
    }
    return true;
}

std::optional<Seconds> NodeSpace::next_gain(Seconds at, Seconds until) const {
    for (std::size_t i = first_behind(at, false); i < segments_.size(); ++i) {
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

bool NodeSpace::has_free(Seconds at, Seconds until, int least, NodeSet& nodes) const {
    const auto keep = [&](const NodeSet& free) {
        return !nodes.keep_common(free) || (least == 1 ? nodes.intersects(nodes) : nodes.count() >= least);
    };
    // Segments that begin before `end`.
    const auto keep_segments = [&](Seconds begin, Seconds end) {
        for (std::size_t i = first_behind(begin, false); i < segments_.size() && segments_[i].begin < end; ++i) {
            if (!keep(row(i).nodes)) {
                return false;
            }
        }
        return true;
    };
    const Seconds first = segments_.front().begin;
    const Seconds from = std::max(at, first) - first;
    const Seconds behind = std::min(until + 1, segments_.back().end) - first;
    const auto begin = static_cast<std::size_t>((from + block_length_ - 1) / block_length_);
    const auto end = std::max(behind / block_length_, Seconds{0});
    if (begin >= static_cast<std::size_t>(end)) {
        return nodes.count() >= least && keep_segments(at, until + 1);
    }
    for (std::size_t block = begin; block < static_cast<std::size_t>(end);) {
        const bool is_large = block % blocks_in_large == 0 && block + blocks_in_large <= static_cast<std::size_t>(end);
        if (!keep(is_large ? free_in_large_[block / blocks_in_large] : free_in_block_[block])) {
            return false;
        }
        block += is_large ? blocks_in_large : 1;
    }
    return nodes.count() >= least && keep_segments(at, first + static_cast<Seconds>(begin) * block_length_) &&
           keep_segments(first + end * block_length_, until + 1);
}

void NodeSpace::take_blocks(Seconds start, Seconds end, const NodeSet& nodes) {
    const Seconds first = segments_.front().begin;
    const auto block_at = [&](Seconds time) { return static_cast<std::size_t>((time - first) / block_length_); };
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
    join_one(first, last);
    find_gains(first, last);
}

void NodeSpace::find_gains(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last && i < segments_.size(); ++i) {
        segments_[i].gains = i + 1 < segments_.size() && !row(i + 1).nodes.is_subset_of(row(i).nodes);
    }
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
            unused_rows_.push_back(segments_[i + 1].row);
            segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            return;
        }
    }
}

}  // namespace batfill::slurm
