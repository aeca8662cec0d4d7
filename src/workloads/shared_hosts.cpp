#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "src/formats/job_json.hpp"
#include "src/support/interruption.hpp"
#include "src/support/text.hpp"
#include "src/workloads/draws.hpp"
#include "src/workloads/modal_estimates.hpp"

// Jobs for hosts that they share.
namespace batfill {

namespace {

constexpr double shortest_run = 60;    // seconds
constexpr double longest_run = 86400;  // likewise

// A power of two from 2^least on, each equally likely, and at most `most`.
// Requires: 2^least <= most.
int power_of_two(Draws& draws, int least, int most) {
    const int largest = static_cast<int>(std::bit_width(static_cast<unsigned>(most))) - 1;
    return 1 << draws.integer(least, largest);
}

// Draws the jobs one after another.
class SharedHostsSource {
 public:
    explicit SharedHostsSource(const SharedHostsModel& model) : model_(model) {}

    // What the next job takes. None: whole hosts.
    std::optional<StatedNeeds::Amounts> next_amounts() {
        const bool takes_whole = wholes_.holds(model_.whole_host_jobs);
        const int cores = power_of_two(cores_, 0, model_.cores);
        const double share = memory_.uniform(0.5, 2) * cores * model_.memory / model_.cores;
        const auto memory = std::clamp(std::llround(share), 1LL, static_cast<long long>(model_.memory));
        const bool takes_gpus = model_.gpus > 0 && gpus_.holds(model_.gpu_jobs);
        const int gpus = model_.gpus > 0 ? power_of_two(gpus_, 0, model_.gpus) : 0;
        if (takes_whole) {
            return std::nullopt;
        }
        StatedNeeds::Amounts amounts{{"cores", cores}};
        if (takes_gpus) {
            amounts.emplace_back("gpus", gpus);
        }
        amounts.emplace_back("memory", memory);
        return amounts;
    }

    int next_hosts() {
        const int widest = std::min(model_.widest, model_.hosts);
        const bool is_wide = widths_.holds(model_.wide_jobs) && widest > 1;
        return is_wide ? power_of_two(widths_, 1, widest) : 1;
    }

    std::pair<Duration, Duration> next_run_and_walltime() {
        const double run = std::round(std::exp(runs_.uniform(std::log(shortest_run), std::log(longest_run))));
        const double estimate = std::min(run / (1 - estimates_.uniform()), 2 * longest_run);
        return {Duration::seconds(std::llround(run)),
                modal_estimate(Duration::seconds(std::llround(std::ceil(estimate))))};
    }

    // In mean inter-arrival times.
    double next_interval() { return arrivals_.exponential(); }

 private:
    const SharedHostsModel& model_;
    Draws arrivals_{model_.seed, 0};
    Draws runs_{model_.seed, 1};
    Draws estimates_{model_.seed, 2};
    Draws widths_{model_.seed, 3};
    Draws wholes_{model_.seed, 4};
    Draws cores_{model_.seed, 5};
    Draws gpus_{model_.seed, 6};
    Draws memory_{model_.seed, 7};
};

int cores_of(const JobDescription& job, int cores_of_host) {
    const int cores = job.needs ? static_cast<int>(job.needs->per_host->front().second) : cores_of_host;
    return cores * job.processors;
}

}  // namespace

std::string capacity_of(const SharedHostsModel& model) {
    return "cores:" + std::to_string(model.cores) + (model.gpus > 0 ? ",gpus:" + std::to_string(model.gpus) : "") +
           ",memory:" + std::to_string(model.memory);
}

Workload generate_shared_hosts(const SharedHostsModel& model) {
    assert(model.jobs > 0 && model.hosts > 0 && model.cores > 0 && model.gpus >= 0 && model.memory > 0);
    assert(model.load > 0);
    refuse_if(model.cores > std::numeric_limits<int>::max() / model.hosts,
              "hosts and cores: expected less than 2^31 cores in all");
    SharedHostsSource source(model);
    TextPool texts;
    Workload workload;
    workload.name = "w0";
    workload.processors = model.hosts;
    const std::size_t width = std::to_string(model.jobs).size();
    std::vector<double> clocks;
    double clock = 0;
    double work = 0;  // core seconds
    for (int i = 1; i <= model.jobs; ++i) {
        look_for_interruption();
        JobDescription job;
        job.id = workload.name + "!" + padded(static_cast<std::size_t>(i), width);
        clock += source.next_interval();
        clocks.push_back(clock);
        const auto [run, walltime] = source.next_run_and_walltime();
        job.walltime = walltime;
        job.processors = source.next_hosts();
        if (const std::optional<StatedNeeds::Amounts> amounts = source.next_amounts()) {
            const StatedNeeds needs{{}, *amounts, {}};
            job.other_fields = texts.shared(members_of(needs));
            job.needs = needs;
        }
        work += cores_of(job, model.cores) * run.to_seconds();
        const auto seconds = static_cast<long long>(run.to_seconds());
        job.profile = texts.shared("d" + std::to_string(seconds));
        workload.profiles.try_emplace(job.profile, JobProfile{JobProfile::Type::delay, "delay", run});
        workload.jobs.push_back({std::move(job), {}});
    }
    const double last = work / (model.load * model.hosts * model.cores);
    for (std::size_t i = 0; i < clocks.size(); ++i) {
        workload.jobs[i].description.submit = Time::seconds(std::llround(clocks[i] / clock * last));
    }
    return workload;
}

Workload counted_in_cores(const Workload& workload, int cores) {
    Workload counted = workload;
    counted.processors = workload.processors * cores;
    for (WorkloadJob& job : counted.jobs) {
        job.description.processors = cores_of(job.description, cores);
        job.description.needs = {};
        job.description.other_fields = {};
    }
    return counted;
}

}  // namespace batfill
