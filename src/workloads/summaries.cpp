#include "src/workloads/summaries.hpp"

#include <algorithm>
#include <bit>
#include <iomanip>
#include <ostream>

#include <batfill/core/error.hpp>

#include "src/formats/host_amounts.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/command_line.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

using Counts = std::vector<RuleCount>;

void print_counts(const std::string& title, const Counts& counts, std::ostream& out) {
    out << '\n' << title << '\n';
    for (const auto& [what, jobs] : counts) {
        out << "  " << std::left << std::setw(66) << one_line(what) << ' ' << std::right << std::setw(10) << jobs
            << '\n';
    }
}

void print_periods(const std::vector<SwfPeriod>& periods, std::ostream& out) {
    if (periods.empty()) {
        return;
    }
    const std::size_t all = periods.back().number - periods.front().number + 1;
    const auto [least, most] = std::minmax_element(
        periods.begin(), periods.end(),
        [](const SwfPeriod& a, const SwfPeriod& b) { return a.workload.jobs.size() < b.workload.jobs.size(); });
    out << "Periods: " << periods.front().number << " to " << periods.back().number << ", " << all - periods.size()
        << " of them without jobs and without a file; " << least->workload.jobs.size() << " to "
        << most->workload.jobs.size() << " jobs in the others\n";
}

void print_bad_rows(const std::vector<BadRows>& bad_rows, std::ostream& out) {
    if (!bad_rows.empty()) {
        out << "\nRows that cannot be read, the first of each kind\n";
    }
    for (const auto& [first, rows] : bad_rows) {
        out << "  " << one_line(first) << " (rows of this kind: " << rows << ")\n";
    }
}

// "20:cores=64,gpus=4,partition=gpu", as `batfill platform --group` takes it.
std::string group_text(const HostsOfLog& hosts) {
    std::string text;
    for (const auto& [name, amount] : hosts.capacity) {
        text += (text.empty() ? "" : ",") + name + '=' + std::to_string(amount);
    }
    for (const std::string_view partition : partitions_in(hosts.partition)) {
        text.append(partition.empty() ? "" : text.empty() ? "partition=" : ",partition=").append(partition);
    }
    return std::to_string(hosts.widest) + (text.empty() ? "" : ":") + text;
}

// The options that describe what the machine must have had.
Arguments options_of_machine(const ConversionSummary& summary) {
    MachineDetails details;
    details.pools = summary.pools;
    if (summary.hosts && !summary.hosts->capacity.empty()) {
        details.capacity = capacity_text(summary.hosts->capacity);
    }
    return arguments_of(details);
}

void print_hosts(const ConversionSummary& summary, std::ostream& out) {
    if (const Arguments options = options_of_machine(summary); !options.empty()) {
        out << "The machine had at least " << command_line(options) << '\n';
    }
    if (summary.partitions.empty()) {
        return;
    }
    if (!summary.hosts) {
        std::vector<std::string> names;
        for (const HostsOfLog& hosts : summary.partitions) {
            if (!hosts.partition.empty()) {
                names.push_back(hosts.partition + " (widest job: " + std::to_string(hosts.widest) + ')');
            }
        }
        out << "Partitions: " << one_line(list_of(names))
            << "; `batfill platform --group N:partition=NAME` makes such a machine\n";
        return;
    }
    out << "Partitions, each with the hosts of its widest job, for `batfill platform`:\n";
    for (const HostsOfLog& hosts : summary.partitions) {
        out << "  " << command_line({"--group", group_text(hosts)}) << '\n';
    }
}

// The machine that the user gave.
void print_given(const GivenMachine& given, const ConversionSummary& summary, std::ostream& out) {
    constexpr std::size_t most_groups = 10;
    constexpr std::size_t most_names = 3;
    out << "Machine: " << counted(given.hosts, "host") << " of " << one_line(given.path) << " (" << given.kind << ")\n";
    for (std::size_t i = 0; i < std::min(given.groups.size(), most_groups); ++i) {
        const auto& [capacity, partitions, hosts] = given.groups[i];
        out << "  " << counted(hosts, "host") << ": " << (capacity.empty() ? "no capacity" : one_line(capacity))
            << (partitions.empty() ? "" : "; partitions " + one_line(partitions)) << '\n';
    }
    if (given.groups.size() > most_groups) {
        out << "  and " << counted(given.groups.size() - most_groups, "more kind") << " of hosts\n";
    }
    for (const auto& [what, hosts] : given.notes) {
        out << "  " << one_line(what) << " (" << counted(hosts, "host") << ")\n";
    }
    if (!given.open_queues.empty()) {
        out << "Queues of the log that no host names, on the hosts without a queue: "
            << one_line(enumeration(given.open_queues)) << '\n';
    }
    if (const std::vector<std::string>& missing = given.missing_hosts; !missing.empty()) {
        const std::size_t shown = std::min(missing.size(), most_names);
        out << "Hosts that the log names and the machine lacks: "
            << one_line(list_of({missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown)}));
        if (missing.size() > shown) {
            out << " and " << missing.size() - shown << " more";
        }
        out << '\n';
    }
    MachineDetails details;
    details.pools = summary.pools;
    if (const Arguments options = arguments_of(details); !options.empty()) {
        out << "The machine had at least " << command_line(options) << '\n';
    }
}

bool has_large_ratio(const ConversionSummary& summary) {
    return summary.allocated_ratio >= large_allocated_ratio;
}

void print_balances(const ConversionSummary& summary, std::ostream& out) {
    if (summary.balances.empty()) {
        return;
    }
    const auto line = [&](const std::string& what, double amount_seconds, const char* sign) {
        constexpr double hour = 3600;
        out << "  " << std::left << std::setw(66) << one_line(what) << ' ' << std::right << std::setw(10)
            << (amount_seconds > 0 ? sign : "") + rounded(amount_seconds / hour, 1) << '\n';
    };
    out << "\nWhat jobs have of their hosts, times their run times in hours\n";
    for (const AmountBalance& balance : summary.balances) {
        const std::string name = balance.name + (balance.name == "memory" ? " (MiB)" : "");
        line(name + " in the log", balance.of_log, "");
        for (const AmountBalance::Change& change : balance.changes) {
            line("  " + change.why, change.amount_seconds, "+");
        }
        line(name + " in the workload", balance.of_workload, "");
    }
}

void print_limits(const ConvertedLimits& limits, std::ostream& out) {
    out << "\nLimits: " << counted(limits.kept, "line") << '\n';
    for (const auto& [what, why] : limits.left_out) {
        out << "  left out: " << one_line(what) << " (" << why << ")\n";
    }
}

void print_table(const ConvertedLog& result, std::ostream& out) {
    const auto& [log, summary, periods, schedule, machine, given, workload, limits] = result;
    out << one_line(log.path) << ": " << log.jobs.size() << " jobs\n";
    if (!log.zero.empty()) {
        out << "Time 0: " << one_line(log.zero) << '\n';
    }
    print_counts("In the log, before cleaning", count_anomalies(log), out);
    print_counts("Dropped, by the first rule that holds", summary.dropped, out);
    print_counts("Kept", {{"jobs", summary.kept}}, out);
    if (!summary.noted.empty()) {
        print_counts("Among these", summary.noted, out);
    }
    if (!summary.columns.empty()) {
        print_counts("Fields of these jobs, and the columns that have them", summary.columns, out);
    }
    if (summary.conditions) {
        print_counts("Conditions of these jobs",
                     summary.conditions->empty() ? Counts{{"kept", 0}} : *summary.conditions, out);
    }
    print_balances(summary, out);
    print_bad_rows(log.bad_rows, out);
    out << (summary.hosts ? "\nHosts: " : "\nProcessors: ") << summary.processors << " (" << summary.processors_from
        << ")\n";
    given ? print_given(*given, summary, out) : print_hosts(summary, out);
    if (!machine.empty()) {
        out << "Platform: " << machine << '\n';
    }
    if (limits) {
        print_limits(*limits, out);
    }
    if (summary.scaled) {
        out << "Offered load: " << rounded(summary.scaled->before, 4) << " in the log, "
            << rounded(summary.scaled->after, 4) << " with the gaps between submissions times "
            << rounded(summary.scaled->factor(), 4) << '\n';
    }
    if (has_large_ratio(summary)) {
        out << "The kept jobs were allocated " << rounded(*summary.allocated_ratio, 1)
            << " times the processor time that they requested; --size allocated makes the workload of the allocation.\n";
    }
    print_periods(periods, out);
    if (log.field("Copyright")) {
        out << "The log's header has a copyright notice; keep it with what you make of the log (--header FILE).\n";
    }
    if (!schedule) {
        return;
    }
    out << "Schedule of the log: " << schedule->schedule.jobs.size() << " jobs, at most " << schedule->most_in_use
        << " of " << summary.processors
        << (log.counts_hosts ? " hosts held at once, where each counts once for each job on it"
                             : " processors in use at once");
    if (schedule->unknown_waits > 0) {
        out << "; left out, as their wait is unknown: " << schedule->unknown_waits;
    }
    out << '\n';
}

void write_counts(JsonWriter& json, const char* key, const Counts& counts) {
    json.key(key).objects(counts, [&](const RuleCount& count) {
        json.key("what").text(count.what);
        json.key("jobs").integer(count.jobs);
    });
}

void write_given(const GivenMachine& given, JsonWriter& json) {
    json.key("machine").open_object();
    json.key("file").text(given.path);
    json.key("from").text(given.kind);
    json.key("hosts").integer(given.hosts);
    json.key("groups").objects(given.groups, [&](const GivenMachine::HostsAlike& group) {
        json.key("hosts").integer(group.hosts);
        json.key("capacity").text(group.capacity);
        json.key("partitions").text(group.partitions);
    });
    json.key("notes").objects(given.notes, [&](const auto& note) {
        json.key("what").text(note.first);
        json.key("hosts").integer(note.second);
    });
    json.key("open_queues").texts(given.open_queues);
    json.key("missing_hosts").texts(given.missing_hosts);
    json.close_object();
}

void print_json(const ConvertedLog& result, std::ostream& out) {
    const auto& [log, summary, periods, schedule, machine, given, workload, limits] = result;
    JsonWriter json(2);
    json.open_object();
    json.key("log").text(log.path);
    json.key("jobs").integer(log.jobs.size());
    json.member_if_any("zero", log.zero);
    write_counts(json, "anomalies", count_anomalies(log));
    write_counts(json, "dropped", summary.dropped);
    json.key("kept").integer(summary.kept);
    write_counts(json, "noted", summary.noted);
    if (!summary.columns.empty()) {
        write_counts(json, "columns", summary.columns);
    }
    if (summary.conditions) {
        json.key("conditions").objects(*summary.conditions, [&](const RuleCount& count) {
            json.key("what").text(count.what);
            json.key("conditions").integer(count.jobs);
        });
    }
    if (!summary.balances.empty()) {
        json.key("amounts").objects(summary.balances, [&](const AmountBalance& balance) {
            json.key("name").text(balance.name);
            json.key("amount_seconds_of_log").number(balance.of_log);
            json.key("changes").objects(balance.changes, [&](const AmountBalance::Change& change) {
                json.key("why").text(change.why);
                json.key("amount_seconds").number(change.amount_seconds);
            });
            json.key("amount_seconds_of_workload").number(balance.of_workload);
        });
    }
    if (!log.bad_rows.empty()) {
        json.key("bad_rows").objects(log.bad_rows, [&](const BadRows& bad) {
            json.key("first").text(bad.first);
            json.key("rows").integer(bad.rows);
        });
    }
    json.key("processors").integer(summary.processors);
    json.key("processors_from").text(summary.processors_from);
    if (summary.hosts) {
        json.key("capacity").text(capacity_text(summary.hosts->capacity));
    }
    if (!summary.pools.empty()) {
        json.key("pools").integers(summary.pools);
    }
    json.member_if_any("platform", machine);
    if (given) {
        write_given(*given, json);
    }
    if (limits) {
        json.key("limits").open_object();
        json.key("lines").integer(limits->kept);
        json.key("left_out").objects(limits->left_out, [&](const auto& one) {
            json.key("what").text(one.first);
            json.key("why").text(one.second);
        });
        json.close_object();
    }
    if (!summary.partitions.empty()) {
        json.key("partitions").objects(summary.partitions, [&](const HostsOfLog& hosts) {
            json.key("name").text(hosts.partition);
            json.key("jobs").integer(hosts.jobs);
            json.key("widest").integer(hosts.widest);
            json.key("capacity").text(capacity_text(hosts.capacity));
        });
    }
    if (summary.scaled) {
        json.key("load").open_object();
        json.key("before").number(summary.scaled->before);
        json.key("after").number(summary.scaled->after);
        json.key("factor").number(summary.scaled->factor());
        json.close_object();
    }
    if (has_large_ratio(summary)) {
        json.key("allocated_over_requested").number(*summary.allocated_ratio);
    }
    json.key("periods").objects(periods, [&](const SwfPeriod& period) {
        json.key("number").integer(period.number);
        json.key("jobs").integer(period.workload.jobs.size());
    });
    json.close_object();
    out << json.written() << '\n';
}

// The share of the jobs for which `holds`, in per cent.
std::string share_of(const std::vector<WorkloadJob>& jobs, auto holds) {
    const auto count = static_cast<double>(std::ranges::count_if(jobs, holds));
    return rounded(100 * (count / static_cast<double>(jobs.size())), 1) + " %";
}

}  // namespace

void print_conversion(const ConvertedLog& converted, bool as_json, std::ostream& out) {
    as_json ? print_json(converted, out) : print_table(converted, out);
}

ConvertedLog convert_and_print(const LogConversion& request, bool as_json, std::ostream& out) {
    try {
        ConvertedLog converted = convert_log(request);
        print_conversion(converted, as_json, out);
        return converted;
    } catch (const NothingKept& nothing) {
        print_conversion(nothing.converted(), as_json, out);
        throw;
    }
}

std::string warning_of_misfits(const ConversionSummary& summary) {
    constexpr double from = 0.01;
    return summary.misfits < from ? std::string()
                                  : "the jobs that do not fit on the machine, and are left out, had " +
                                        rounded(100 * summary.misfits, 1) + " % of the hosts' time";
}

std::string warning_of_conditions(const ConversionSummary& summary) {
    if (summary.never_ok == 0) {
        return {};
    }
    return counted(summary.never_ok, "condition") +
           " 'ok' on jobs that run until their walltime, which is no success: whoever waits for them is rejected; "
           "--short-estimates believe lets just jobs end that ran longer than they requested";
}

void print_drawn_deadlines(const DrawnDeadlines& drawn, Duration floor, const std::string& factor,
                           const std::string& name, std::ostream& out) {
    out << one_line(name) << ": " << drawn.drawn << " of " << drawn.jobs << " jobs drawn, due after "
        << floor.to_shortest_string() << " s: " << drawn.at_floor << ", after " << factor
        << " walltimes: " << drawn.drawn - drawn.at_floor
        << " (without walltime, not drawn: " << drawn.jobs - drawn.with_walltime
        << "; deadlines removed: " << drawn.replaced << ")\n";
}

void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out) {
    const std::vector<WorkloadJob>& jobs = farm.workload.jobs;
    const auto per_cent = [&](auto holds) {
        const auto count = static_cast<double>(std::count_if(jobs.begin(), jobs.end(), holds));
        return rounded(100 * count / static_cast<double>(jobs.size()), 1) + " %";
    };
    out << one_line(platform_name) << ": " << model.machines << " machines with " << farm.workload.processors
        << " processors, " << model.licenses << " licences\n"
        << one_line(workload_name) << ": " << jobs.size() << " jobs, submitted over "
        << jobs.back().description.submit.since_zero().to_shortest_string() << " s\n"
        << "offered load " << rounded(offered_load(farm.workload), 4) << ", jobs with a deadline "
        << per_cent([](const WorkloadJob& job) { return job.description.deadline.has_value(); }) << ", with licences "
        << per_cent([](const WorkloadJob& job) { return !job.description.licenses.empty(); }) << '\n';
}

void print_shared_hosts(const Workload& workload, const SharedHostsModel& model, const std::string& name,
                        std::ostream& out) {
    const double days = workload.jobs.back().description.submit.to_seconds() / Duration::days(1).to_seconds();
    out << one_line(name) << ": " << workload.jobs.size() << " jobs, submitted over " << rounded(days, 2)
        << " days\noffered load of the cores " << rounded(offered_load(counted_in_cores(workload, model.cores)), 4)
        << ", whole hosts " << share_of(workload.jobs, [](const WorkloadJob& job) { return !job.description.needs; })
        << ", several hosts "
        << share_of(workload.jobs, [](const WorkloadJob& job) { return job.description.processors > 1; })
        << "\nmachine: -p " << model.hosts << " --capacity " << capacity_of(model) << '\n';
}

void print_lublin_workload(const Workload& workload, const std::string& name, std::ostream& out) {
    const auto is_power_of_two = [](const WorkloadJob& job) {
        return std::has_single_bit(static_cast<unsigned>(job.description.processors));
    };
    const double days = workload.jobs.back().description.submit.to_seconds() / Duration::days(1).to_seconds();
    out << one_line(name) << ": " << workload.jobs.size() << " jobs for " << workload.processors
        << " processors, submitted over " << rounded(days, 2) << " days\noffered load "
        << rounded(offered_load(workload), 4) << ", serial jobs "
        << share_of(workload.jobs, [](const WorkloadJob& job) { return job.description.processors == 1; })
        << ", sizes that are powers of two " << share_of(workload.jobs, is_power_of_two) << '\n';
}

}  // namespace batfill
