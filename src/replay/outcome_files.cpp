#include <algorithm>

#include <batfill/replay/outcome.hpp>
#include <batfill/version.hpp>

#include "src/replay/explanation.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json_writer.hpp"

namespace batfill {

namespace {

long double stretch(const ReportedTimes& times) {
    return static_cast<long double>(times.turnaround.count()) / static_cast<long double>(times.run.count());
}

// Writes a table: its line of names, and the rows with which `each` calls a function. `how` is as append_csv() takes
// it.
void write_table(OutputFile& file, const std::string& names, const auto& each, auto... how) {
    file.write(names);
    std::string line;
    each([&](const auto& row) {
        line.clear();
        append_csv(row, line, how...);
        file.write(line);
    });
}

// Batsim writes the columns in alphabetical order.
class Row {
 public:
    Row() { json_.open_object(); }
    void add(const char* column, const auto& value) { add_text(column, std::to_string(value)); }
    void add(const char* column, long double value) { add_text(column, rounded(static_cast<double>(value), 6)); }
    void add(const char* column, Duration value) { add_text(column, value.to_string()); }
    void add_text(const char* column, const std::string& value) {
        const char* const separator = names_.empty() ? "" : ",";
        names_ += separator;
        names_ += column;
        values_ += separator;
        values_ += value;
        json_.key(column).raw(value);
    }
    std::string csv() const { return names_ + '\n' + values_ + '\n'; }
    std::string json() const { return object_ + "\n}\n"; }

 private:
    std::string names_;
    std::string values_;
    std::string object_;
    JsonWriter json_{object_, 2};
};

// Sums over the jobs that ended.
struct Totals {
    explicit Totals(const Simulator& simulator) {
        for (const JobNumber number : simulator.ended()) {
            const SimulatedJob& job = simulator.job(number);
            if (job.state == JobState::rejected) {
                ++rejected;
                continue;
            }
            successful += job.state == JobState::completed_successfully ? 1 : 0;
            const ReportedTimes times(job);
            first_submission = std::min(first_submission, job.job->description.submit);
            last_end = std::max(last_end, times.finish);
            wait_sum = wait_sum + times.wait;
            turnaround_sum = turnaround_sum + times.turnaround;
            max_wait = std::max(max_wait, times.wait);
            max_turnaround = std::max(max_turnaround, times.turnaround);
            slowdown_sum += stretch(times);
            max_slowdown = std::max(max_slowdown, stretch(times));
        }
    }

    Time first_submission;  // at most 0, because Batsim 5 also counts from there
    Time last_end;
    Duration wait_sum;
    Duration turnaround_sum;
    Duration max_wait;
    Duration max_turnaround;
    long double slowdown_sum = 0;
    long double max_slowdown = 0;
    std::size_t rejected = 0;
    std::size_t successful = 0;
};

std::string summary_text(const Simulator& simulator, const RealTimes& real_times) {
    const Totals totals(simulator);
    const std::size_t jobs = simulator.ended().size();
    // Batsim divides by all jobs, including totals.rejected ones.
    const auto mean = [&](long double sum) { return jobs == 0 ? 0 : sum / static_cast<long double>(jobs); };
    const auto mean_seconds = [&](Duration sum) { return mean(static_cast<long double>(sum.count()) / 1e6L); };

    Row row;
    const bool batsim5 = simulator.scenario().rules == SimulatorRules::batsim5;
    const char* const quote = batsim5 ? "\"" : "";
    row.add_text("batsim_version", quote + std::string("batfill-") + version + quote);
    row.add("consumed_joules", 0.0L);
    row.add("makespan", batsim5 ? totals.last_end - totals.first_submission : totals.last_end.since_zero());
    row.add("max_slowdown", totals.max_slowdown);
    row.add("max_turnaround_time", totals.max_turnaround);
    row.add("max_waiting_time", totals.max_wait);
    row.add("mean_slowdown", mean(totals.slowdown_sum));
    row.add("mean_turnaround_time", mean_seconds(totals.turnaround_sum));
    row.add("mean_waiting_time", mean_seconds(totals.wait_sum));
    row.add("nb_computing_machines", simulator.scenario().platform.hosts.size());
    row.add("nb_grouped_switches", simulator.results().grouped_switches);
    row.add("nb_jobs", jobs);
    row.add("nb_jobs_finished", jobs - totals.rejected);
    row.add("nb_jobs_killed", jobs - totals.rejected - totals.successful);
    row.add("nb_jobs_rejected", totals.rejected);
    row.add("nb_jobs_success", totals.successful);
    row.add("nb_machine_switches", simulator.results().processor_switches);
    if (!batsim5) {
        row.add("scheduling_time", static_cast<long double>(real_times.scheduling));
        row.add("simulation_time", static_cast<long double>(real_times.simulation));
    }
    row.add("success_rate", mean(static_cast<long double>(totals.successful)));
    row.add("time_computing", simulator.machine_times().computing);
    row.add("time_idle", simulator.machine_times().idle);
    row.add("time_sleeping", simulator.machine_times().sleeping);
    row.add("time_switching_off", simulator.machine_times().falling_asleep);
    row.add("time_switching_on", simulator.machine_times().waking);
    row.add("time_unavailable", simulator.machine_times().unavailable);
    return batsim5 ? row.json() : row.csv();
}

// Batsim 5 writes real times to a separate file, together with its memory use.
void write_real_times(const RealTimes& real_times, OutputFile& file) {
    Row row;
    row.add("time_in_edc_seconds", static_cast<long double>(real_times.scheduling));
    row.add("time_in_simu_seconds", static_cast<long double>(real_times.simulation));
    file.write(row.json());
}

void write_statistics(const std::vector<Statistic>& statistics, OutputFile& file) {
    file.write("statistic,value\n");
    for (const Statistic& statistic : statistics) {
        std::string line;
        append_csv_field(statistic.name, line);
        file.write(line + ',' + std::to_string(statistic.value) + '\n');
    }
}

bool machine_changes(const Scenario& scenario) {
    return std::ranges::any_of(scenario.event_lists, [](const std::vector<ExternalEvent>& events) {
        return std::ranges::any_of(events,
                                   [](const ExternalEvent& event) { return event.kind != ExternalEvent::Kind::other; });
    });
}

// Whether a job may wait for a pool that is not planned.
bool may_park(const Outcome& outcome) {
    if (outcome.engine()->state().limits.is_on()) {
        return true;
    }
    const Parameters& parameters = outcome.engine()->choice().parameters();
    return parameters.knows("plan-pools") && parameters.text("plan-pools") != "all" &&
           !outcome.engine()->state().machine.resources().pools().empty();
}

}  // namespace

RunFiles run_files(const Outcome& outcome, const RealTimes& real_times) {
    RunFiles run;
    run.batsim5 = outcome.scenario().rules == SimulatorRules::batsim5;
    run.summary = summary_text(outcome.simulation(), real_times);
    run.real_times = real_times;
    run.schedule = [&outcome](const auto& use) { outcome.for_each_job(use); };
    run.statistics = outcome.statistics();
    if (outcome.gives_guarantees()) {
        run.guarantees = [&outcome](const auto& use) {
            for (const JobNumber number : outcome.simulation().ended()) {
                use(outcome.guarantee(number));
            }
        };
        run.with_cause = outcome.scenario().believes_walltimes() || may_park(outcome) ||
                         !outcome.scenario().platform.windows.empty();
        if (run.with_cause || machine_changes(outcome.scenario())) {
            run.broken_guarantees = outcome.broken_guarantees();
        }
    }
    if (outcome.has_dependencies()) {
        run.eligible = [&outcome](const auto& use) { outcome.for_each_dependent(use); };
    }
    if (outcome.lays_out_jobs()) {
        run.tasks = [schedule = run.schedule](const auto& use) { for_each_host_of_jobs(schedule, use); };
    }
    if (outcome.explains()) {
        run.wait_reasons = outcome.wait_reasons();
        run.host_names = words_for(outcome).host_names();
        run.instants = outcome.instants();
    }
    return run;
}

std::vector<std::string> write_files(const RunFiles& run, const std::string& prefix) {
    const std::string files_prefix = run.batsim5 ? prefix : prefix + '_';
    OutputFiles files;
    // Writes a file if the run has what it is about.
    const auto write = [&](bool wanted, const std::string& name, const auto& into) {
        wanted ? into(files.add(files_prefix + name)) : files.leave_out(files_prefix + name);
    };
    write(true, "jobs.csv", [&](OutputFile& file) {
        write_table(file, schedule_csv_header(), run.schedule, run.batsim5 ? JobsFile::batsim5 : JobsFile::batsim4);
    });
    write(true, run.batsim5 ? "schedule.json" : "schedule.csv", [&](OutputFile& file) { file.write(run.summary); });
    if (run.batsim5) {
        write(run.real_times.simulation > 0, "real_exec_info.json",
              [&](OutputFile& file) { write_real_times(run.real_times, file); });
    }
    write(!run.statistics.empty(), "statistics.csv", [&](OutputFile& file) { write_statistics(run.statistics, file); });
    write(static_cast<bool>(run.guarantees), "guarantees.csv",
          [&](OutputFile& file) { write_table(file, guarantees_csv_header(), run.guarantees); });
    write(run.broken_guarantees.has_value(), "broken_guarantees.csv", [&](OutputFile& file) {
        const auto each = [&](const auto& use) { std::ranges::for_each(*run.broken_guarantees, use); };
        write_table(file, broken_guarantees_csv_header(run.with_cause), each, run.with_cause);
    });
    write(static_cast<bool>(run.eligible), "eligible.csv",
          [&](OutputFile& file) { write_table(file, eligible_csv_header(), run.eligible); });
    write(static_cast<bool>(run.tasks), "tasks.csv",
          [&](OutputFile& file) { write_table(file, tasks_csv_header(), run.tasks); });
    write(run.wait_reasons.has_value(), "explain.csv", [&](OutputFile& file) {
        const std::vector<ExplainedReason> reasons =
            explained(*run.wait_reasons, ReasonWords(run.host_names, run.instants));
        const ReasonColumns columns = columns_of(reasons);
        const auto each = [&](const auto& use) { std::ranges::for_each(reasons, use); };
        write_table(file, wait_reasons_csv_header(columns), each, columns);
    });
    return files.commit();
}

std::vector<std::string> write_files(const Outcome& outcome, const std::string& prefix, const RealTimes& real_times) {
    return write_files(run_files(outcome, real_times), prefix);
}

}  // namespace batfill
