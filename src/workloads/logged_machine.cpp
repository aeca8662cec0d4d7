#include "src/workloads/logged_machine.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/formats/host_amounts.hpp"
#include "src/formats/job_times.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

struct HostOfLog {
    std::string name;
    StatedNeeds::Amounts capacity;
    std::set<std::string> partitions;

    // Those of a job that may run there: a name, or several with commas between them. Empty: none.
    void add_partitions(std::string_view names) {
        if (!names.empty()) {
            const std::vector<std::string_view> all = partitions_in(names);
            partitions.insert(all.begin(), all.end());
        }
    }
};

Platform platform_with(std::size_t hosts) {
    return homogeneous_platform(*number_of_hosts(std::to_string(hosts)));
}

Platform platform_of(const std::vector<HostOfLog>& hosts) {
    Platform platform = platform_with(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        Host& host = platform.hosts[i];
        host.name = hosts[i].name.empty() ? host.name : hosts[i].name;
        if (!hosts[i].capacity.empty()) {
            host.properties["capacity"] = capacity_text(hosts[i].capacity);
        }
        if (!hosts[i].partitions.empty()) {
            host.properties["partitions"] = list_of({hosts[i].partitions.begin(), hosts[i].partitions.end()}, ",");
        }
    }
    return platform;
}

// Hosts in the order of the log's partitions.
std::vector<HostOfLog> hosts_alike(const ConversionSummary& summary) {
    std::size_t number = 0;
    std::vector<HostsOfLog> groups = summary.partitions;
    std::erase_if(groups, [](const HostsOfLog& group) { return group.partition.empty() && group.capacity.empty(); });
    for (const HostsOfLog& group : groups) {
        number += static_cast<std::size_t>(std::max(group.widest, 0LL));
    }
    const auto processors = static_cast<std::size_t>(summary.processors);
    number = summary.processors_are_known ? processors : std::max(number, processors);
    std::vector<HostOfLog> hosts(number);
    const auto give = [](const HostsOfLog& group, HostOfLog& host) {
        raise_amounts(host.capacity, group.capacity);
        host.add_partitions(group.partition);
    };
    std::size_t given = 0;
    for (const HostsOfLog& group : groups) {
        const std::size_t widest = std::min(static_cast<std::size_t>(std::max(group.widest, 0LL)), number);
        for (std::size_t i = 0; i < widest; ++i) {
            give(group, hosts[given++ % number]);
        }
    }
    for (; given < number; ++given) {
        give(summary.hosts.value_or(HostsOfLog()), hosts[given]);
        for (const HostsOfLog& group : groups) {
            give(group, hosts[given]);
        }
    }
    return hosts;
}

class NamedHosts {
 public:
    NamedHosts(const SwfSelection& selection, const SwfConversion& conversion)
        : selection_(selection), conversion_(conversion) {
        number_hosts();
        for (const KeptJob& kept : selection.kept) {
            add(*kept.job);
        }
        add_what_jobs_took_at_once();
    }

    // The number of jobs whose hosts are not all named.
    std::size_t jobs_without_hosts() const { return jobs_without_hosts_; }

    // Takes the hosts, by name.
    std::vector<HostOfLog> take() {
        std::ranges::sort(hosts_, {}, &HostOfLog::name);
        return std::move(hosts_);
    }

 private:
    // Hosts of a job that it took the same of.
    struct Group {
        std::vector<std::uint32_t> hosts;
        const LoggedHosts* logged;
    };

    void number_hosts() {
        std::unordered_map<std::string_view, std::uint32_t> numbers;
        for (const std::vector<LoggedHosts>& of_jobs : selection_.log->hosts) {
            std::vector<Group>& groups = groups_.emplace_back();
            for (const LoggedHosts& logged : of_jobs) {
                Group& group = groups.emplace_back(Group{{}, &logged});
                for (const std::string_view name : split(logged.names, ' ')) {
                    const auto [known, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
                    if (is_new) {
                        names_.push_back(name);
                    }
                    group.hosts.push_back(known->second);
                }
            }
        }
        place_of_.resize(names_.size(), none);
    }

    HostOfLog& host(std::uint32_t number) {
        std::size_t& place = place_of_[number];
        if (place == none) {
            place = hosts_.size();
            hosts_.push_back({std::string(names_[number]), {}, {}});
        }
        return hosts_[place];
    }

    const std::vector<Group>& groups_of(const SwfJob& job) const { return groups_[job.hosts]; }
    const StatedNeeds::Amounts& taken(const SwfJob& job, const Group& group) const {
        return group.logged->taken ? *group.logged->taken : selection_.log->needs[job.needs].taken;
    }

    // Each of its hosts could run the job again, which takes the same of all of them.
    void add(const SwfJob& job) {
        const LoggedNeeds& needs = selection_.log->needs[job.needs];
        std::set<std::uint32_t> named;
        for (const Group& group : groups_of(job)) {
            const std::string partition = group.logged->partition.value_or(needs.stated.partition.value_or(""));
            for (const std::uint32_t number : group.hosts) {
                HostOfLog& of_group = host(number);
                raise_amounts(of_group.capacity, taken(job, group));
                of_group.add_partitions(partition);
                named.insert(number);
            }
        }
        if (size_of(job, conversion_) > static_cast<long long>(named.size())) {
            ++jobs_without_hosts_;
        }
    }

    // Raises capacities to what jobs took of a host at one instant, as far as the log says when they ran, and how much
    // they took of each host.
    void add_what_jobs_took_at_once() {
        const std::vector<bool> is_uncertain = jobs_noted(*selection_.log, shown_twice);
        struct Change {
            Duration time;
            bool begins;
            const SwfJob* job;
        };
        std::vector<Change> changes;
        for (const KeptJob& kept : selection_.kept) {
            const SwfJob& job = *kept.job;
            const bool is_certain = !is_uncertain[static_cast<std::size_t>(&job - selection_.log->jobs.data())];
            if (job.wait >= Duration() && !groups_of(job).empty() && is_certain) {
                changes.push_back({job.submit + job.wait, true, &job});
                changes.push_back({job.submit + job.wait + run_time_of(job), false, &job});
            }
        }
        std::ranges::stable_sort(changes, {},
                                 [](const Change& change) { return std::pair(change.time, change.begins); });
        struct Held {
            Amount now = 0;
            Amount most = 0;
        };
        std::vector<std::map<std::string_view, Held>> held(hosts_.size());
        const auto apply = [&](const Change& change, const Group& group) {
            const bool is_rounded = group.logged->taken ? group.logged->is_rounded_up
                                                        : is_rounded_up(selection_.log->needs[change.job->needs]);
            if (is_rounded) {
                return;
            }
            for (const auto& [name, amount] : taken(*change.job, group)) {
                for (const std::uint32_t number : group.hosts) {
                    Held& of_host = held[place_of_[number]][name];
                    of_host.now += change.begins ? amount : -amount;
                    of_host.most = std::max(of_host.most, of_host.now);
                }
            }
        };
        for (const Change& change : changes) {
            std::ranges::for_each(groups_of(*change.job), [&](const Group& group) { apply(change, group); });
        }
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            for (const auto& [name, of_host] : held[i]) {
                raise_amounts(hosts_[i].capacity, {{std::string(name), of_host.most}});
            }
        }
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    const SwfSelection& selection_;
    const SwfConversion& conversion_;
    std::vector<std::vector<Group>> groups_;  // by place in SwfLog::hosts
    std::vector<std::string_view> names_;     // of all hosts of the log
    std::vector<std::size_t> place_of_;       // in hosts_; none: no kept job was there
    std::vector<HostOfLog> hosts_;
    std::size_t jobs_without_hosts_ = 0;
};

MachineOfLog machine_of_named_hosts(const SwfSelection& selection, const SwfConversion& conversion) {
    const std::string& path = selection.log->path;
    MachineOfLog result;
    NamedHosts of_log(selection, conversion);
    std::vector<HostOfLog> hosts = of_log.take();
    refuse_if<InputError>(std::ranges::binary_search(hosts, default_master_host, {}, &HostOfLog::name), path,
                          ": a host of the log is named master_host, expected another name: Batsim has one");
    const std::size_t named = hosts.size();
    const std::size_t wanted = conversion.processors ? static_cast<std::size_t>(*conversion.processors) : named;
    if (wanted < named) {
        throw InputError(path + ": its jobs ran on " + counted(named, "host") + ", expected at least as many, found " +
                         std::to_string(wanted));
    }
    HostOfLog largest;  // what is given beyond them
    for (const HostOfLog& host : hosts) {
        raise_amounts(largest.capacity, host.capacity);
        largest.partitions.insert(host.partitions.begin(), host.partitions.end());
    }
    result.description = counted(named, "host") + " that the log names";
    if (wanted > named) {
        result.description += ", " + std::to_string(wanted - named) + " more as given";
    }
    std::size_t number = 0;
    while (hosts.size() < wanted) {
        do {
            largest.name = "unnamed" + std::to_string(++number);
        } while (std::binary_search(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(named), largest,
                                    [](const HostOfLog& a, const HostOfLog& b) { return a.name < b.name; }));
        hosts.push_back(largest);
    }
    if (of_log.jobs_without_hosts() > 0) {
        result.description += "; for " + counted(of_log.jobs_without_hosts(), "job") + " it does not name all hosts";
    }
    result.capacity = std::move(largest.capacity);
    result.platform = platform_of(hosts);
    result.is_of_named_hosts = true;
    return result;
}

}  // namespace

MachineOfLog machine_of_log(const SwfSelection& selection, const SwfConversion& conversion,
                            const ConversionSummary& summary) {
    MachineOfLog result;
    if (selection.log->hosts.size() <= 1) {
        result.platform = platform_of(hosts_alike(summary));
        result.description = counted(result.platform.hosts.size(), "host") + ", " +
                             (summary.processors_are_known ? summary.processors_from : "those of the widest jobs");
    } else {
        result = machine_of_named_hosts(selection, conversion);
    }
    MachineDetails details;
    details.pools = summary.pools;
    add_resources(result.platform.hosts, details);
    return result;
}

}  // namespace batfill
