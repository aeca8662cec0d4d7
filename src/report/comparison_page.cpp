#include "src/report/comparison_page.hpp"

#include <cassert>
#include <filesystem>
#include <string>

#include "src/report/report.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

namespace batfill::report {

namespace {

// An outcome as the page shows it.
Run run_of(const Outcome& outcome, const std::string& label) {
    Run run{label, outcome.schedule()};
    run.statistics = mapped(outcome.statistics(), [](const Statistic& statistic) {
        return std::pair(statistic.name, std::to_string(statistic.value));
    });
    if (outcome.gives_guarantees()) {
        run.guarantees = mapped(outcome.simulation().ended(), [&](JobNumber job) { return outcome.guarantee(job); });
    }
    return run;
}

}  // namespace

std::string comparison_page(const ComparisonRequest& request, const std::string& command) {
    assert(request.workloads.size() == 1 && !request.weeks);
    const PreparedReplays prepared = prepare_replays(request);
    const Replay& replay = prepared.replays.front();
    Report page;
    page.title = prepared.names.front();
    page.command = command;
    page.options.tau = request.tau;
    page.options.short_deadline = request.short_deadline;
    page.options.set_machine(replay.machine());
    page.workloads = replay.scenario().workloads;
    const std::string& path = request.workloads.front();
    page.files.push_back({path, std::filesystem::file_size(path), sha256_of_file(path)});
    page.runs = mapped(request.schedulers, [&](const NamedScheduler& scheduler) {
        return run_of(replay.run(scheduler.choice), scheduler.name);
    });
    return report_page(page);
}

}  // namespace batfill::report
