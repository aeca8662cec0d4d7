#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <batfill/core/job.hpp>

namespace batfill {

// Which number belongs to which of the engine's jobs.
class JobNumbers {
 public:
    // Numbers before `next` may belong to jobs that are added later.
    void begin(JobNumber next) { indices_.assign(static_cast<std::size_t>(next), none); }

    // The first number after all that exist.
    JobNumber next() const { return static_cast<JobNumber>(indices_.size()); }

    // This number belongs to a job that is added later.
    void keep(JobNumber number) {
        if (const auto position = static_cast<std::size_t>(number); position >= indices_.size()) {
            indices_.resize(position + 1, none);
        }
    }

    // The next job of the engine has this number.
    // Requires: no other has it.
    void add(JobNumber number) {
        assert(!find(number));
        keep(number);
        indices_[static_cast<std::size_t>(number)] = static_cast<JobIndex>(numbers_.size());
        numbers_.push_back(number);
    }

    std::optional<JobIndex> find(JobNumber number) const {
        const auto position = static_cast<std::size_t>(number);
        return position < indices_.size() && indices_[position] != none ? std::optional(indices_[position])
                                                                        : std::nullopt;
    }
    JobNumber operator[](JobIndex index) const { return numbers_[index]; }

 private:
    static constexpr JobIndex none = std::numeric_limits<JobIndex>::max();

    std::vector<JobIndex> indices_;   // by number
    std::vector<JobNumber> numbers_;  // by index
};

}  // namespace batfill
