#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "src/support/mapped.hpp"
#include "src/support/text.hpp"
#include "src/workloads/draws.hpp"

namespace batfill {

namespace {

constexpr long long million = 1'000'000;
constexpr int max_tries = 10'000;

// The purpose of a stream of draws. A new purpose gets a new number, so existing streams do not change.
enum Purpose : std::uint32_t {
    machine_processors,
    machine_speeds,
    machine_licenses,
    license_copies,
    submissions,
    run_times,
    job_processors,
    job_licenses,
    job_deadlines,
    deadline_margins,
};

struct DrawnMachine {
    int processors = 0;
    int speed = 0;                      // millions of operations per second
    std::vector<std::size_t> licenses;  // that the machine can activate, in their order
};

// Numbered names such as "lic00", "lic01".
std::vector<std::string> names(const std::string& prefix, int count) {
    std::vector<std::string> result;
    result.reserve(static_cast<std::size_t>(count));
    const std::size_t width = std::to_string(std::max(count - 1, 0)).size();
    for (int i = 0; i < count; ++i) {
        result.push_back(prefix + padded(static_cast<std::size_t>(i), width));
    }
    return result;
}

class FarmSource {
 public:
    explicit FarmSource(const FarmModel& model) : model_(model), licenses_(names("lic", model.licenses)) {
        Draws processors = draws(machine_processors);
        Draws speeds = draws(machine_speeds);
        Draws installable = draws(machine_licenses);
        for (int i = 0; i < model.machines; ++i) {
            DrawnMachine& machine = machines_.emplace_back();
            machine.processors = in(model.machine_processors, processors);
            machine.speed = in(model.speed, speeds);
            machine.licenses = draw_licenses(model.license_suitability, installable);
        }
    }

    Platform platform() const {
        const std::vector<std::string> machine_names = names("m", model_.machines);
        const std::vector<std::string> host_suffixes = names("-", model_.machine_processors.high);
        const std::string copies = copies_of_licenses();
        Platform platform;
        for (std::size_t i = 0; i < machines_.size(); ++i) {
            const DrawnMachine& machine = machines_[i];
            Host host;
            host.speed = static_cast<double>(machine.speed) * million;
            host.properties["machine"] = machine_names[i];
            host.properties["speed"] = std::to_string(machine.speed * million);
            if (!copies.empty()) {
                host.properties["licenses"] = list_of(names_of(machine.licenses), ",");
                host.zone_properties["licenses"] = copies;
            }
            for (int processor = 0; processor < machine.processors; ++processor) {
                host.name = machine_names[i] + host_suffixes[static_cast<std::size_t>(processor)];
                platform.hosts.push_back(host);
            }
        }
        return platform;
    }

    // The workload for a platform with this many processors.
    Workload workload(int processors) const {
        Draws arrivals = draws(submissions);
        Draws runs = draws(run_times);
        Draws sizes = draws(job_processors);
        Draws needs = draws(job_licenses);
        Draws has_none = draws(job_deadlines);
        Draws margins = draws(deadline_margins);
        TextPool texts;
        Workload workload;
        workload.name = "w0";
        workload.processors = processors;
        const std::size_t width = std::to_string(model_.jobs).size();
        double clock = 0;  // in mean inter-arrival times
        for (int i = 1; i <= model_.jobs; ++i) {
            JobDescription job;
            job.id = workload.name + "!" + padded(static_cast<std::size_t>(i), width);
            clock += arrivals.exponential();
            job.submit = Time::seconds(std::llround(clock * model_.interarrival.to_seconds()));
            const int run_time = in(model_.run_time, runs);
            job.walltime = estimate_of(run_time);
            draw_request(sizes, needs, job);
            const Duration margin = margin_of(*job.walltime, in(model_.deadline_margin, margins));
            if (!has_none.holds(model_.without_deadline)) {
                job.deadline = job.submit + *job.walltime + margin;
            }
            job.profile = texts.shared("d" + std::to_string(run_time));
            workload.profiles.try_emplace(job.profile,
                                          JobProfile{JobProfile::Type::delay, "delay", Duration::seconds(run_time)});
            workload.jobs.push_back({std::move(job), {}});
        }
        return workload;
    }

 private:
    Draws draws(Purpose purpose) const { return {model_.seed, purpose}; }

    static int in(FarmModel::Range range, Draws& draws) { return draws.integer(range.low, range.high); }

    // The copies as "name:copies,name:copies". Empty if there are no licences.
    std::string copies_of_licenses() const {
        Draws ratios = draws(license_copies);
        std::vector<std::string> parts;
        for (std::size_t license = 0; license < licenses_.size(); ++license) {
            const auto can_activate = [&](const DrawnMachine& machine) {
                return std::ranges::binary_search(machine.licenses, license);
            };
            const long long suitable = std::ranges::count_if(machines_, can_activate);
            const long long copies = (in(model_.license_ratio, ratios) * suitable + 50) / 100;
            parts.push_back(licenses_[license] + ":" + std::to_string(std::max(copies, 1LL)));
        }
        return list_of(parts, ",");
    }

    std::vector<std::string> names_of(const std::vector<std::size_t>& licenses) const {
        return mapped(licenses, [&](std::size_t license) { return licenses_[license]; });
    }

    // Draws for each licence whether it is one of the result, with this probability.
    std::vector<std::size_t> draw_licenses(int percent, Draws& draws) const {
        std::vector<std::size_t> drawn;
        for (std::size_t license = 0; license < licenses_.size(); ++license) {
            if (draws.holds(percent)) {
                drawn.push_back(license);
            }
        }
        return drawn;
    }

    Duration estimate_of(int run_time) const {
        const long long product = run_time * model_.estimate_factor.millionths();
        return Duration::seconds((product + million - 1) / million);
    }

    Duration margin_of(Duration walltime, int margin) const {
        return model_.margin_unit == FarmModel::MarginUnit::seconds
                   ? Duration::seconds(margin)
                   : Duration::microseconds(walltime.count() * margin / 100);
    }

    // Draws processors and licences until one machine offers both.
    void draw_request(Draws& sizes, Draws& needs, JobDescription& job) const {
        for (int tries = 0; tries < max_tries; ++tries) {
            job.processors = in(model_.job_processors, sizes);
            const std::vector<std::size_t> needed = draw_licenses(model_.license_needs, needs);
            const auto can_run = [&](const DrawnMachine& machine) {
                return machine.processors >= job.processors && std::ranges::includes(machine.licenses, needed);
            };
            if (std::ranges::any_of(machines_, can_run)) {
                job.licenses = names_of(needed);
                return;
            }
        }
        throw UsageError(
            "no machine of this farm could run any of " + std::to_string(max_tries) +
            " draws of a job's processors and licences: expected larger machines, smaller jobs, fewer licences that jobs need or more that machines have");
    }

    const FarmModel& model_;
    std::vector<std::string> licenses_;  // their names
    std::vector<DrawnMachine> machines_;
};

[[maybe_unused]] bool is_within(FarmModel::Range range, int least, int most) {
    return least <= range.low && range.low <= range.high && range.high <= most;
}

}  // namespace

Farm generate_farm(const FarmModel& model) {
    assert(model.jobs > 0 && model.jobs <= max_farm_jobs);
    assert(model.machines > 0 && is_within(model.machine_processors, 1, max_farm_processors / model.machines));
    assert(model.licenses >= 0 && model.licenses <= max_farm_licenses);
    assert(is_within(model.run_time, 1, million) && is_within(model.job_processors, 1, max_farm_processors));
    assert(is_within(model.speed, 1, million) && is_within(model.license_ratio, 1, 100'000));
    assert(is_within(model.deadline_margin, 0, million));
    assert(model.interarrival > Duration() && model.interarrival <= Duration::seconds(million));
    assert(model.estimate_factor.millionths() >= million);
    const FarmSource source(model);
    Farm farm;
    farm.platform = source.platform();
    farm.workload = source.workload(static_cast<int>(farm.platform.hosts.size()));
    return farm;
}

}  // namespace batfill
