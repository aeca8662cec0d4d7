#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <batfill/engine/engine.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// The starts that jobs were guaranteed at their submission, and those that broke. The latest is Job::guaranteed_start.
class Guarantees {
 public:
    // Guarantees a job this start at its submission; infinite: nothing.
    void give(Job& job, JobIndex index, Time start) {
        at_submission_.resize(std::max(at_submission_.size(), std::size_t{index} + 1), Time::infinity());
        at_submission_[index] = job.guaranteed_start = start;
    }
    Time at_submission(JobIndex index) const {
        return index < at_submission_.size() ? at_submission_[index] : Time::infinity();
    }

    // A job is to start at `start` now. Nothing breaks if that is no later, or if its guarantee is already broken
    // because another job has outlived its estimate.
    void move(Job& job, JobNumber number, Time now, Time start, GuaranteeBreakCause cause, const std::string& window) {
        const Time before = job.guaranteed_start;
        if (start > before && (before >= now || cause == GuaranteeBreakCause::estimate)) {
            broken_.push_back({number, std::min(now, before), before, start, cause, window});
            job.guaranteed_start = start;
        }
    }
    const std::vector<GuaranteeBreak>& broken() const { return broken_; }

 private:
    std::vector<Time> at_submission_;  // by JobIndex, if there are guarantees
    std::vector<GuaranteeBreak> broken_;
};

}  // namespace batfill
