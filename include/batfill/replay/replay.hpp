#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

struct FinishedJob;
namespace analysis {
struct Metric;
}

// One of the metrics of docs/metrics.md for which less is better, chosen by its name in the csv of `batfill metrics`.
class ReplayMetric {
 public:
    // `tau` is the bound of the bounded slowdown and must be positive. Throws UsageError that lists the known names if
    // `name` is none of them.
    explicit ReplayMetric(const std::string& name, Duration tau = Duration::seconds(10));

    static std::vector<std::string> known_names();

    const std::string& name() const { return name_; }
    // The value over `jobs`, whose order does not matter; none if no job counts for it. O(n log n).
    std::optional<double> value(const std::vector<FinishedJob>& jobs) const;

 private:
    const analysis::Metric* metric_;
    std::string name_;
    Duration tau_;
};

struct ReplayPreparation;

// Replays one workload on an empty machine in this process, without files, as often as wanted; what does not depend on
// the scheduler is prepared once. All const members may be called from several threads at once, and what they return
// does not depend on what else runs.
class Replay {
 public:
    // Throws InputError for jobs that cannot be simulated (profiles that communicate), naming the job.
    Replay(Platform platform, Workload workload);
    ~Replay();
    Replay(Replay&&) noexcept;
    Replay& operator=(Replay&&) noexcept;

    // Returns what `batfill simulate` writes to PREFIX_jobs.csv, rejected jobs included, in its order. Throws
    // UsageError if there is no such algorithm or parameter, or it submits jobs of its own, and DeadlockError if jobs
    // are never started.
    Schedule run(const SchedulerChoice& scheduler) const;

    // Returns the metric of that schedule, bit for bit as `batfill metrics` computes it, and computes no other. There
    // is no value if no job counts for it, for instance because there are no jobs. Throws what run() throws, and
    // InputError naming a job that the scheduler rejects: values over different jobs must not be compared.
    std::optional<double> measure(const SchedulerChoice& scheduler, const ReplayMetric& metric) const;

    std::size_t jobs() const;
    const Platform& platform() const;
    const Workload& workload() const;

 private:
    std::unique_ptr<const ReplayPreparation> preparation_;
};

}  // namespace batfill
