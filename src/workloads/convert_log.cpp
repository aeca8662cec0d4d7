#include <algorithm>
#include <string>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "job_maker.hpp"
#include "padded.hpp"
#include "src/formats/workload_writer.hpp"
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

void require_jobs(const ConvertedLog& result) {
    const SwfLog& log = result.log;
    if (log.jobs.empty()) {
        throw InputError(log.path + ": expected lines of jobs, found " +
                         (log.left_out.empty() ? "only comments" : "none to keep"));
    }
    if (result.summary.kept == 0) {
        throw InputError(log.path + ": expected jobs to keep, but all of its " + std::to_string(log.jobs.size()) +
                         " jobs are dropped");
    }
}

void write_periods(const ConvertedLog& result, const LogConversion& request) {
    OutputFolder folder(*request.output);
    for (const SwfPeriod& period : result.periods) {
        const std::string name = file_name(request.name, request.conversion.split->period, period.number);
        write_workload(period.workload, folder.file(name));
    }
    folder.commit();
}

void write_jobs(const SwfSelection& selection, JobMaker& maker, const LogConversion& request) {
    OutputFile file(*request.output);
    Workload frame = maker.frame();
    frame.format = request.format;
    WorkloadWriter writer(std::move(frame), [&file](std::string_view piece) { file.write(piece); });
    for (const KeptJob& kept : selection.kept) {
        writer.add(maker.make(kept));
    }
    writer.finish(maker.take_profiles());
    file.commit();
}

// The jobs of the whole log in memory, as periods and the schedule of the log need them.
void use_all_jobs(ConvertedLog& result, const LogConversion& request, const std::optional<SwfSplit>& split,
                  SwfWorkload converted, OutputFiles& beside) {
    converted.workload.format = request.format;
    if (split) {
        result.periods = split_into_periods(converted.workload, *split, converted.summary.scaled);
    }
    if (request.schedule) {
        result.schedule = schedule_of_log(converted);
        write_schedule(result.schedule->schedule, beside.add(*request.schedule));
    }
}

}  // namespace

ConvertedLog convert_log(const LogConversion& request) {
    SwfConversion conversion = request.conversion;
    ConvertedLog result;
    result.log = request.accounting ? read_accounting(*request.accounting) : read_swf(request.log);
    if (request.count_from_first_job) {
        conversion.split->count_from_first_job(result.log);
    }
    const SwfSelection selection = select_jobs(result.log, conversion);
    JobMaker maker(selection, conversion);
    result.summary = maker.summary();
    OutputFiles beside;
    if (request.header) {
        write_header(result.log, beside.add(*request.header));
    }
    if (conversion.split || request.schedule) {
        use_all_jobs(result, request, conversion.split, convert(selection, maker), beside);
    }
    if (request.output) {
        require_jobs(result);
        conversion.split ? write_periods(result, request) : write_jobs(selection, maker, request);
    }
    beside.commit();
    return result;
}

}  // namespace batfill
