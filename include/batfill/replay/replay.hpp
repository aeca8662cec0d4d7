#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

struct FinishedJob;
namespace analysis {
struct Metric;
}

// A metric of docs/metrics.md for which less is better. Its name is that in the csv of `batfill metrics`.
class ReplayMetric {
 public:
    // `tau` is the bound of the bounded slowdown.
    // Requires: tau > 0.
    // Throws: UsageError, which lists the known names, if `name` is not one of them.
    explicit ReplayMetric(const std::string& name, Duration tau = Duration::seconds(10));

    static std::vector<std::string> known_names();

    const std::string& name() const { return name_; }
    // The value over `jobs`, in any order; none if no job counts for it.
    // Cost: O(n log n).
    std::optional<double> value(const std::vector<FinishedJob>& jobs) const;

 private:
    const analysis::Metric* metric_;
    std::string name_;
    Duration tau_;
};

struct ReplayPreparation;

// Replays one workload on an empty machine in this process, without files, any number of times. Prepares once what does
// not depend on the scheduler. Several threads may call const members at once; their results do not depend on each
// other.
class Replay {
 public:
    // Throws: InputError, which names the job, for a job that cannot be simulated (its profile communicates).
    Replay(Platform platform, Workload workload);
    ~Replay();
    Replay(Replay&&) noexcept;
    Replay& operator=(Replay&&) noexcept;

    // Returns what `batfill simulate` writes to PREFIX_jobs.csv, including rejected jobs, in its order.
    // Throws:
    // - UsageError if no such algorithm or parameter exists, or if the algorithm submits jobs of its own
    // - DeadlockError if some jobs never start
    Schedule run(const SchedulerChoice& scheduler) const;

    // Returns the metric of that schedule, bit for bit as `batfill metrics` computes it, and computes no other. No
    // value if no job counts for it, for instance because there are no jobs.
    // Throws: as run(), and InputError, which names a job that the scheduler rejects: values over different jobs must
    // not be compared.
    std::optional<double> measure(const SchedulerChoice& scheduler, const ReplayMetric& metric) const;

    std::size_t jobs() const;
    const Platform& platform() const;
    const Workload& workload() const;

 private:
    std::unique_ptr<const ReplayPreparation> preparation_;
};

}  // namespace batfill
