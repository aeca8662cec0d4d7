#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/platform.hpp>
#include <batfill/schedule.hpp>
#include <batfill/scheduler_choice.hpp>
#include <batfill/time.hpp>
#include <batfill/workload.hpp>

namespace batfill {

struct FinishedJob;
namespace analysis {
struct Metric;
}

// One of the metrics of docs/metrics.md for which less is better, by its name in the csv of `batfill metrics`.
class ReplayMetric {
 public:
    // `tau` is the bound of the bounded slowdown and positive. Throws UsageError that lists the known names.
    explicit ReplayMetric(const std::string& name, Duration tau = Duration::seconds(10));

    static std::vector<std::string> known_names();

    const std::string& name() const { return name_; }
    // None if no job counts for it. The order of the jobs does not matter. O(n log n).
    std::optional<double> value(std::vector<FinishedJob> jobs) const;

 private:
    const analysis::Metric* metric_;
    std::string name_;
    Duration tau_;
};

struct ReplayPreparation;

// Replays one workload on an empty machine in this process, without files, as often as wanted: what does not depend on
// the scheduler is prepared once. All const members may be called from several threads at once, and give the same
// result whatever else runs.
class Replay {
 public:
    // Throws InputError for jobs that cannot be simulated (profiles that communicate), naming the job.
    Replay(Platform platform, Workload workload);
    ~Replay();
    Replay(Replay&&) noexcept;
    Replay& operator=(Replay&&) noexcept;

    // What `batfill simulate` writes to PREFIX_jobs.csv, rejected jobs included, in its order. Throws UsageError if
    // there is no such algorithm or parameter, DeadlockError if jobs were never started.
    Schedule run(const SchedulerChoice& scheduler) const;

    // The metric of that schedule, bit for bit what `batfill metrics` computes; only this one is computed. None if no
    // job counts for it, as where there are no jobs. Throws as run(), and InputError naming a job that the scheduler
    // rejects: values over different jobs must not be compared.
    std::optional<double> measure(const SchedulerChoice& scheduler, const ReplayMetric& metric) const;

    std::size_t jobs() const;
    const Platform& platform() const;
    const Workload& workload() const;

 private:
    std::unique_ptr<const ReplayPreparation> preparation_;
};

}  // namespace batfill
