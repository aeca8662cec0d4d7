#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/src/round_view.hpp"

namespace batfill::python {

// Columns of jobs of a round, each made when it is first asked for.
class JobColumns : public OfRound {
 public:
    JobColumns(SharedRound view, std::vector<JobIndex> jobs) : OfRound(std::move(view)), jobs_(std::move(jobs)) {}

    std::size_t size() const { return jobs_.size(); }

    nb::object column(const std::string& name);
    // A text of the workload that batfill does not know; None where a job has none.
    nb::object text(const std::string& name) const;
    // What each takes of a capacity on each of its hosts, and of a pool; 0 where it names none.
    // Throws: UsageError, which lists the names, if the machine has no such capacity or pool.
    nb::object per_host(nb::handle name) const;
    nb::object pool(nb::handle name) const;
    // Whether each takes whole hosts.
    nb::object whole_hosts() const;

 private:
    nb::object numbers(auto of) const;
    nb::object make(const std::string& name) const;

    std::vector<JobIndex> jobs_;
    std::unordered_map<std::string, nb::object> columns_;
};

class Waiting : public JobColumns {
    using JobColumns::JobColumns;
};
class Running : public JobColumns {
    using JobColumns::JobColumns;
};
class Ended : public JobColumns {
    using JobColumns::JobColumns;
};

// Adds these classes to the module.
void bind_job_columns(nb::module_& module);

}  // namespace batfill::python
