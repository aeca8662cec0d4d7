#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>

// Where Gantt charts of hosts that jobs share draw each job. A host is a band of rows, and each job on it a stripe of
// some of them.
namespace batfill::report {

// Disjoint intervals of rows in increasing order, which do not touch.
using Rows = std::vector<ResourceSet::Interval>;

// One of the charts of such a machine, divided by one of its capacities.
struct HostPanel {
    std::string capacity;
    std::size_t number = 0;       // of the capacity, Resources::capacities()
    bool is_by_host = true;       // all bands have the same height; else a row is a unit of the capacity
    std::vector<int> first_rows;  // the first row of each host, and behind the last host the number of all rows

    int rows() const { return first_rows.back(); }
    // The rows of hosts; of the whole bands.
    Rows bands_of(const ResourceSet& hosts) const;
};

// The charts: hosts divided by `cores`, or if there is no such capacity by the first, and behind it the `gpus` of all
// hosts, if there are some. None if jobs share no hosts.
// Cost: O(hosts).
std::vector<HostPanel> host_panels(const Resources& machine, int hosts);

// The rows of each finished job on a chart. On each of its hosts, a job has as many rows as the units that it takes
// there: the lowest that are free and beside each other, else the lowest free ones. A job that takes a whole host has
// the whole band. Jobs are placed by start, equal starts in the order of the schedule. Jobs of a schedule that takes
// more than there is lie over others.
// Requires: the schedule keeps hosts, and is one of this machine. `requests` come from analysis::requests_of_jobs().
// Cost: O(jobs * (log(jobs) + hosts of a job * stripes on a host)).
std::vector<Rows> stripes_of(const MeasuredSchedule& schedule, const HostPanel& panel, const Resources& machine,
                             const std::vector<Request>& requests);

}  // namespace batfill::report
