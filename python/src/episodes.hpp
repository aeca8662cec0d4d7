#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/replay/replay.hpp>

#include "python/src/bindings.hpp"
#include "python/src/machines.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill::python {

// What episodes are replays of: whole workloads, or windows of so many consecutive jobs of one workload.
class Episodes {
 public:
    Episodes(const std::vector<Jobs>& workloads, const NamedMachine& machine, std::optional<std::size_t> window)
        : window_(window) {
        for (const Jobs& jobs : workloads) {
            Workload workload = by_submission(jobs);
            platform_ = machine.platform_for(workload);
            machine_ = platform_.machine();
            machine_.require_resources();
            require_usable(workload);
            if (window_) {
                whole_ = std::move(workload);
            } else {
                replays_.push_back(std::make_shared<const Replay>(platform_, std::move(workload)));
            }
        }
    }

    std::size_t count() const { return window_ ? whole_.jobs.size() - *window_ + 1 : replays_.size(); }

    // Requires: number < count().
    std::shared_ptr<const Replay> replay(std::size_t number) const {
        if (!window_) {
            return replays_[number];
        }
        Workload part = whole_.without_jobs();
        part.origin.reset();  // its times count from the first job
        const Time first = whole_.jobs[number].description.submit;
        for (std::size_t i = number; i < number + *window_; ++i) {
            part.jobs.push_back(whole_.jobs[i]);
            JobDescription& job = part.jobs.back().description;
            submit_at(job, Time::at(job.submit - first));
            part.profiles.insert(*whole_.profiles.find(job.profile));
        }
        drop_unknown_dependencies(part);
        Platform platform = platform_;
        platform.windows = windows_since(std::move(platform.windows), first);
        return std::make_shared<const Replay>(std::move(platform), std::move(part));
    }

    // The machine, with all windows; of several workloads, that of the last.
    const Machine& machine() const { return machine_; }

 private:
    void require_usable(const Workload& workload) const {
        const int processors = machine_.processors();
        const std::size_t least = window_.value_or(1);
        if (workload.jobs.size() < least) {
            throw InputError(workload.path + ": " + counted(workload.jobs.size(), "job") + ", expected at least " +
                             std::to_string(least) + " for an episode");
        }
        for (const WorkloadJob& entry : workload.jobs) {
            const JobDescription& job = entry.description;
            const std::string start = workload.path + ": job " + shown(job.id);
            refuse_if<InputError>(!job.walltime, start, " has no walltime, expected one");
            refuse_if<InputError>(job.processors > processors, start, " requests ", job.processors,
                                  " processors, expected at most ", processors, ", as the machine has");
            const auto resolved = machine_.resources().resolve({job.processors}, job.needs ? &*job.needs : nullptr);
            if (const auto* const problem = std::get_if<std::string>(&resolved)) {
                throw InputError(start + ' ' + *problem);
            }
        }
    }

    std::optional<std::size_t> window_;
    Platform platform_;  // for windows
    Machine machine_;
    Workload whole_;  // for windows
    std::vector<std::shared_ptr<const Replay>> replays_;
};

}  // namespace batfill::python
