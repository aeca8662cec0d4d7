#include <cassert>
#include <utility>

#include <batfill/planned_jobs.hpp>

namespace batfill {

void PlannedJobs::Block::update() {
    first = entries.front().key;
    least_processors = entries.front().processors;
    least_walltime = entries.front().walltime;
    first_open = entries.front().open.from;
    for (const Entry& entry : entries) {
        least_processors = std::min(least_processors, entry.processors);
        least_walltime = std::min(least_walltime, entry.walltime);
        first_open = std::min(first_open, entry.open.from);
    }
}

void PlannedJobs::clear() {
    blocks_.clear();
    size_ = 0;
}

std::size_t PlannedJobs::block_of(const Key& key) const {
    const auto behind = std::upper_bound(blocks_.begin(), blocks_.end(), key,
                                         [](const Key& a, const Block& block) { return a < block.first; });
    return behind == blocks_.begin() ? 0 : static_cast<std::size_t>(behind - blocks_.begin()) - 1;
}

PlannedJobs::Position PlannedJobs::find(const Key& key) const {
    if (blocks_.empty()) {
        return {0, 0};
    }
    const std::size_t number = block_of(key);
    const std::vector<Entry>& entries = blocks_[number].entries;
    const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                     [](const Entry& entry, const Key& k) { return entry.key < k; });
    return {number, static_cast<std::size_t>(at - entries.begin())};
}

void PlannedJobs::insert(const Entry& entry) {
    ++size_;
    if (blocks_.empty()) {
        blocks_.emplace_back();
        blocks_.back().entries.reserve(block_size);
        blocks_.back().entries.push_back(entry);
        blocks_.back().processors.push_back(entry.processors);
        blocks_.back().update();
        return;
    }
    Position at = find(entry.key);
    if (blocks_[at.block].entries.size() == block_size) {
        constexpr std::size_t kept = block_size / 2;
        Block behind;
        Block& full = blocks_[at.block];
        behind.entries.reserve(block_size);
        behind.entries.assign(full.entries.begin() + kept, full.entries.end());
        behind.processors.assign(full.processors.begin() + kept, full.processors.end());
        full.entries.resize(kept);
        full.processors.resize(kept);
        full.update();
        behind.update();
        blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block) + 1, std::move(behind));
        if (at.index > kept) {
            at = {at.block + 1, at.index - kept};
        }
    }
    Block& block = blocks_[at.block];
    block.entries.insert(block.entries.begin() + static_cast<std::ptrdiff_t>(at.index), entry);
    block.processors.insert(block.processors.begin() + static_cast<std::ptrdiff_t>(at.index), entry.processors);
    block.first = block.entries.front().key;
    block.least_processors = std::min(block.least_processors, entry.processors);
    block.least_walltime = std::min(block.least_walltime, entry.walltime);
    block.first_open = std::min(block.first_open, entry.open.from);
}

PlannedJobs::Entry PlannedJobs::remove(const Key& key) {
    const Position at = find(key);
    std::vector<Entry>& entries = blocks_[at.block].entries;
    std::vector<int>& processors = blocks_[at.block].processors;
    const Entry removed = entries[at.index];
    assert(removed.key == key);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at.index));
    processors.erase(processors.begin() + static_cast<std::ptrdiff_t>(at.index));
    --size_;
    const auto place = blocks_.begin() + static_cast<std::ptrdiff_t>(at.block);
    if (entries.empty()) {
        blocks_.erase(place);
        return removed;
    }
    // Small neighbours become one block, so that there are never many.
    const auto next = place + 1;
    if (next != blocks_.end() && entries.size() + next->entries.size() <= block_size / 2) {
        entries.insert(entries.end(), next->entries.begin(), next->entries.end());
        processors.insert(processors.end(), next->processors.begin(), next->processors.end());
        blocks_.erase(next);
    }
    blocks_[at.block].update();
    return removed;
}

const PlannedJobs::Entry& PlannedJobs::at(const Key& key) const {
    const Position at = find(key);
    assert(blocks_[at.block].entries[at.index].key == key);
    return blocks_[at.block].entries[at.index];
}

void PlannedJobs::set_open(const Key& key, Open open) {
    const Position at = find(key);
    Block& block = blocks_[at.block];
    assert(block.entries[at.index].key == key);
    const Time before = std::exchange(block.entries[at.index].open, open).from;
    if (open.from <= block.first_open) {
        block.first_open = open.from;
    } else if (before == block.first_open) {
        block.first_open = open.from;
        for (const Entry& entry : block.entries) {
            block.first_open = std::min(block.first_open, entry.open.from);
        }
    }
}

// What is open to a job before the gap stays so. Starts behind it come earlier by its length, and those in it are gone:
// the job would begin with the others.
PlannedJobs::Open PlannedJobs::shifted(const Open& open, Time gap, Time start) {
    if (open.is_none()) {
        return open;
    }
    const Duration by = start - gap;
    const auto earlier = [&](Time t) { return t < gap || t.is_infinite() ? t : std::max(gap, t - by); };
    const Open moved{earlier(open.from), earlier(open.until)};
    return moved.from < moved.until ? moved : Open::none();
}

}  // namespace batfill
