#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

#include <batfill/availability_profile.hpp>
#include <batfill/job.hpp>
#include <batfill/time.hpp>

namespace batfill {

// The planned jobs by planned start, with what is not proved of each: which starts before the planned one may be
// possible. When processors are given back, it finds the jobs that they may help without a look at the others. It
// belongs to a Plan, and knows nothing of the profile.
//
// Jobs lie in blocks of at most `block_size`, each with the least number of processors and the shortest walltime of its
// jobs, so that a search skips whole blocks. With n jobs a change costs O(block_size + n / block_size); a search costs
// O(n / block_size), and O(block_size) for each block that it cannot skip.
class PlannedJobs {
 public:
    struct Key {
        Time start;  // the planned one; infinite if there is none
        Time submit;
        JobIndex job;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    // The starts in [from, until) that come before the planned one may be possible. No other start before the planned
    // one is, as long as no processors are given back.
    struct Open {
        Time from;
        Time until;
        static constexpr Open none() { return {Time::infinity(), Time::infinity()}; }
        static constexpr Open all() { return {Time::at(-Duration::infinity()), Time::infinity()}; }
        bool is_none() const { return from.is_infinite(); }
    };
    struct Entry {
        Key key;
        Duration walltime;
        int processors;
        Open open;
    };
    // Processors that are given back during [from, to). They help jobs that need more than `least_before` of them, and
    // at most `most_after`; `around` is of the profile as it is now, for these numbers.
    struct Return {
        Time from;
        Time to;
        int least_before;
        int most_after;
        AvailabilityProfile::Surroundings around;
        // Whether it may help such a job. One that is planned within what is free around the interval may begin there
        // earlier, one that is planned behind it has to fit.
        bool may_help(int processors, Duration walltime, Time start) const {
            if (processors <= least_before || processors > most_after || start <= from) {
                return false;
            }
            const AvailabilityProfile::Surroundings::Window& window = around.find(processors);
            return start <= window.end || walltime <= window.length();
        }
        // Whether it may help some job that needs at least so many processors, for so long, and is planned so late.
        bool may_help_from(int processors, Duration walltime, Time start) const {
            return may_help(std::max(processors, least_before + 1), walltime, start);
        }
    };

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void clear();

    // Requires that the key is new; the other functions require that it is there.
    void insert(const Entry& entry);
    Entry remove(const Key& key);
    const Entry& at(const Key& key) const;
    void set_open(const Key& key, Open open);

    // The first job at or behind `key` to which a start before `than` is open; a null pointer if there is none. Valid
    // until the next change. On its way it closes what is_hopeless(entry) is true of.
    template <typename IsHopeless>
    const Entry* next_open(const Key& key, Time than, IsHopeless is_hopeless);

    // Calls visit(entry) for each job to which a start before `than` is open.
    template <typename Visit>
    void for_each_open(Time than, Visit visit) const;

    // Opens what has become possible by the return, to jobs planned later than its `from`. Calls opened(job) for each
    // job to which no start before `than` was open, and now is.
    template <typename Opened>
    void open(const Return& given, Time than, Opened opened);

    // Makes all planned starts from that of `first` on earlier by `by`, and calls shifted(job, start) for each.
    // Infinite ones stay so. Requires that all processors are free for so long before the first of these starts: then
    // what is not open to one of the jobs is not open to it afterwards, as the others go with it. O(n). Returns how
    // many were shifted.
    template <typename Shifted>
    std::size_t shift(const Key& first, Duration by, Shifted shifted);

    // Calls visit(entry) for one job after the other, as long as it returns true.
    template <typename Visit>
    void for_each_while(Visit visit) const;

 private:
    static constexpr std::size_t block_size = 64;

    struct Block {
        Key first;
        int least_processors = 0;
        Duration least_walltime;
        Time first_open;  // the first open start of all its jobs, or infinity
        std::vector<Entry> entries;
        std::vector<int> processors;  // of the entries, side by side for open()
        void update();                // all but the entries
    };
    struct Position {
        std::size_t block;
        std::size_t index;
    };

    std::size_t block_of(const Key& key) const;  // where the key is, or would be
    Position find(const Key& key) const;         // the first entry that is not before it, in that block
    static Open shifted(const Open& open, Time gap, Time start);

    std::vector<Block> blocks_;  // none is empty
    std::size_t size_ = 0;
};

template <typename IsHopeless>
const PlannedJobs::Entry* PlannedJobs::next_open(const Key& key, Time than, IsHopeless is_hopeless) {
    const Position at = find(key);
    for (std::size_t number = at.block; number < blocks_.size(); ++number) {
        Block& block = blocks_[number];
        if (block.first_open >= than) {
            continue;
        }
        bool closed = false;
        for (std::size_t i = number == at.block ? at.index : 0; i < block.entries.size(); ++i) {
            Entry& entry = block.entries[i];
            if (entry.open.from >= than) {
                continue;
            }
            if (is_hopeless(entry)) {
                entry.open = Open::none();
                closed = true;
                continue;
            }
            if (closed) {
                block.update();
            }
            return &entry;
        }
        if (closed) {
            block.update();
        }
    }
    return nullptr;
}

template <typename Opened>
void PlannedJobs::open(const Return& given, Time than, Opened opened) {
    constexpr Duration instant = Duration::microseconds(1);
    if (blocks_.empty()) {
        return;
    }
    for (std::size_t number = block_of({given.from + instant, {}, 0}); number < blocks_.size(); ++number) {
        Block& block = blocks_[number];
        if (!given.may_help_from(block.least_processors, block.least_walltime,
                                 std::max(block.first.start, given.from + instant))) {
            continue;
        }
        for (std::size_t i = 0; i < block.entries.size(); ++i) {
            if (block.processors[i] <= given.least_before || block.processors[i] > given.most_after) {
                continue;
            }
            Entry& entry = block.entries[i];
            if (!given.may_help(entry.processors, entry.walltime, entry.key.start)) {
                continue;
            }
            // Only starts whose time reaches into what was given back are new.
            const Time from =
                std::max(given.around.find(entry.processors).begin, given.from - entry.walltime + instant);
            const bool was_open = entry.open.from < than;
            entry.open.until = entry.open.is_none() ? given.to : std::max(entry.open.until, given.to);
            entry.open.from = std::min(entry.open.from, from);
            block.first_open = std::min(block.first_open, from);
            if (!was_open && entry.open.from < than) {
                opened(entry.key.job);
            }
        }
    }
}

template <typename Shifted>
std::size_t PlannedJobs::shift(const Key& first, Duration by, Shifted shifted_to) {
    std::size_t count = 0;
    const Time start = first.start;
    const Position begin = find(first);
    for (std::size_t number = begin.block; number < blocks_.size(); ++number) {
        Block& block = blocks_[number];
        for (std::size_t i = number == begin.block ? begin.index : 0; i < block.entries.size(); ++i) {
            Entry& entry = block.entries[i];
            if (entry.key.start.is_infinite()) {
                continue;
            }
            ++count;
            entry.key.start = entry.key.start - by;
            entry.open = shifted(entry.open, start - by, start);
            shifted_to(entry.key.job, entry.key.start);
        }
        block.update();
    }
    return count;
}

template <typename Visit>
void PlannedJobs::for_each_while(Visit visit) const {
    for (const Block& block : blocks_) {
        for (const Entry& entry : block.entries) {
            if (!visit(entry)) {
                return;
            }
        }
    }
}

template <typename Visit>
void PlannedJobs::for_each_open(Time than, Visit visit) const {
    for (const Block& block : blocks_) {
        if (block.first_open >= than) {
            continue;
        }
        for (const Entry& entry : block.entries) {
            if (entry.open.from < than) {
                visit(entry);
            }
        }
    }
}

}  // namespace batfill
