#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/analysis/metrics.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/replay/outcome.hpp>

#include "python/src/bindings.hpp"
#include "python/src/packing.hpp"
#include "src/report/report.hpp"

namespace batfill::python {

// One simulation, over: all that anybody asks for later, without engine and simulator.
struct Run {
    std::string label;
    Platform platform;
    std::vector<Workload> workloads;  // with the jobs that the scheduler registered
    std::vector<std::vector<ExternalEvent>> events;
    Schedule schedule;
    std::string summary;  // PREFIX_schedule.csv
    std::vector<std::pair<std::string, std::uint64_t>> statistics;
    std::vector<std::pair<std::string, std::size_t>> rejected;  // by reason
    std::optional<std::vector<Guarantee>> guarantees;           // none: the scheduler guarantees nothing
    std::optional<std::vector<BrokenGuarantee>> broken_guarantees;
    std::optional<std::vector<EligibleTime>> eligible;  // none: no job waits for others
    bool with_cause = false;                            // the broken guarantees have this column
    Placement placement{};
    bool jobs_survive_losses = true;
    bool decided_by_seconds = false;  // CheckOptions
    RunLimits run_limits;             // likewise

    // As the commands `metrics` and `report` measure it.
    MetricsOptions options(const nb::object& tau, const nb::object& short_deadline) const;
    // Refers to this run.
    RunFiles files() const;
};

// What is left of an outcome.
// Cost: O(jobs).
Run run_of(const Outcome& outcome, std::string label);

// As pages and charts take it.
report::Run page_run(const Run& run);

// Throws: as audit().
CheckReport audit(const Run& run, bool deadlines_bind, bool rejections_allowed);

void pack(auto& all, Is<Run> auto& run) {
    all(run.label, run.platform, run.workloads, run.events, run.schedule, run.summary, run.statistics, run.rejected,
        run.guarantees, run.broken_guarantees, run.eligible, run.with_cause, run.placement, run.jobs_survive_losses,
        run.decided_by_seconds, run.run_limits);
}

}  // namespace batfill::python
