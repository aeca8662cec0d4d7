#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>
#include <utility>

#include <batfill/schedule.hpp>

#include "src/core/csv_reader.hpp"
#include "src/core/csv_text.hpp"
#include "src/formats/job_id.hpp"

namespace batfill {

namespace {

// First those that are read.
enum Column : std::size_t {
    job_id,
    workload_name,
    submission_time,
    requested_number_of_resources,
    requested_time,
    success,
    final_state,
    starting_time,
    execution_time,
    finish_time,
    waiting_time,
    turnaround_time,
    allocated_resources,
    profile,
    stretch,
    consumed_energy,
    metadata,
    column_count
};

constexpr std::array<std::string_view, column_count> column_names{"job_id",
                                                                  "workload_name",
                                                                  "submission_time",
                                                                  "requested_number_of_resources",
                                                                  "requested_time",
                                                                  "success",
                                                                  "final_state",
                                                                  "starting_time",
                                                                  "execution_time",
                                                                  "finish_time",
                                                                  "waiting_time",
                                                                  "turnaround_time",
                                                                  "allocated_resources",
                                                                  "profile",
                                                                  "stretch",
                                                                  "consumed_energy",
                                                                  "metadata"};

constexpr CsvFormat format{"jobs.csv", "Batsim 4", std::span(column_names).first<profile>()};

constexpr std::array<Column, column_count> written_order{
    job_id,          workload_name, profile,         submission_time, requested_number_of_resources,
    requested_time,  success,       final_state,     starting_time,   execution_time,
    finish_time,     waiting_time,  turnaround_time, stretch,         allocated_resources,
    consumed_energy, metadata};

int processors(const CsvRow& row) {
    const std::string_view text = row.text(requested_number_of_resources);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
        row.fail(requested_number_of_resources, "a number of processors");
    }
    return value;
}

JobState state_of(const CsvRow& row) {
    const auto state = parse_job_state(row.text(final_state));
    if (!state) {
        row.fail(final_state, "one of " + known_job_states());
    }
    return *state;
}

std::optional<ExecutionRecord> execution(const CsvRow& row, JobState state) {
    const std::array<std::optional<Duration>, 5> times{
        row.optional_duration(starting_time), row.optional_duration(execution_time), row.optional_duration(finish_time),
        row.optional_duration(waiting_time), row.optional_duration(turnaround_time)};
    const auto present = std::count_if(times.begin(), times.end(), [](const auto& time) { return time.has_value(); });
    if (times.size() == static_cast<std::size_t>(present)) {
        return ExecutionRecord{Time::at(*times[0]), *times[1], Time::at(*times[2]), *times[3], *times[4]};
    }
    const bool may_lack_all = !has_completed(state);
    const bool may_lack_some = is_unfinished(state);
    if (!may_lack_all || (present > 0 && !may_lack_some)) {
        row.fail(std::string(row.text(final_state)) + " with " + std::to_string(present) +
                 " of the 5 times from starting_time to turnaround_time");
    }
    return std::nullopt;
}

ScheduledJob read_job(const CsvRow& row) {
    ScheduledJob job;
    job.id = row.job(workload_name, job_id);
    job.submit = Time::at(row.duration(submission_time));
    job.processors = processors(row);
    job.walltime = row.optional_duration(requested_time);
    if (job.walltime && *job.walltime < Duration()) {
        job.walltime.reset();
    }
    if (row.text(success) != "0" && row.text(success) != "1") {
        row.fail(success, "0 or 1");
    }
    job.success = row.text(success) == "1";
    job.state = state_of(row);
    job.execution = execution(row, job.state);
    std::optional<ResourceSet> allocation = ResourceSet::parse(row.text(allocated_resources));
    if (!allocation) {
        row.fail(allocated_resources, "host numbers like 0-3 7");
    }
    job.allocation = std::move(*allocation);
    return job;
}

double stretch_of(const ExecutionRecord& execution) {
    return static_cast<double>(static_cast<long double>(execution.turnaround.count()) /
                               static_cast<long double>(execution.length.count()));
}

// The columns that are empty for a job that has not run.
void append_field(const ScheduledJob& job, const ExecutionRecord& execution, Column column, std::string& out) {
    switch (column) {
        case starting_time:
            return execution.start.since_zero().append_to(out);
        case execution_time:
            return execution.length.append_to(out);
        case finish_time:
            return execution.finish.since_zero().append_to(out);
        case waiting_time:
            return execution.wait.append_to(out);
        case turnaround_time:
            return execution.turnaround.append_to(out);
        case stretch:
            out += rounded(stretch_of(execution), 6);
            return;
        case allocated_resources:
            return job.allocation.append_to(out);
        case consumed_energy:  // Batsim's way to say that nobody has measured it
            out += "-1.000000";
            return;
        default:
            return;
    }
}

void append_field(const ScheduledJob& job, Column column, std::string& out) {
    switch (column) {
        case job_id:
            out += JobIdParts(job.id).name;
            return;
        case workload_name:
            out += JobIdParts(job.id).workload;
            return;
        case profile:
            out += job.profile;
            return;
        case submission_time:
            return job.submit.since_zero().append_to(out);
        case requested_number_of_resources:
            out += std::to_string(job.processors);
            return;
        case requested_time:
            return job.walltime.value_or(Duration::seconds(-1)).append_to(out);
        case success:
            out += job.success ? '1' : '0';
            return;
        case final_state:
            out += to_string(job.state);
            return;
        case metadata:
            out.append(1, '"').append(job.metadata).append(1, '"');
            return;
        default:
            if (job.execution) {
                append_field(job, *job.execution, column, out);
            }
    }
}

}  // namespace

Schedule parse_schedule(std::string_view text, const std::string& path) {
    Schedule schedule{path, {}};
    parse_csv(text, path, format, [&](const CsvRow& row) { schedule.jobs.push_back(read_job(row)); });
    return schedule;
}

Schedule read_schedule(const std::string& path) {
    Schedule schedule{path, {}};
    read_csv(path, format, [&](const CsvRow& row) { schedule.jobs.push_back(read_job(row)); });
    return schedule;
}

std::string schedule_csv_header() {
    std::string line;
    for (const Column column : written_order) {
        line.append(line.empty() ? "" : ",").append(column_names[column]);
    }
    return line + '\n';
}

void append_csv(const ScheduledJob& job, std::string& out) {
    for (const Column column : written_order) {
        if (column != written_order.front()) {
            out += ',';
        }
        append_field(job, column, out);
    }
    out += '\n';
}

}  // namespace batfill
