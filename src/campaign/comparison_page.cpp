#include "comparison_page.hpp"

#include <cassert>
#include <filesystem>
#include <string>

#include "src/support/files.hpp"

namespace batfill::campaign {

report::Run run_of(const Outcome& outcome, const std::string& label) {
    report::Run run{label, outcome.schedule()};
    for (const Statistic& statistic : outcome.statistics()) {
        run.statistics.emplace_back(statistic.name, std::to_string(statistic.value));
    }
    if (outcome.gives_guarantees()) {
        run.guarantees.emplace();
        for (const JobNumber job : outcome.simulation().ended()) {
            run.guarantees->push_back(outcome.guarantee(job));
        }
    }
    return run;
}

std::string comparison_page(const ComparisonRequest& request, const std::string& command) {
    assert(request.workloads.size() == 1 && !request.weeks);
    std::vector<std::string> names;
    const std::vector<Replay> replays = prepare_replays(request, names);
    const Replay& replay = replays.front();
    report::Report page;
    page.title = names.front();
    page.command = command;
    page.options.tau = request.tau;
    page.options.short_deadline = request.short_deadline;
    page.options.set_machine(replay.machine());
    page.workloads = replay.scenario().workloads;
    const std::string& path = request.workloads.front();
    page.files.push_back({path, std::filesystem::file_size(path), sha256_of_file(path)});
    for (const NamedScheduler& scheduler : request.schedulers) {
        page.runs.push_back(run_of(replay.run(scheduler.choice), scheduler.name));
    }
    return report::report_page(page);
}

}  // namespace batfill::campaign
