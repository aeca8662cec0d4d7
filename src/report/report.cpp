#include "src/report/report.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/formats/named_platform.hpp"
#include "src/replay/comparison.hpp"
#include "src/replay/log_column.hpp"
#include "src/replay/notes.hpp"
#include "src/report/page_parts.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::report {

namespace {

// The file of the same run whose name has `kind` instead of "jobs"; none if it is not there.
std::optional<std::string> file_beside(std::string jobs_path, const std::string& kind) {
    const std::size_t at = jobs_path.rfind("jobs.csv");
    if (at == std::string::npos) {
        return std::nullopt;
    }
    jobs_path.replace(at, 4, kind);
    return std::filesystem::is_regular_file(jobs_path) ? std::optional(jobs_path) : std::nullopt;
}

SourceFile source_file(const std::string& path) {
    std::error_code is_no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, is_no_file);
    return {path, is_no_file ? 0 : size, sha256_of_file(path)};
}

// Reads a run and the files that simulate or Batsim wrote beside its jobs.csv. Adds all these files to `files`.
Run read_shown_run(const std::string& prefix, const Note& note, std::vector<SourceFile>& files) {
    const std::string path = runs::jobs_file(prefix);
    Run run{"", runs::read_run(path, note)};
    files.push_back(source_file(path));
    const auto take = [&](const char* kind, auto read, auto& into) {
        if (const auto beside = file_beside(path, kind)) {
            into = read(*beside);
            files.push_back(source_file(*beside));
        }
    };
    take("schedule", read_summary, run.summary);
    take("statistics", read_statistics, run.statistics);
    const auto read = [](const std::string& file) { return read_guarantees(file); };
    const auto read_broken = [](const std::string& file) { return read_broken_guarantees(file); };
    take("guarantees", read, run.guarantees);
    take("broken_guarantees", read_broken, run.broken_guarantees);
    take("explain", read_wait_reasons, run.wait_reasons);
    return run;
}

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

// Adds the log's own schedule of the workload. All runs then have only its jobs. `note` hears what may surprise.
void add_log(const std::string& path, Report& page, const Note& note) {
    const Workload& workload = page.workloads.front();
    Schedule schedule = LogColumn(path).of({&workload}).front();
    if (const std::size_t missing = workload.jobs.size() - schedule.jobs.size(); missing > 0) {
        note(std::to_string(missing) + " of " + counted(workload.jobs.size(), "job") + " of " + workload.path +
             " did not run in " + path + ", and no run counts them");
    }
    if (page.options.processors) {
        ReplayNotes notes;
        notes.add_log(schedule, *page.options.processors);
        std::ranges::for_each(notes.texts(), note);
    }
    page.files.push_back(source_file(path));
    const StartedInLog started = started_in(schedule);
    for (Run& run : page.runs) {
        leave_out_others(run.schedule, started);
        if (run.guarantees) {
            std::erase_if(*run.guarantees, [&](const Guarantee& one) { return !started.contains(one.job_id); });
        }
    }
    if (page.options.resources.has_shared_hosts()) {
        for (ScheduledJob& job : schedule.jobs) {
            job.allocation = {};  // of the log's own machine, whatever its processors were
        }
    }
    Run& run = page.runs.emplace_back(Run{"log", std::move(schedule)});
    run.is_of_log = true;
}

}  // namespace

std::string report_page(const Report& report) {
    std::string script(page_script);
    if (shows_resources(report)) {
        script += page_resources_script;
    }
    if (!report.options.windows.empty()) {
        script += page_windows_script;
    }
    const std::array<std::pair<std::string_view, std::string>, 9> parts{
        {{"{{title}}", markup_text(report.title)},
         {"{{style}}", std::string(page_style)},
         {"{{license}}", markup_text(d3_license)},
         {"{{library}}", std::string(d3_library)},
         {"{{data}}", report_data(report)},
         {"{{data_script}}", std::string(page_data_script)},
         {"{{charts_script}}", std::string(page_charts_script)},
         {"{{summary_script}}", std::string(page_summary_script)},
         {"{{script}}", script}}};
    std::string page;
    std::string_view rest = page_html;
    for (const auto& [mark, text] : parts) {
        const std::size_t at = rest.find(mark);
        if (at == std::string_view::npos) {
            throw std::logic_error("src/report/page.html has no " + std::string(mark) + " where it is expected");
        }
        page += rest.substr(0, at);
        page += text;
        rest.remove_prefix(at + mark.size());
    }
    page += rest;
    return page;
}

std::string render_report(const ReportRequest& request, const Note& note) {
    Report page;
    page.command = "batfill report " + request.command;
    page.options = request.metrics;
    page.baseline = request.baseline;
    const Note keep = [&](const std::string& text) {
        page.notes.push_back(text);
        note(text);
    };
    for (const std::string& prefix : request.prefixes) {
        page.runs.push_back(read_shown_run(prefix, keep, page.files));
        runs::require_machine_of_run(prefix, page.runs.back().schedule, page.options, keep);
    }
    const std::vector<std::string> names = runs::run_labels(request.prefixes);
    for (std::size_t i = 0; i < names.size(); ++i) {
        page.runs[i].label = names[i];
    }
    page.workloads = read_named_workloads(request.workloads, note);
    for (const std::string& path : request.workloads) {
        page.files.push_back(source_file(path));
    }
    if (!request.platform.empty() && !number_of_hosts(request.platform)) {
        page.files.push_back(source_file(platform_file(request.platform)));
    }
    if (!request.windows.empty()) {
        page.files.push_back(source_file(request.windows));
    }
    if (request.log) {
        add_log(*request.log, page, keep);
    }
    page.title = request.title.value_or(list_of(mapped(page.runs, &Run::label)));
    return report_page(page);
}

std::string comparison_page(const ComparisonRequest& request, const std::string& command) {
    assert(request.workloads.size() == 1 && !request.weeks);
    const PreparedReplays prepared = prepare_replays(request);
    const Replay& replay = prepared.replays.front();
    Report page;
    page.title = prepared.names.front();
    page.command = command;
    page.options = request.metrics;
    page.options.set_machine(replay.machine());
    page.workloads = replay.scenario().workloads;
    page.files.push_back(source_file(request.workloads.front()));
    page.runs = mapped(request.schedulers, [&](const NamedScheduler& scheduler) {
        return run_of(replay.run(scheduler.choice), scheduler.name);
    });
    page.baseline = baseline_of(request);
    if (request.log) {
        add_log(*request.log, page, [&](const std::string& text) { page.notes.push_back(text); });
    }
    return report_page(page);
}

}  // namespace batfill::report
