#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// What becomes of jobs when processors become unavailable, as the parameters say that all algorithms have in common: it
// keeps what the engine has to remember of them and changes no state. Jobs that run on lost processors go on, are
// killed, or are killed and submitted again as new jobs; jobs that no longer fit wait or are rejected; and guarantees
// that are broken are noted.
class MachineFailures {
 public:
    static std::vector<Parameter> parameters();
    explicit MachineFailures(const Parameters& parameters);

    bool kills() const { return on_failure_ != OnFailure::proceed; }
    bool requeues() const { return on_failure_ == OnFailure::requeue; }

    // ---- Jobs that run

    // These processors have become unavailable in the message that is being taken in.
    void lost(const ResourceSet& processors) { lost_.insert(processors); }
    // The message is complete: the running jobs that are to be killed for what was lost in it, in the order of their
    // arrival. Not among them are those that are being killed already, and those that are to be stopped now because
    // their assumed walltime is over.
    std::vector<JobIndex> to_be_killed(const SchedulerState& state);
    // A job has ended in `state`; its entry is as it was while it ran. Returns whether it is to be submitted again: it
    // was killed for lost processors, and has not come to its end by itself just before.
    bool ended(const SchedulerState& state, JobIndex index, JobState end);
    // What is submitted in the place of a killed job: the same, at the present time. Its id is that of the first run
    // with "#1", "#2", ... behind it, as Batsim's own schedulers number attempts. `next` will be its number.
    JobDescription next_attempt(const SchedulerState& state, JobIndex killed, JobIndex next);

    // ---- Jobs that do not fit

    // Why a job cannot run on the processors that are available at present, as a predicate, if it is not to wait for
    // others. O(groups).
    std::optional<std::string> reason_to_reject(const SchedulerState& state, const Request& request) const;

    // ---- Guarantees

    // The guaranteed start of a job moves from its present one to `now_guaranteed`, infinite for none.
    void note_broken(const SchedulerState& state, JobIndex job, Time now_guaranteed);
    const std::vector<GuaranteeBreak>& broken_guarantees() const { return broken_; }

    // Appends what was counted, unless jobs go on whatever happens.
    void append_statistics(std::vector<Statistic>& statistics) const;

 private:
    enum class OnFailure { proceed, requeue, kill };
    struct Attempt {
        std::string first_id;
        int number;
    };

    OnFailure on_failure_;
    bool rejects_too_small_;
    ResourceSet lost_;
    std::set<JobIndex> being_killed_;
    std::map<JobIndex, Attempt> attempts_;
    std::vector<GuaranteeBreak> broken_;
    std::uint64_t killed_ = 0;
    Duration lost_processor_time_;
};

}  // namespace batfill
