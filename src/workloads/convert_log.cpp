#include <algorithm>
#include <string>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "padded.hpp"
#include "src/support/files.hpp"

namespace batfill {

namespace {

// The word for periods of this length.
const char* name_of(Duration period) {
    return period == Duration::days(7) ? "week" : period == Duration::days(30) ? "month" : "period";
}

void write_header(const SwfLog& log, OutputFile& file) {
    for (const std::string& line : log.header) {
        file.write(line);
        file.write("\n");
    }
    file.close();
}

void write_schedule(const Schedule& schedule, OutputFile& file) {
    file.write(schedule_csv_header());
    std::string line;
    for (const ScheduledJob& job : schedule.jobs) {
        line.clear();
        append_csv(job, line);
        file.write(line);
    }
    file.close();
}

// "SP2" and week 7 give "SP2-week-007.json".
std::string file_name(const std::string& name, Duration period, std::size_t number) {
    const std::size_t digits = std::to_string(number).size();
    return name + '-' + name_of(period) + '-' + padded(number, std::max<std::size_t>(digits, 3)) + ".json";
}

void write_workloads(const ConvertedLog& result, const LogConversion& request) {
    const SwfLog& log = result.log;
    if (log.jobs.empty()) {
        throw InputError(log.path + ": expected lines of jobs, found only comments");
    }
    if (result.converted.workload.jobs.empty()) {
        throw InputError(log.path + ": expected jobs to keep, but all of its " + std::to_string(log.jobs.size()) +
                         " jobs are dropped");
    }
    if (!request.conversion.split) {
        write_workload(result.converted.workload, *request.output);
        return;
    }
    OutputFolder folder(*request.output);
    for (const SwfPeriod& period : result.periods) {
        const std::string name = file_name(request.name, request.conversion.split->period, period.number);
        write_workload(period.workload, folder.file(name));
    }
    folder.commit();
}

}  // namespace

ConvertedLog convert_log(const LogConversion& request) {
    SwfConversion conversion = request.conversion;
    ConvertedLog result;
    result.log = read_swf(request.log);
    if (request.count_from_first_job) {
        conversion.split->count_from_first_job(result.log);
    }
    result.converted = convert_swf(result.log, conversion);
    result.converted.workload.format = request.format;
    if (conversion.split) {
        result.periods = split_into_periods(result.converted.workload, *conversion.split);
    }
    OutputFiles beside;
    if (request.header) {
        write_header(result.log, beside.add(*request.header));
    }
    if (request.schedule) {
        result.schedule = schedule_of_log(result.converted);
        write_schedule(result.schedule->schedule, beside.add(*request.schedule));
    }
    if (request.output) {
        write_workloads(result, request);
    }
    beside.commit();
    return result;
}

}  // namespace batfill
