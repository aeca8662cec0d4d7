#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/engine/plan.hpp>

namespace batfill {

// Counts the profile events that plain searches would look at. A plain search begins at the present and stops at the
// end of the job's place. The paper on prioritized compression counts these events (section 4.3).
// Cost: O(log planned jobs) for each search, and O(planned and running jobs) for each change of the plan. This is more
// than the searches themselves cost.
class ProfileEventCounter final : public PlanObserver {
 public:
    // Each member counts by another definition of an event and of the profile's content.
    struct Counts {
        std::uint64_t instants = 0;  // instants at which the number of free processors changes
        // Ends of running jobs, and planned starts and ends of all other jobs. Several at one instant count separately.
        std::uint64_t starts_and_ends = 0;
        // As above, for a pass that first removes all planned jobs from the profile and then places them one by one.
        // Empty if there was no pass.
        std::optional<std::uint64_t> placed_anew;
    };
    const Counts& counts() const { return counts_; }

    void reset() override;
    void advanced(Time now) override { running_.remove_until(now); }
    void held(Time end) override { running_.add(end); }
    void gave_back(Time end) override { running_.remove(end); }
    void planned(Time start, Time end) override;
    void unplanned(Time start, Time end) override;
    void pass_begins() override;
    void searched(const AvailabilityProfile& profile, const Search& search) override;

 private:
    // Finite times in order, with repetitions.
    // Cost: O(log times) to count, O(times) to change.
    class SortedTimes {
     public:
        void add(Time time);
        void remove(Time time);  // removes one occurrence, if any
        void remove_until(Time time);
        std::uint64_t within(Time after, Time until) const;

     private:
        std::vector<Time> times_;
    };

    Counts counts_;
    SortedTimes running_;  // ends of running jobs
    SortedTimes planned_;  // starts and ends of planned jobs
    SortedTimes in_pass_;  // ends of running jobs; starts and ends of the jobs that the pass has placed
};

}  // namespace batfill
