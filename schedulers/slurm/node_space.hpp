#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/node_set.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// The table of a cycle of backfill: for each span of time, the nodes and licences that no plan has taken. What lies
// behind its end is not kept. Its memory lasts from cycle to cycle.
class NodeSpace {
 public:
    // One span with all nodes and licences.
    void begin(Seconds begin, Seconds end, const NodeSet& nodes, std::span<const int> licenses, Version version);

    Seconds end() const { return segments_.back().end; }
    // Number of records so far: joins do not lower it.
    int records() const { return records_; }

    // Reduces `nodes` to those that are free in all spans that touch [at, until], the end included. Sets `later`, if
    // that is not set, to the first moment behind `at` at which more is free, or may be. Returns false if licences are
    // missing; `later` then is the end of the span that lacks them.
    bool scan(Seconds at, Seconds until, std::span<const LicenseCount> licenses, NodeSet& nodes,
              std::optional<Seconds>& later) const;
    // The `later` of scan(), without licences. `first` becomes the first segment that ends behind `at`; none before the
    // one that it was does.
    std::optional<Seconds> next_gain(std::size_t& first, Seconds at, Seconds until) const;
    // As scan(), without licences. Returns whether at least `least` nodes are left; if not, `nodes` has no meaning.
    // Cost: O(nodes / 64) for each span that touches only a part of [at, until], and for each of a few blocks of time.
    // `first`: of next_gain().
    bool has_free(std::size_t first, Seconds at, Seconds until, int least, NodeSet& nodes) const;
    // Whether some span in [start, end) lacks one of the nodes, or licences.
    bool conflicts(Seconds start, Seconds end, const NodeSet& nodes, std::span<const LicenseCount> licenses) const;
    // Takes nodes and licences from `start` to `end`, at least for `least` seconds.
    // Cost: O(records), and O(nodes) for each span inside.
    void reserve(Seconds start, Seconds end, Seconds least, const NodeSet& nodes,
                 std::span<const LicenseCount> licenses);
    // Whether the table has a span around this time.
    bool covers(Seconds time) const { return segments_.front().begin <= time && time < segments_.back().end; }

 private:
    struct Segment {
        Seconds begin;
        Seconds end;
        std::size_t row;     // in rows_
        bool gains = false;  // the next one has a node that this one lacks
    };
    struct Row {
        NodeSet nodes;
        std::vector<int> licenses;
    };

    const Row& row(std::size_t segment) const { return rows_[segments_[segment].row]; }
    Row& row(std::size_t segment) { return rows_[segments_[segment].row]; }
    bool has(std::size_t segment, std::span<const LicenseCount> licenses) const;
    // The first segment that ends behind `time`; if `at_it`, or at it.
    std::size_t first_behind(Seconds time, bool at_it) const;
    // Blocks of time, and larger ones that hold several of them. Each knows the nodes that are free all the time.
    static constexpr std::size_t large_blocks = 8;
    static constexpr std::size_t blocks_in_large = 8;
    static constexpr std::size_t blocks = large_blocks * blocks_in_large;
    void take_blocks(Seconds start, Seconds end, const NodeSet& nodes);
    // Cuts the segment in two; the later part follows it.
    void split(std::size_t segment, Seconds at);
    // Sets `gains` of a segment.
    void find_gain(std::size_t i);
    // Joins the first pair of equal neighbours of which the first is one of these.
    void join_one(std::size_t first, std::size_t last);

    Version version_ = Version::v22_05;
    std::vector<Segment> segments_;  // in their order of time
    int block_bits_ = 0;             // a block has 2^block_bits_ seconds
    std::array<NodeSet, blocks> free_in_block_;
    std::array<NodeSet, large_blocks> free_in_large_;
    std::vector<Row> rows_;
    std::vector<std::size_t> unused_rows_;
    int records_ = 0;
};

}  // namespace batfill::slurm
