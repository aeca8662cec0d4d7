#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/slurm_limits.hpp"
#include "src/formats/workload_writer.hpp"
#include "src/support/calendar.hpp"
#include "src/support/files.hpp"
#include "src/support/text.hpp"
#include "src/workloads/given_machine.hpp"
#include "src/workloads/logged_machine.hpp"
#include "src/workloads/swf_selection.hpp"

namespace batfill {

namespace {

void write_header(const SwfLog& log, OutputFile& file) {
    for (const std::string& line : log.header) {
        file.write(line + '\n');
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

void write_periods(const ConvertedLog& result, const LogConversion& request) {
    OutputFolder folder(*request.output);
    const Duration length = request.conversion.split->period;
    const std::string kind = length == Duration::days(7) ? "week" : length == Duration::days(30) ? "month" : "period";
    for (const SwfPeriod& period : result.periods) {
        // "SP2" and week 7 give "SP2-week-007.json".
        const std::size_t digits = std::max<std::size_t>(std::to_string(period.number).size(), 3);
        write_workload(period.workload,
                       folder.file(request.name + '-' + kind + '-' + padded(period.number, digits) + ".json"));
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

// Replaces dates by instants of the log's clock.
void resolve_dates(const SwfLog& log, const LogConversion& request, SwfConversion& conversion) {
    TimeZone zone(request.time_zone.empty() ? log.time_zone : request.time_zone);
    const auto resolve = [&](const std::optional<std::string>& date, std::optional<Duration>& instant) {
        if (!date) {
            return;
        }
        const std::optional<Instant> read = read_date(*date, DateOrder::year_month_day, zone);
        refuse_if(!read,
                  [&] { return "expected a date such as 2024-03-01 or 2024-03-01 12:00:00, found '" + *date + "'"; });
        if (!log.origin) {
            throw InputError(log.path + ": nobody knows when this log begins (no UnixStartTime): expected seconds of " +
                             "its clock, found the date " + *date);
        }
        instant = read->first - log.origin->since_1970;
    };
    resolve(request.from_date, conversion.from);
    resolve(request.until_date, conversion.until);
    if (conversion.split && request.from_date) {
        conversion.split->begin = *conversion.from;
    }
}

// Throws: NothingKept, which takes the result, or InputError if there is nothing to tell of the log.
void require_kept_or_tell(ConvertedLog& result) {
    try {
        require_kept_jobs(result.log, result.summary);
    } catch (const InputError& problem) {
        if (result.log.jobs.empty() && result.log.left_out.empty()) {
            throw;
        }
        throw NothingKept(problem.what(), std::move(result));
    }
}

// Writes the machine that the user gave as a platform, if that is wanted.
void write_given(const JobsOnMachine& given, const LogConversion& request, ConvertedLog& result, OutputFiles& beside) {
    if (request.platform) {
        result.machine = counted(given.summary().hosts, "host") + " of " + given.summary().path;
        beside.add(*request.platform).write(platform_text(given.platform_with(result.summary.pools), result.machine));
    }
}

// Leaves out limits of fields and amounts that no job of the log has. They limit nobody, and a machine with what the
// jobs take does not know their names.
void leave_out_limits_of_nobody(const SwfLog& log, SlurmLimits& limits) {
    std::set<std::string> amounts{"jobs", "processors"};
    for (const LoggedNeeds& needs : log.needs) {
        for (const auto& [name, amount] : needs.stated.per_host.value_or(StatedNeeds::Amounts())) {
            amounts.insert(name);
        }
        for (const auto& [name, amount] : needs.stated.pools) {
            amounts.insert(name);
        }
    }
    const auto is_in_jobs = [&](const std::string& field) {
        if (field == "user" || field == "queue") {
            return !(field == "user" ? log.users : log.queues).empty();
        }
        for (std::size_t i = 0; i < log.other_fields.size(); ++i) {
            if (log.other_fields[i].find('"' + field + "\":") != std::string_view::npos) {
                return true;
            }
        }
        return false;
    };
    const auto leave_out = [&](const Limit& limit, const std::string& why) {
        std::string text;
        append_json(limit, text);
        limits.left_out.push_back({text.substr(0, text.size() - 1), why});
    };
    std::map<std::string, bool> known;
    std::erase_if(limits.kept, [&](Limit& limit) {
        for (const std::string& field : limit.of) {
            const auto [found, is_new] = known.try_emplace(field, false);
            found->second = is_new ? is_in_jobs(field) : found->second;
            if (!found->second) {
                leave_out(limit, "no job has the field " + field);
                return true;
            }
        }
        std::erase_if(limit.most, [&](const auto& one) {
            const bool is_left_out = !amounts.contains(one.first);
            if (is_left_out) {
                leave_out({limit.of, limit.values, {one}, 0}, "no job takes any of it");
            }
            return is_left_out;
        });
        return limit.most.empty();
    });
}

// Writes the limits of Slurm.
void write_limits(const LogConversion& request, ConvertedLog& result, OutputFiles& beside) {
    if (!request.limits) {
        return;
    }
    SlurmLimits limits = read_slurm_limits(request.qos_dump, request.assoc_dump, result.log.read_fields,
                                           request.accounting && request.accounting->counts_nodes);
    leave_out_limits_of_nobody(result.log, limits);
    std::string text;
    for (const Limit& limit : limits.kept) {
        append_json(limit, text);
    }
    beside.add(*request.limits).write(text);
    ConvertedLimits& said = result.limits.emplace();
    said.kept = limits.kept.size();
    for (auto& [what, why] : limits.left_out) {
        said.left_out.emplace_back(std::move(what), std::move(why));
    }
}

}  // namespace

std::string reasons_of(const std::vector<RuleCount>& dropped) {
    std::string text;
    for (const auto& [what, jobs] : dropped) {
        if (jobs > 0) {
            text += (text.empty() ? "" : ", ") + std::to_string(jobs) + " (" + what + ")";
        }
    }
    return text.empty() ? "none" : text;
}

void require_kept_jobs(const SwfLog& log, const ConversionSummary& summary) {
    if (summary.kept > 0) {
        return;
    }
    const std::string reasons = ": " + reasons_of(summary.dropped);
    refuse_if<InputError>(!log.jobs.empty(), log.path, ": expected jobs to keep, but all of its ", log.jobs.size(),
                          " jobs are dropped", reasons);
    throw InputError(log.path + ": expected lines of jobs, found " +
                     (log.left_out.empty() ? "only comments" : "none to keep" + reasons) +
                     (log.bad_rows.empty() ? "" : "; " + log.bad_rows.front().first));
}

SwfLog read_log(const LogConversion& request) {
    return request.accounting ? read_accounting(*request.accounting) : read_swf(request.log, request.fields);
}

ConvertedLog convert_log(const LogConversion& request) {
    SwfConversion conversion = request.conversion;
    ConvertedLog result;
    std::optional<JobsOnMachine> given;
    if (request.machine) {
        given.emplace(*request.machine);
        conversion.processors = given->hosts();
    }
    result.log = read_log(request);
    if (result.log.origin && !request.time_zone.empty()) {
        result.log.origin->time_zone = request.time_zone;
    }
    resolve_dates(result.log, request, conversion);
    if (request.count_from_first_job) {
        conversion.split->count_from_first_job(result.log);
    }
    SwfSelection selection = select_jobs(result.log, conversion);
    double misfits = 0;
    if (given) {
        misfits = given->drop_misfits(selection, conversion);
        result.given = given->summary();
    }
    OutputFiles beside;
    StatedNeeds::Amounts capacity;
    bool sizes_by_platform = false;
    if (request.platform && !given && !selection.kept.empty()) {
        const ConversionSummary summary = JobMaker(selection, conversion).summary();
        MachineOfLog machine = machine_of_log(selection, conversion, summary);
        result.machine = machine.description;
        capacity = std::move(machine.capacity);
        sizes_by_platform = !summary.processors_are_known;
        if (sizes_by_platform) {
            conversion.processors = static_cast<int>(machine.platform.hosts.size());
        }
        if (machine.is_of_named_hosts && result.log.counts_hosts) {
            misfits = drop_misfits(machine.platform, selection, conversion, "the log names no host of partition ");
        }
        OutputFile& file = beside.add(*request.platform);
        file.write(platform_text(machine.platform, result.machine));
    }
    JobMaker maker(selection, conversion);
    result.summary = maker.summary();
    result.summary.misfits = misfits;
    if (sizes_by_platform) {
        result.summary.processors_from = "those of the platform";
    }
    if (given) {
        result.summary.processors_from = "those of " + *request.machine;
        write_given(*given, request, result, beside);
    }
    if (result.summary.hosts && !capacity.empty()) {
        result.summary.hosts->capacity = std::move(capacity);
    }
    write_limits(request, result, beside);
    if (request.header) {
        write_header(result.log, beside.add(*request.header));
    }
    if (conversion.split || request.schedule || request.keeps_workload) {
        SwfWorkload converted = convert(selection, maker);
        converted.workload.format = request.format;
        if (conversion.split) {
            result.periods = split_into_periods(converted.workload, *conversion.split, converted.summary.scaled);
        }
        if (request.schedule) {
            result.schedule = schedule_of_log(converted);
            write_schedule(result.schedule->schedule, beside.add(*request.schedule));
        }
        if (request.keeps_workload && !conversion.split) {
            result.workload = std::move(converted);
        }
    }
    if (request.output) {
        require_kept_or_tell(result);
        conversion.split ? write_periods(result, request) : write_jobs(selection, maker, request);
    }
    beside.commit();
    return result;
}

}  // namespace batfill
