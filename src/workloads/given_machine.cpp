#include "src/workloads/given_machine.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <variant>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

std::string property_of(const Host& host, const char* name) {
    const auto property = host.properties.find(name);
    return property == host.properties.end() ? "" : property->second;
}

std::vector<GivenMachine::HostsAlike> groups_of(const std::vector<Host>& hosts) {
    std::map<std::pair<std::string, std::string>, std::size_t> numbers;
    for (const Host& host : hosts) {
        ++numbers[{property_of(host, "capacity"), property_of(host, "partitions")}];
    }
    std::vector<GivenMachine::HostsAlike> groups = mapped(numbers, [](const auto& entry) {
        return GivenMachine::HostsAlike{entry.first.first, entry.first.second, entry.second};
    });
    std::ranges::stable_sort(groups, std::greater<>(), &GivenMachine::HostsAlike::hosts);
    return groups;
}

// Which jobs could run on an empty machine, and why others could not.
class Fit {
 public:
    Fit(const Platform& platform, std::string_view no_partition)
        : resources_(platform.hosts), all_hosts_(platform.hosts.size()), no_partition_(no_partition) {
        hosts_of_kind_.resize(resources_.kinds().size());
        for (int host = 0; host < resources_.named_hosts(); ++host) {
            ++hosts_of_kind_[resources_.kind_number_of(host)];
        }
    }

    // How many hosts a job with these needs can have at most, and why it cannot have more.
    struct Limit {
        long long hosts = 0;
        std::string reason;
    };
    Limit limit_of(StatedNeeds stated) const {
        const auto is_pool = [&](const auto& pool) {
            return std::ranges::find(resources_.pools(), pool.first, &Resources::Pool::name) !=
                   resources_.pools().end();
        };
        std::erase_if(stated.pools, [&](const auto& pool) { return !is_pool(pool); });
        const auto resolved = resources_.resolve({1}, &stated);
        if (std::holds_alternative<std::string>(resolved)) {
            return {0, reason_of(stated)};
        }
        const auto& request = std::get<Request>(resolved);
        const long long suitable = hosts_that([&](const auto& kind) { return kind.suits(request); });
        const long long there = hosts_that([&](const auto& kind) { return kind.is_in_one_of(partitions_of(stated)); });
        const std::string place = place_of(stated);
        return {suitable, suitable == there ? "more hosts than " + place + " has"
                                            : "more hosts than " + place + " has with its amounts"};
    }

 private:
    long long hosts_that(const auto& suit) const {
        long long hosts = resources_.has_named_hosts() ? 0 : static_cast<long long>(all_hosts_);
        for (std::size_t kind = 0; kind < hosts_of_kind_.size(); ++kind) {
            hosts += suit(resources_.kinds()[kind]) ? hosts_of_kind_[kind] : 0;
        }
        return hosts;
    }

    // The partitions of a job of a log that the machine has. Empty: any host.
    std::vector<std::size_t> partitions_of(const StatedNeeds& stated) const {
        const auto& known = resources_.partitions();
        const std::string names = stated.partition.value_or("");
        std::vector<std::size_t> partitions;
        for (const std::string_view name : partitions_in(names)) {
            if (const auto found = std::ranges::find(known, name); found != known.end()) {
                partitions.push_back(static_cast<std::size_t>(found - known.begin()));
            }
        }
        return partitions;
    }

    std::string place_of(const StatedNeeds& stated) const {
        const std::vector<std::size_t> partitions = partitions_of(stated);
        return partitions.empty() ? "the machine" : "partition " + resources_.names_of_partitions(partitions);
    }

    // Why no host suits a job.
    std::string reason_of(const StatedNeeds& stated) const {
        for (const auto& [name, amount] : stated.pools) {
            const auto pool = std::ranges::find(resources_.pools(), name, &Resources::Pool::name);
            if (amount > pool->total) {
                return "more of pool " + name + " than the machine has";
            }
        }
        const std::vector<std::string>& partitions = resources_.partitions();
        const std::string names = stated.partition.value_or("");
        for (const std::string_view name : partitions_in(names)) {
            if (!names.empty() && !partitions.empty() && std::ranges::find(partitions, name) == partitions.end()) {
                return std::string(no_partition_).append(name);
            }
        }
        const StatedNeeds::Amounts nothing;
        for (const auto& [name, amount] : stated.per_host ? *stated.per_host : nothing) {
            const auto& known = resources_.capacities();
            const auto capacity = std::ranges::find(known, name);
            if (amount > 0 && capacity == known.end()) {
                return "no host is known to have " + name;
            }
            const auto place = static_cast<std::size_t>(capacity - known.begin());
            const Amount asked = amount;
            if (asked > 0 && hosts_that([&](const auto& kind) {
                                 return kind.is_in_one_of(partitions_of(stated)) && kind.capacity[place] >= asked;
                             }) == 0) {
                return "more " + name + " than any host of " + place_of(stated) + " has";
            }
        }
        return "no host of " + place_of(stated) + " has all its amounts";
    }

    Resources resources_;
    std::size_t all_hosts_;
    std::string_view no_partition_;
    std::vector<long long> hosts_of_kind_;
};

}  // namespace

double drop_misfits(const Platform& platform, SwfSelection& selection, const SwfConversion& conversion,
                    std::string_view no_partition) {
    const Fit fit(platform, no_partition);
    std::vector<std::optional<Fit::Limit>> limits(std::max<std::size_t>(selection.log->needs.size(), 1));  // by needs
    std::map<std::string, std::vector<const SwfJob*>> dropped;                                             // by reason
    double seconds_of_all = 0;
    double seconds_of_dropped = 0;
    std::erase_if(selection.kept, [&](const KeptJob& kept) {
        std::optional<Fit::Limit>& limit = limits[kept.job->needs];
        if (!limit) {
            limit = fit.limit_of(needs_of(*selection.log, *kept.job, conversion).stated);
        }
        const long long hosts = size_of(*kept.job, conversion);
        const double seconds = static_cast<double>(hosts) * run_time_of(*kept.job).to_seconds();
        const bool fits = hosts <= limit->hosts;
        seconds_of_all += seconds;
        if (!fits) {
            seconds_of_dropped += seconds;
            dropped[limit->reason].push_back(kept.job);
        }
        return !fits;
    });
    for (const auto& [reason, jobs] : dropped) {
        for (const SwfJob* const job : jobs) {
            selection.left_out.emplace_back(job, selection.dropped.size());
        }
        selection.dropped.push_back({"does not fit: " + reason, jobs.size()});
    }
    return seconds_of_all > 0 ? seconds_of_dropped / seconds_of_all : 0;
}

JobsOnMachine::JobsOnMachine(const std::string& path) : listing_(read_machine_listing(path)) {
    summary_.path = path;
    summary_.kind = listing_.kind;
    summary_.hosts = listing_.platform.hosts.size();
    summary_.notes = listing_.notes;
    summary_.groups = groups_of(listing_.platform.hosts);
}

void JobsOnMachine::open_queues(const SwfSelection& selection) {
    std::set<std::string> of_machine;
    std::vector<Host*> open;
    for (Host& host : listing_.platform.hosts) {
        const std::string partitions = property_of(host, "partitions");
        if (partitions.empty()) {
            open.push_back(&host);
        } else {
            for (const std::string_view partition : split(partitions, ',')) {
                of_machine.emplace(partition);
            }
        }
    }
    if (of_machine.empty() || open.empty() || selection.log->needs.empty()) {
        return;
    }
    std::set<std::string> queues;
    for (const KeptJob& kept : selection.kept) {
        const std::string names = selection.log->needs[kept.job->needs].stated.partition.value_or("");
        for (const std::string_view name : partitions_in(names)) {
            if (!name.empty() && !of_machine.contains(std::string(name))) {
                queues.emplace(name);
            }
        }
    }
    if (queues.empty()) {
        return;
    }
    summary_.open_queues.assign(queues.begin(), queues.end());
    for (Host* const host : open) {
        host->properties["partitions"] = list_of(summary_.open_queues, ",");
    }
    summary_.groups = groups_of(listing_.platform.hosts);
}

void JobsOnMachine::find_missing_hosts(const SwfSelection& selection) {
    const SwfLog& log = *selection.log;
    std::unordered_set<std::string_view> known;
    for (const Host& host : listing_.platform.hosts) {
        known.insert(host.name);
    }
    std::set<std::string_view> missing;
    std::vector<bool> is_done(log.hosts.size());
    for (const KeptJob& kept : selection.kept) {
        const std::size_t place = kept.job->hosts;
        if (place >= is_done.size() || is_done[place]) {
            continue;
        }
        is_done[place] = true;
        for (const LoggedHosts& hosts : log.hosts[place]) {
            for (const std::string_view name : split(hosts.names, ' ')) {
                if (!name.empty() && !known.contains(name)) {
                    missing.insert(name);
                }
            }
        }
    }
    summary_.missing_hosts.assign(missing.begin(), missing.end());
}

double JobsOnMachine::drop_misfits(SwfSelection& selection, const SwfConversion& conversion) {
    refuse_if<InputError>(!selection.log->counts_hosts, [&] {
        return selection.log->path +
               ": its jobs have processors, and the machine has hosts: expected data that say the hosts of "
               "jobs";
    });
    find_missing_hosts(selection);
    if (listing_.queues_are_open) {
        open_queues(selection);
    }
    return batfill::drop_misfits(listing_.platform, selection, conversion);
}

Platform JobsOnMachine::platform_with(const std::vector<std::pair<std::string, Amount>>& pools) const {
    Platform platform = listing_.platform;
    const auto is_lost = [&](const Host& host) {
        return !host.pstate_speeds.empty() || host.zone_properties != platform.hosts.front().zone_properties;
    };
    refuse_if<InputError>(
        std::ranges::any_of(platform.hosts, is_lost), summary_.path,
        ": has pstates, or zones with different properties, which a copy would lose: expected no copy "
        "(--platform), as the file itself is a platform");
    const Resources of_machine(platform.hosts);
    MachineDetails details;
    for (const auto& [name, total] : pools) {
        if (std::ranges::find(of_machine.pools(), name, &Resources::Pool::name) == of_machine.pools().end()) {
            details.pools.emplace_back(name, total);
        }
    }
    add_resources(platform.hosts, details);
    return platform;
}

}  // namespace batfill
