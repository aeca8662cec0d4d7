#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <batfill/core/job.hpp>

namespace batfill {

// The tasks of arrays that are not over, in the order in which they were submitted, and which of them have their turn.
// A task has it as soon as fewer tasks before it are not over than its limit says, and for good.
// Cost: O(log(tasks)) for each task and each different limit of its array.
// Memory: only of tasks that are not over.
class Arrays {
 public:
    // A task is submitted, behind all others of its array. Returns whether it has its turn at once.
    bool add(JobNumber task, const std::string& array, std::optional<Amount> limit);
    // A job is over. Returns the tasks that have their turns now; none if it was no task.
    std::vector<JobNumber> ended(JobNumber job);

    // How many tasks before this one are not over.
    // Requires: the task is not over.
    // Cost: O(tasks).
    std::size_t open_before(JobNumber task) const;
    // Whether the task has its turn; true of other jobs.
    bool has_turn(JobNumber job) const;

 private:
    using Place = std::uint64_t;  // in the order of submission
    struct Array {
        std::map<Place, JobNumber> open;
        // By a limit L that holds tasks back: the place of open task number L. The tasks up to there have their turns
        // if L is their limit.
        std::map<Amount, Place> last_turns;
    };
    struct Task {
        std::string array;
        Place place = 0;
        std::optional<Amount> limit;
    };

    std::map<std::string, Array> arrays_;
    std::unordered_map<JobNumber, Task> tasks_;  // only looked up
    Place next_place_ = 0;
};

}  // namespace batfill
