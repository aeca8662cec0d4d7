#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/machine.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/formats/resource_fields.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

// What may surprise somebody who replays a workload. Each note is a sentence without a full stop.
namespace batfill {

// Collects notes over runs. A note comes once, whatever the number of runs.
class ReplayNotes {
 public:
    // Notes fields of a job, JobDescription::other_fields, that ask for something and that none of our algorithms looks
    // at. An amount that `per_host` or `pools` has too is looked at, and a dependency beside `after`. If only some jobs
    // have it there, the note says so.
    void add_fields(std::string_view other_fields);
    // Leaves out what notes say of these fields: whoever read them has said more.
    void leave_out_fields(const ResourceFields& read);
    // Notes, of a workload under a scheduler with this placement:
    // - fields that only another algorithm reads, unless `fields_are_read`
    // - these fields, unless `fields_are_read`: the algorithm is not ours, and may look at any
    // - licences that the jobs want and the placement does not look at
    // - pools, amounts on each host, partitions and bookings that the jobs ask for where the machine has none at
    // all; also a field reservation that is no name
    // - limits of a field that no job has
    // - jobs that compute: Batsim counts their time otherwise
    // - what the algorithm says of its parameters
    // `choice`: null for a scheduler that is not ours. Cost: O(text of the jobs + profiles).
    void add_run(const Workload& workload, const Machine& machine, Placement placement, bool fields_are_read,
                 const SchedulerChoice* choice);
    // Adds what the files of a machine said, Platform::notes.
    void add_machine(const std::vector<std::string>& notes);
    // Notes, of a log's own schedule:
    // - more processors in use than the machine has
    // - hosts of the machine that jobs share: no log says how its jobs did
    void add_log(const Schedule& of_log, const Machine& machine);
    // As above, of a machine with so many processors that jobs do not share.
    void add_log(const Schedule& of_log, int processors);
    void add(const ReplayNotes& others);

    // In a fixed order. `rounded_run_times`: of the jobs that compute, how many the simulator is known to have rounded.
    std::vector<std::string> texts(std::size_t rounded_run_times = 0) const;

 private:
    void add_limits(const Workload& workload, const Limits& limits);
    void add_fields_of_others(const Workload& workload, const SchedulerChoice* choice);

    static constexpr std::size_t dependency = 2;
    static constexpr std::array<const char*, 3> fields{"gpus", "memory", "dependency"};

    // Jobs of the run that has most of them: with this field only, and with it in per_host or pools, or in after.
    std::array<std::size_t, fields.size()> unread_{};
    std::array<std::size_t, fields.size()> looked_at_{};
    std::set<std::string> of_machines_;
    std::map<std::string, std::set<std::string>> of_other_algorithms_;  // fields, by algorithm
    std::set<std::string> of_parameters_;
    struct LimitsOfNobody {
        std::string first;  // its file and line
        std::size_t lines;
    };
    std::map<std::string, LimitsOfNobody> of_nobody_;  // by the field that no job has
    bool licenses_ = false;
    bool pools_ = false;
    bool per_host_ = false;
    bool partitions_ = false;
    bool bookings_ = false;
    bool wrong_bookings_ = false;
    bool computes_ = false;
    bool shares_hosts_of_log_ = false;
    int processors_of_log_ = 0;  // where they are the most beyond those of the machine; 0: nowhere
    int processors_of_machine_ = 0;
};

}  // namespace batfill
