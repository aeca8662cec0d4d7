#include <algorithm>
#include <limits>
#include <map>

#include <batfill/core/error.hpp>

#include "src/formats/host_amounts.hpp"
#include "src/formats/job_times.hpp"
#include "src/workloads/swf_selection.hpp"

namespace batfill {

namespace {

constexpr const char* pool_of_memory = "memory";

// Counts `what` once more.
void count(std::vector<RuleCount>& counts, const char* what) {
    const auto known = std::ranges::find(counts, what, &RuleCount::what);
    ++(known != counts.end() ? *known : counts.emplace_back(RuleCount{what, 0})).jobs;
}

void add_columns(const SwfSelection& selection, ConversionSummary& summary) {
    const SwfLog& log = *selection.log;
    if (log.ids.empty()) {
        for (const KeptJob& kept : selection.kept) {
            if (log.read_fields.partition && kept.job->partition > 0) {
                count(summary.columns, "partition: column 16");
            }
            if (log.read_fields.memory_pool && kept.job->requested_memory > 0) {
                count(summary.columns, "memory of the pool: column 10");
            }
            if (kept.job->conditions > 0) {
                count(summary.columns, "after: columns 17 and 18");
            }
        }
        std::ranges::sort(summary.columns, {}, &RuleCount::what);
        return;
    }
    summary.columns = counts_of_kept(selection, log.columns);
}

// The most of each pool that the jobs of the log had at once, as far as it says when they ran, or a single job asks
// for.
std::vector<std::pair<std::string, Amount>> peaks_of_pools(const SwfSelection& selection,
                                                           const SwfConversion& conversion) {
    struct Change {
        Duration time;
        Amount amount;
        std::string pool;
    };
    const std::vector<bool> is_uncertain = jobs_noted(*selection.log, shown_twice);
    std::vector<Change> changes;
    std::map<std::string, Amount> most;
    for (const KeptJob& kept : selection.kept) {
        const SwfJob& job = *kept.job;
        for (const auto& [pool, amount] : needs_of(*selection.log, job, conversion).stated.pools) {
            most[pool] = std::max(most[pool], amount);
            if (job.wait >= Duration() && !is_uncertain[static_cast<std::size_t>(&job - selection.log->jobs.data())]) {
                const Duration start = job.submit + job.wait;
                changes.push_back({start, amount, pool});
                changes.push_back({start + run_time_of(job), -amount, pool});
            }
        }
    }
    std::ranges::sort(changes, {}, [](const Change& change) { return std::pair(change.time, change.amount); });
    std::map<std::string, Amount> held;
    for (const Change& change : changes) {
        const Amount now = held[change.pool] += change.amount;
        most[change.pool] = std::max(most[change.pool], now);
    }
    return {most.begin(), most.end()};
}

}  // namespace

double AmountBalance::growth() const {
    double of_jobs = of_log;
    for (const Change& change : changes) {
        of_jobs += std::min(change.amount_seconds, 0.0);
    }
    return of_jobs > 0 ? of_workload / of_jobs - 1 : 0;
}

LoggedNeeds needs_of(const SwfLog& log, const SwfJob& job, const SwfConversion& conversion) {
    if (!log.needs.empty()) {
        return log.needs[job.needs];
    }
    LoggedNeeds needs;
    if (log.read_fields.partition && job.partition > 0) {
        needs.stated.partition = std::to_string(job.partition);
    }
    if (log.read_fields.memory_pool && job.requested_memory > 0) {
        constexpr long long kibibytes = 1024;
        const long long processors = processors_of(job, conversion);
        const long long most = std::numeric_limits<long long>::max() / std::max(processors, 1LL);
        refuse_if<InputError>(job.requested_memory > most, log.path, ":", job.line,
                              ": column 10: expected the memory of each of ", processors, " processors, found ",
                              job.requested_memory);
        const long long whole = job.requested_memory * processors;
        needs.stated.pools.emplace_back(pool_of_memory, whole / kibibytes + (whole % kibibytes > 0 ? 1 : 0));
    }
    return needs;
}

namespace {

Amount amount_of(const StatedNeeds::Amounts& amounts, std::string_view name) {
    const auto found = std::ranges::find(amounts, name, &StatedNeeds::Amounts::value_type::first);
    return found == amounts.end() ? 0 : found->second;
}

// What components of the job did not take until the last one had ended.
Microseconds unused_of(const SwfLog& log, const SwfJob& job, const char* name) {
    const auto early = log.ended_early.find(static_cast<std::uint32_t>(&job - log.jobs.data()));
    return early == log.ended_early.end() ? 0 : early->second.at(name);
}

}  // namespace

std::vector<AmountBalance> balances_of(const SwfSelection& selection, const SwfConversion& conversion) {
    const SwfLog& log = *selection.log;
    // Sums of whole numbers: what differs has a cause.
    struct Sums {
        Microseconds of_log = 0;
        Microseconds of_workload = 0;
        std::map<std::string, Microseconds> changes;
    };
    std::vector<std::pair<const char*, Sums>> all = {{"cores", {}}, {"gpus", {}}, {"memory", {}}};
    const auto add = [&](const SwfJob& job, const char* left_out_by) {
        const LoggedNeeds& needs = log.needs[job.needs];
        const Duration run_time = std::max(job.run_time, Duration());
        const long long hosts = std::max(size_of(job, conversion), 0LL);
        for (auto& [name, sums] : all) {
            const Microseconds of_hosts = Microseconds{amount_of(needs.taken, name)} * hosts * run_time.count();
            const Microseconds surplus = Microseconds{amount_of(needs.surplus, name)} * run_time.count();
            const Microseconds unused = unused_of(log, job, name);
            sums.of_log += of_hosts - surplus - unused;
            if (left_out_by != nullptr) {
                sums.changes[left_out_by] -= of_hosts - surplus - unused;
                continue;
            }
            sums.of_workload += of_hosts;
            sums.changes["component of a heterogeneous job that ended before others"] += unused;
            sums.changes[needs.has_different_hosts ? host_rules::different : host_rules::rounded] += surplus;
        }
    };
    for (const KeptJob& kept : selection.kept) {
        add(*kept.job, nullptr);
    }
    for (const auto& [job, rule] : selection.left_out) {
        add(*job, selection.dropped[rule].what.c_str());
    }
    std::vector<AmountBalance> balances;
    const auto seconds = [](Microseconds sum) { return static_cast<double>(sum) / 1e6; };
    for (const auto& [name, sums] : all) {
        if (sums.of_log != 0 || sums.of_workload != 0) {
            AmountBalance& balance =
                balances.emplace_back(AmountBalance{name, seconds(sums.of_log), {}, seconds(sums.of_workload)});
            for (const auto& [why, change] : sums.changes) {
                if (change != 0) {
                    balance.changes.push_back({why, seconds(change)});
                }
            }
        }
    }
    return balances;
}

void add_machine_of_log(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& summary) {
    const SwfLog& log = *selection.log;
    const ResourceFields& fields = log.read_fields;
    if (!fields.any()) {
        return;
    }
    add_columns(selection, summary);
    if (!fields.per_host && !fields.partition && !fields.memory_pool && !fields.licenses) {
        return;
    }
    HostsOfLog all;
    std::map<std::string, HostsOfLog> of_partition;
    const auto add = [](const LoggedNeeds& needs, long long hosts, HostsOfLog& to) {
        raise_amounts(to.capacity, needs.taken);
        to.widest = std::max(to.widest, hosts);
        ++to.jobs;
    };
    for (const KeptJob& kept : selection.kept) {
        const LoggedNeeds needs = needs_of(log, *kept.job, conversion);
        const long long hosts = size_of(*kept.job, conversion);
        add(needs, hosts, all);
        add(needs, hosts, of_partition[needs.stated.partition.value_or("")]);
    }
    if (log.counts_hosts) {
        summary.hosts = all;
        summary.balances = balances_of(selection, conversion);
    }
    if (fields.memory_pool || fields.licenses) {
        summary.pools = peaks_of_pools(selection, conversion);
    }
    if (of_partition.size() == 1 && of_partition.contains("")) {
        return;
    }
    for (auto& [name, hosts] : of_partition) {
        hosts.partition = name;
        summary.partitions.push_back(std::move(hosts));
    }
}

}  // namespace batfill
