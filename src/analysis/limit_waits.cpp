#include "src/analysis/limit_waits.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/resource_use.hpp"
#include "src/support/interruption.hpp"
#include "src/support/job_fields.hpp"

namespace batfill::analysis {

namespace {

// When too little is left: periods in the order of time that do not meet, each with the length of all before it.
class Periods {
 public:
    void add(Time from, Time until) {
        if (from < until) {
            periods_.push_back({from, until, {}});
        }
    }
    // Joins those that meet. Call it once, after the last add().
    void join() {
        std::ranges::sort(periods_, {}, &Period::from);
        std::vector<Period> joined;
        for (const Period& next : periods_) {
            if (!joined.empty() && next.from <= joined.back().until) {
                joined.back().until = std::max(joined.back().until, next.until);
            } else {
                const Duration before =
                    joined.empty() ? Duration() : joined.back().before + (joined.back().until - joined.back().from);
                joined.push_back({next.from, next.until, before});
            }
        }
        periods_ = std::move(joined);
    }
    // How long they last before this instant.
    Duration until(Time instant) const {
        const auto next = std::ranges::upper_bound(periods_, instant, {}, &Period::from);
        if (next == periods_.begin()) {
            return {};
        }
        const Period& last = *std::prev(next);
        return last.before + (std::min(instant, last.until) - last.from);
    }

 private:
    struct Period {
        Time from;
        Time until;
        Duration before;
    };
    std::vector<Period> periods_;
};

// What jobs take of a limit over time: changes at instants until sort(), what is taken from them on after it.
using Use = std::vector<std::pair<Time, Amount>>;

void sort(Use& use) {
    std::ranges::sort(use);
    for (std::size_t i = 1; i < use.size(); ++i) {
        use[i].second += use[i - 1].second;
    }
}

}  // namespace

WaitsForLimits waits_for_limits(const MeasuredSchedule& schedule, const MetricsOptions& machine,
                                const WorkloadJobs& submitted) {
    const auto& [limits, resources] = std::tie(machine.limits, machine.resources);
    if (limits.empty()) {
        return {};
    }
    // Jobs that take the same of the same limits, by these.
    using Taken = std::vector<std::pair<std::string, Amount>>;
    struct Alike {
        std::vector<Limits::Bound> bounds;
        std::vector<const FinishedJob*> jobs;
    };
    std::map<Taken, Alike> all;
    std::unordered_map<std::string, Use> uses;  // only looked up
    const std::vector<Request> requests = requests_of_jobs(schedule, resources, submitted);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        look_for_interruption();
        const FinishedJob& job = schedule.finished()[i];
        JobFields fields(*submitted.find(job.id)->description);
        std::vector<Limits::Bound> bounds = limits.bounds_for(requests[i], resources, std::ref(fields));
        Taken taken;
        for (const Limits::Bound& bound : bounds) {
            taken.emplace_back(bound.key, bound.taken);
            Use& use = uses[bound.key];
            use.emplace_back(job.start, bound.taken);
            use.emplace_back(job.finish, -bound.taken);
        }
        Alike& alike = all[taken];
        alike.bounds = std::move(bounds);
        alike.jobs.push_back(&job);
    }
    std::ranges::for_each(uses, [](auto& use) { sort(use.second); });
    WaitsForLimits waits;
    for (const auto& [taken, alike] : all) {
        look_for_interruption();
        Periods periods;
        for (const Limits::Bound& bound : alike.bounds) {
            const Use& use = uses[bound.key];
            for (std::size_t i = 0; i + 1 < use.size(); ++i) {
                if (use[i].second > limits.most(bound) - bound.taken) {
                    periods.add(use[i].first, use[i + 1].first);
                }
            }
        }
        periods.join();
        for (const FinishedJob* const job : alike.jobs) {
            const Duration held = periods.until(job->start) - periods.until(waits_from(*job));
            if (held > Duration()) {
                waits.emplace(job->id, held);
            }
        }
    }
    return waits;
}

}  // namespace batfill::analysis
