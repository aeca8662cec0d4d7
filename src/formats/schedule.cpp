#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include <batfill/formats/schedule.hpp>

#include "src/formats/job_id.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

// The columns that are read. The last three may be missing: Batsim 1 and 2 write no final_state, Batsim 1 no
// workload_name.
constexpr auto schedule_columns = std::to_array<std::string_view>(
    {"job_id", "submission_time", "requested_number_of_resources", "requested_time", "success", "starting_time",
     "execution_time", "finish_time", "waiting_time", "turnaround_time", "allocated_resources", "workload_name",
     "final_state", "stretch"});

// Names in Batsim 1 and 2, and in evalys.
constexpr auto aliases =
    std::to_array<ColumnAlias>({{"job_id", "jobID"},
                                {"requested_number_of_resources", "requested_number_of_processors"},
                                {"allocated_resources", "allocated_processors"}});

constexpr CsvFormat jobs_format = [] {
    CsvFormat jobs{"jobs.csv", "Batsim 4", schedule_columns, 3};
    jobs.aliases = aliases;
    return jobs;
}();

consteval std::size_t schedule_column(std::string_view name) {
    return place_in(schedule_columns, name);
}

int processors(const CsvRow& row) {
    const auto value = number_in<int>(row.text(schedule_column("requested_number_of_resources")));
    row.fail_if(!value || *value < 0, schedule_column("requested_number_of_resources"), "a number of processors");
    return *value;
}

// What a file without final_state says by its column success.
JobState state_by_success(const CsvRow& row, const ScheduledJob& job) {
    const auto length = row.optional_duration(schedule_column("execution_time"));
    if (job.success) {
        return JobState::completed_successfully;
    }
    if (!length) {
        return JobState::rejected;
    }
    return job.walltime && *length >= *job.walltime ? JobState::completed_walltime_reached : JobState::completed_failed;
}

JobState state_of(const CsvRow& row, const ScheduledJob& job) {
    if (!row.has(schedule_column("final_state"))) {
        return state_by_success(row, job);
    }
    const auto state = parse_job_state(row.text(schedule_column("final_state")));
    if (!state) {
        row.fail(schedule_column("final_state"), "one of " + known_job_states());
    }
    return *state;
}

std::optional<ExecutionRecord> execution(const CsvRow& row, JobState state) {
    const std::array<std::optional<Duration>, 5> times{row.optional_duration(schedule_column("starting_time")),
                                                       row.optional_duration(schedule_column("execution_time")),
                                                       row.optional_duration(schedule_column("finish_time")),
                                                       row.optional_duration(schedule_column("waiting_time")),
                                                       row.optional_duration(schedule_column("turnaround_time"))};
    const auto present = std::count_if(times.begin(), times.end(), [](const auto& time) { return time.has_value(); });
    if (times.size() == static_cast<std::size_t>(present)) {
        return ExecutionRecord{Time::at(*times[0]), *times[1], Time::at(*times[2]), *times[3], *times[4]};
    }
    const bool may_lack_all = !has_completed(state);
    const bool may_lack_some = is_unfinished(state);
    if (!may_lack_all || (present > 0 && !may_lack_some)) {
        row.fail(std::string(to_string(state)) + " with " + std::to_string(present) +
                 " of the 5 times from starting_time to turnaround_time");
    }
    return std::nullopt;
}

// None if the file has no such column or value, or "nan" as for a job that has not run.
std::optional<double> stretch_in(const CsvRow& row) {
    if (!row.has(schedule_column("stretch"))) {
        return std::nullopt;
    }
    const std::string_view text = row.text(schedule_column("stretch"));
    const auto value = number_in<double>(text);
    row.fail_if(!text.empty() && !value, schedule_column("stretch"), "a number");
    return value && std::isfinite(*value) ? value : std::nullopt;
}

// In a file without workload_name, an id may have the workload's name before '!', which is w0 otherwise.
std::string id_of(const CsvRow& row) {
    if (row.has(schedule_column("workload_name"))) {
        return row.job(schedule_column("workload_name"), schedule_column("job_id"));
    }
    const std::string_view id = row.text(schedule_column("job_id"));
    row.fail_if(id.empty(), schedule_column("job_id"), "a name");
    return id.find('!') == std::string_view::npos ? "w0!" + std::string(id) : std::string(id);
}

// What is wrong with the times of a job that cannot have happened (TakenJobs::possible), as a predicate; else empty.
std::string impossibility_of(const ScheduledJob& job) {
    constexpr Duration rounding = Duration::microseconds(1000);
    const std::optional<ExecutionRecord>& times = job.execution;
    if (job.state == JobState::rejected && times) {
        return "is REJECTED and has times, expected none";
    }
    if (!job.finished()) {
        return {};
    }
    if (times->length < Duration()) {
        return "has an execution_time of " + times->length.to_shortest_string() + ", expected at least 0";
    }
    if (times->start + rounding < job.submit) {
        return "starts at " + times->start.since_zero().to_shortest_string() +
               ", expected at or after its submission at " + job.submit.since_zero().to_shortest_string();
    }
    if (times->finish + rounding < times->start) {
        return "finishes at " + times->finish.since_zero().to_shortest_string() +
               ", expected at or after its start at " + times->start.since_zero().to_shortest_string();
    }
    return {};
}

// What a tasks.csv says, by job.
using CoresOfJobs = std::unordered_map<std::string, Shared<std::vector<Amount>>>;  // only looked up

// The tasks.csv beside a jobs.csv, plain or gzipped. Empty: there is none.
CoresOfJobs cores_beside(const std::string& path) {
    CoresOfJobs result;
    std::string prefix = path.substr(0, path.size() - (path.ends_with(".gz") ? 3 : 0));
    constexpr std::string_view ending = "jobs.csv";
    if (!prefix.ends_with(ending)) {
        return result;
    }
    prefix.resize(prefix.size() - ending.size());
    for (const std::string& file : {prefix + "tasks.csv", prefix + "tasks.csv.gz"}) {
        if (!std::filesystem::is_regular_file(file)) {
            continue;
        }
        const std::vector<HostCores> rows = read_host_cores(file);
        for (auto row = rows.begin(); row != rows.end();) {
            const auto end =
                std::find_if(row, rows.end(), [&](const auto& other) { return other.job_id != row->job_id; });
            std::vector<Amount> cores;
            std::transform(row, end, std::back_inserter(cores), [](const HostCores& one) { return one.cores; });
            result.emplace(row->job_id, std::move(cores));
            row = end;
        }
        return result;
    }
    return result;
}

ScheduledJob read_job(const CsvRow& row, TakenJobs taken, const CoresOfJobs& cores) {
    ScheduledJob job;
    job.id = id_of(row);
    job.submit = row.time(schedule_column("submission_time"));
    job.processors = processors(row);
    job.walltime = row.optional_duration(schedule_column("requested_time"));
    if (job.walltime && *job.walltime < Duration()) {
        job.walltime.reset();
    }
    const std::string_view success = row.text(schedule_column("success"));
    job.success = success == "1" || success == "True";  // pandas writes True
    row.fail_if(!job.success && success != "0" && success != "False", schedule_column("success"), "0 or 1");
    job.state = state_of(row, job);
    job.execution = execution(row, job.state);
    job.stretch = stretch_in(row);
    std::optional<ResourceSet> allocation = ResourceSet::parse(row.text(schedule_column("allocated_resources")));
    row.fail_if(!allocation, schedule_column("allocated_resources"), "host numbers like 0-3 7");
    job.allocation = std::move(*allocation);
    if (const auto found = cores.find(job.id); found != cores.end()) {
        job.cores = found->second;
    }
    if (taken == TakenJobs::possible) {
        if (const std::string problem = impossibility_of(job); !problem.empty()) {
            row.fail("job " + shown(job.id) + ' ' + problem);
        }
    }
    return job;
}

// Appends the columns that only an executed job fills, starting_time to consumed_energy, each after a comma.
void append_execution(const ScheduledJob& job, std::string& out) {
    if (!job.execution) {
        out += ",,,,,,,,";
        return;
    }
    const ExecutionRecord& execution = *job.execution;
    for (const Duration time : {execution.start.since_zero(), execution.length, execution.finish.since_zero(),
                                execution.wait, execution.turnaround}) {
        out += ',';
        time.append_to(out);
    }
    out += ',';
    append_rounded(stretch_of(execution), 6, out);
    out += ',';
    job.allocation.append_to(out);
    out += ",-1.000000";  // Batsim writes this if nobody measured the energy
}

}  // namespace

double stretch_of(const ExecutionRecord& execution) {
    return static_cast<double>(static_cast<long double>(execution.turnaround.count()) /
                               static_cast<long double>(execution.length.count()));
}

Schedule read_schedule(const std::string& path, std::optional<std::string_view> text, TakenJobs taken) {
    Schedule schedule{path, {}};
    schedule.jobs.reserve(text ? 0 : estimated_lines(path));
    const CoresOfJobs cores = text ? CoresOfJobs() : cores_beside(path);
    read_csv(
        path, jobs_format, [&](const CsvRow& row) { schedule.jobs.push_back(read_job(row, taken, cores)); }, text);
    return schedule;
}

void read_schedule(const std::string& path, const std::function<void(ScheduledJob&&)>& use, TakenJobs taken) {
    const CoresOfJobs cores = cores_beside(path);
    read_csv(path, jobs_format, [&](const CsvRow& row) { use(read_job(row, taken, cores)); });
}

std::string schedule_csv_header() {
    return "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
           "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
           "consumed_energy,metadata\n";
}

void append_csv(const ScheduledJob& job, std::string& out, JobsFile file) {
    const JobIdParts id(job.id);
    const std::string profile =
        file == JobsFile::batsim5 ? std::string(id.workload) + '!' + job.profile.text() : std::string();
    for (const std::string_view text :
         {id.name, id.workload, profile.empty() ? std::string_view(job.profile) : std::string_view(profile)}) {
        append_csv_field(text, out);
        out += ',';
    }
    job.submit.since_zero().append_to(out);
    std::array<char, 16> processors{','};
    char* const end = std::to_chars(processors.begin() + 1, processors.end() - 1, job.processors).ptr;
    *end = ',';
    out.append(processors.data(), static_cast<std::size_t>(end + 1 - processors.data()));
    job.walltime.value_or(Duration::seconds(-1)).append_to(out);
    out.append(job.success ? ",1," : ",0,").append(to_string(job.state));
    append_execution(job, out);
    out += ',';
    if (file == JobsFile::batsim4) {
        append_csv_text(job.metadata, out);  // Batsim always quotes it
    }
    out += '\n';
}

}  // namespace batfill
