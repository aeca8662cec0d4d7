#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <batfill/engine/state.hpp>

namespace batfill {

// Leads the windows of a machine through the rounds of an engine: at their instants they are announced, take what they
// name or give it back, and kill jobs. What they take at an instant, WindowsNow knows.
class WindowRounds {
 public:
    // The instants of windows before now are over. On a machine without windows, all below costs nothing.
    void begin(const SchedulerState& state);

    // Lets windows begin and end up to this instant, in the order of time; ends come first.
    void pass(SchedulerState& state, Time until) {
        if (has_windows_ && until > passed_) {
            pass_instants(state, until);
        }
    }
    // Hosts in windows have nothing free, like those that are unavailable.
    static void close_hosts(SchedulerState& state);

    // The jobs that windows kill that begin now, in the order of the lines of these; only at the first call in an
    // instant. Notes in the state that they are being killed. Until all of them have ended, the round has to wait.
    std::vector<JobIndex> to_be_killed(SchedulerState& state) {
        return has_windows_ ? find_to_be_killed(state) : std::vector<JobIndex>();
    }
    bool awaits_ends() const { return !being_killed_.empty(); }
    // Notes that a job ended in `end`. If a window killed it and submits it again: the number of its kill.
    std::optional<std::size_t> ended(JobIndex index, JobState end);

    // Whether windows are a reason for a round at this instant, and no round has been.
    bool is_due(const SchedulerState& state) const {
        return has_windows_ && last_round_ != state.now && state.windows.begins_a_round_at(state.now);
    }
    void begin_round(const SchedulerState& state) {
        if (has_windows_) {
            note_announced(state);
        }
    }
    // The name of the first window that is announced in this round; empty: none is.
    const std::string& announced() const { return announced_; }
    void end_round(Time now) {
        announced_.clear();
        last_round_ = now;
    }

 private:
    void pass_instants(SchedulerState& state, Time until);
    std::vector<JobIndex> find_to_be_killed(SchedulerState& state);
    void note_announced(const SchedulerState& state);

    struct Kill {
        std::size_t number;
        bool submits_again;
    };

    bool has_windows_ = false;
    Time passed_;           // the instants of windows up to this one are over
    Time announced_until_;  // those that were announced up to this instant are known
    Time last_round_;
    Time killed_at_;
    std::size_t kills_ = 0;
    std::map<JobIndex, Kill> being_killed_;
    std::string announced_;
};

}  // namespace batfill
