#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>
#include <batfill/core/window.hpp>

#include "src/analysis/workload_jobs.hpp"

// How much of pools and of hosts' capacities jobs take.
namespace batfill::analysis {

// The names of the pools, then of the capacities.
std::vector<std::string> resource_names(const Resources& machine);

// The share of each resource of resource_names() that the finished jobs take, from the first submission to the last
// completion. No value without workloads, for a resource of which the machine has 0, and for a capacity if a job takes
// whole hosts and the schedule does not keep which.
// Requires: all jobs are in the workloads. The schedule is one of this machine.
// Cost: O(jobs * (names + hosts of a job that takes them whole)).
std::vector<std::optional<double>> utilisation_of_resources(const MeasuredSchedule& schedule, const Resources& machine,
                                                            const WorkloadJobs* submitted);

// What each finished job takes of a machine, in its numbers; of one that the machine could not run, nothing but whole
// hosts. Throws: InputError, which names the schedule, for a job that is not in the workloads. Cost: O(jobs * names).
std::vector<Request> requests_of_jobs(const MeasuredSchedule& schedule, const Resources& machine,
                                      const WorkloadJobs& submitted);

// How much of a capacity each finished job takes on all its hosts together. None if a job takes whole hosts and the
// schedule does not keep which, or is on more hosts than the machine has.
// Requires: the capacity is one of Resources::capacities(). `requests` come from requests_of_jobs().
// Cost: O(jobs + hosts of jobs that take them whole).
std::optional<std::vector<Amount>> amounts_of_capacity(const MeasuredSchedule& schedule, const Resources& machine,
                                                       std::size_t capacity, std::vector<Request> requests);

// How much of a resource the finished jobs take together from an instant until the next step. A double is exact up to
// 2^53, and a schedule that takes more than there is does not overflow it.
struct UseStep {
    Time at;
    double taken = 0;
    friend bool operator==(const UseStep&, const UseStep&) = default;
};

// A resource over time.
struct ResourceUse {
    std::string name;
    Amount total = 0;  // of the machine; above 0
    std::vector<UseStep> steps;
    std::vector<UseStep> held;  // what windows name of it, in the same way
};

// The use of each pool and capacity of which the machine has more than 0, in the order of resource_names(). Steps are
// in the order of time, each different from the one before; nothing is taken before the first or after the last.
// Capacities are missing if a job takes whole hosts and the schedule does not keep which.
// Requires: the schedule is one of this machine, the windows are its windows (Machine::windows()), and `requests` come
// from requests_of_jobs(). Cost: O(resources * (jobs * log(jobs) + hosts of jobs that take them whole + hosts of
// windows)).
std::vector<ResourceUse> use_over_time(const MeasuredSchedule& schedule, const Resources& machine,
                                       const std::vector<Window>& windows, std::vector<Request> requests);

}  // namespace batfill::analysis
