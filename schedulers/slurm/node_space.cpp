#include "schedulers/slurm/node_space.hpp"

#include <algorithm>
#include <limits>

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

std::optional<Seconds> NodeSpace::scan_for(Seconds at, Seconds until, int least, NodeSet& nodes) const {
    const auto behind = std::partition_point(segments_.begin(), segments_.end(),
                                             [&](const Segment& one) { return one.begin <= until; });
    const std::size_t first = first_behind(at, false);
    int left = nodes.count();
    // From the last span on: each later try for as long holds all that this one has found to be too few.
    for (auto i = static_cast<std::size_t>(behind - segments_.begin()); i-- > first && left >= least;) {
        if (nodes.keep_common(row(i).nodes)) {
            left = nodes.count();
            if (left < least) {
                return segments_[i].end;
            }
        }
    }
    return left < least ? std::optional(std::numeric_limits<Seconds>::max()) : std::nullopt;
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
