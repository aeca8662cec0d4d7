#include "src/workloads/logged_needs.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <batfill/core/error.hpp>

#include "src/formats/host_amounts.hpp"

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
    std::vector<Change> changes;
    std::map<std::string, Amount> most;
    for (const KeptJob& kept : selection.kept) {
        const SwfJob& job = *kept.job;
        for (const auto& [pool, amount] : needs_of(*selection.log, job, conversion).stated.pools) {
            most[pool] = std::max(most[pool], amount);
            if (job.wait >= Duration()) {
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
        if (job.requested_memory > most) {
            throw InputError(log.path + ":" + std::to_string(job.line) +
                             ": column 10: expected the memory of each of " + std::to_string(processors) +
                             " processors, found " + std::to_string(job.requested_memory));
        }
        const long long whole = job.requested_memory * processors;
        needs.stated.pools.emplace_back(pool_of_memory, whole / kibibytes + (whole % kibibytes > 0 ? 1 : 0));
    }
    return needs;
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
