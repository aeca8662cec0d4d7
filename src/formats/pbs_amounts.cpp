#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "src/formats/pbs_record.hpp"
#include "src/formats/tres.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

// What jobs of PBS took of each of their hosts.
namespace batfill {

namespace {

using Source = HostAmounts::Source;

// What a job has on one host, or asks for on some that are alike. 0: nothing, or unknown.
struct Share {
    long long chunks = 1;
    long long cores = 0;
    long long gpus = 0;
    long long bytes = 0;
};
using Shares = std::vector<Share>;

// The sum, or the largest number if it is too large. Requires: numbers from 0 on.
long long sum_of(long long a, long long b) {
    return a <= most_bytes - b ? a + b : most_bytes;
}

long long product_of(long long a, long long b) {
    return a == 0 || b <= most_bytes / a ? a * b : most_bytes;
}

using SharesByHost = std::map<std::string, Share>;

// What exec_vnode says, by host: n1[0] and n1[1] are on one.
SharesByHost on_vnodes(std::string_view exec_vnode) {
    SharesByHost hosts;
    for_each_vnode(exec_vnode, [&](std::string_view vnode) {
        const std::string_view name = cut(vnode, ':').first;
        Share& host = hosts[std::string(name.substr(0, name.find('[')))];
        host.cores = sum_of(host.cores, checked(number_of(vnode, "ncpus").value_or(0), vnode));
        host.gpus = sum_of(host.gpus, checked(number_of(vnode, "ngpus").value_or(0), vnode));
        host.bytes = sum_of(host.bytes, bytes_of(vnode, "mem").value_or(0));
    });
    return hosts;
}

// What exec_host and exec_gpus say, by host: n1-gpu is on n1. Empty if they have no slots.
SharesByHost on_slots(const PbsAttributes& attributes) {
    SharesByHost hosts;
    const auto add = [&](std::string_view list, std::string_view ending, long long Share::*amount) {
        if (list.find('/') == std::string_view::npos) {
            return;
        }
        for_each_part(list, '+', [&](std::string_view part) {
            std::string_view name = cut(part, '/').first;
            name.remove_suffix(name.ends_with(ending) ? ending.size() : 0);
            const std::vector<std::string> names = hosts_of_name(name);
            const long long of_each = slots_in(part) / static_cast<long long>(names.size());
            for (const std::string& each : names) {
                Share& host = hosts[each];
                host.*amount = sum_of(host.*amount, of_each);
            }
        });
    };
    add(attributes["exec_host"].text, "", &Share::cores);
    add(attributes["exec_gpus"].text, "-gpu", &Share::gpus);
    return hosts;
}

// The parts of Resource_List.select, or else of Resource_List.nodes. Empty without either. They have no cores if
// another attribute beats theirs.
Shares requested_chunks(const PbsAttributes& attributes) {
    const std::string_view select = attributes["Resource_List.select"].text;
    const std::string_view nodes = attributes["Resource_List.nodes"].text;
    const std::string_view request = !select.empty()  ? select
                                     : !nodes.empty() ? nodes
                                                      : attributes["Resource_List.neednodes"].text;
    Shares chunks;
    long long cores = 0;
    for_each_part(first_request(request), '+', [&](std::string_view part) {
        Share& chunk = chunks.emplace_back();
        chunk.chunks = checked(number_in<long long>(cut(part, ':').first).value_or(1), part);
        chunk.gpus = checked(number_of(part, select.empty() ? "gpus" : "ngpus").value_or(0), part);
        chunk.bytes = bytes_of(part, "mem").value_or(0);
        const auto processors = select.empty() ? processors_of_node(part) : number_of(part, "ncpus");
        chunk.cores = checked(processors.value_or(1), part);
        cores = sum_of(cores, product_of(chunk.chunks, chunk.cores));
    });
    if (cores != requested_processors(attributes)) {
        std::ranges::for_each(chunks, [](Share& chunk) { chunk.cores = 0; });
    }
    return chunks;
}

// Where amounts stand.
struct Columns {
    std::string_view cores;
    std::string_view gpus;
    std::string_view memory;
};

HostAmounts amounts_of(const Share& share, long long hosts, const HostAmounts& known, Source source,
                       const Columns& columns) {
    HostAmounts amounts(hosts);
    if (!known.has_cores() && share.cores > 0) {
        amounts.set_cores(share.cores, columns.cores, source);
    }
    if (!known.has_gpus() && share.gpus > 0) {
        GpuCount gpus;
        gpus.add("gpu", share.gpus);
        amounts.set_gpus(gpus, columns.gpus, source);
    }
    if (!known.has_memory() && share.bytes > 0) {
        amounts.set_memory(share.bytes, columns.memory, source);
    }
    return amounts;
}

// Of shares of one host each, the largest; of shares of several hosts or of parts of them, their sum over the hosts.
HostAmounts amounts_of(const Shares& shares, long long hosts, const HostAmounts& known, Source source,
                       const Columns& columns) {
    HostAmounts largest;
    Share sum;
    long long chunks = 0;
    for (const Share& share : shares) {
        const HostAmounts one = amounts_of(share, 1, known, source, columns);
        if (chunks == 0) {
            largest = one;
        } else {
            largest.join(one);
        }
        chunks = sum_of(chunks, share.chunks);
        sum.cores = sum_of(sum.cores, product_of(share.chunks, share.cores));
        sum.gpus = sum_of(sum.gpus, product_of(share.chunks, share.gpus));
        sum.bytes = sum_of(sum.bytes, product_of(share.chunks, share.bytes));
    }
    if (chunks == hosts) {
        largest.set_whole(sum.cores, sum.gpus, sum.bytes);
        return largest;
    }
    HostAmounts each = amounts_of(sum, hosts, known, source, columns);
    if (!each.amounts().empty()) {
        each.note(host_rules::shared_chunks);
    }
    return each;
}

Shares shares_of(const SharesByHost& hosts) {
    return mapped(hosts, [](const auto& host) { return host.second; });
}

// Whether the record says how many processors were allocated.
bool knows_slots(const PbsAttributes& attributes) {
    return attributes.number("total_execution_slots") > 0 || attributes.number("resources_used.ncpus") > 0 ||
           !attributes["exec_vnode"].text.empty() || slots_in(attributes["exec_host"].text) > 0;
}

// Whether exec_host lists what the job has. total_execution_slots makes counts of what look like numbers of slots, and
// one slot may stand for a whole host.
bool lists_slots(const PbsAttributes& attributes, long long processors) {
    return slots_in(attributes["exec_host"].text) == processors;
}

// What was allocated, as far as the record tells.
HostAmounts allocated_amounts(const PbsAttributes& attributes, long long hosts) {
    const std::string_view exec_vnode = attributes["exec_vnode"].text;
    HostAmounts amounts(hosts);
    if (!exec_vnode.empty()) {
        amounts.fill(amounts_of(shares_of(on_vnodes(exec_vnode)), hosts, {}, Source::allocation,
                                {"exec_vnode", "exec_vnode", "exec_vnode"}));
    }
    const long long processors = allocated_processors(attributes, requested_processors(attributes));
    Shares slots = shares_of(on_slots(attributes));
    if (!lists_slots(attributes, processors) || slots.size() != static_cast<std::size_t>(std::max(hosts, 0LL))) {
        Share sum;
        sum.cores = knows_slots(attributes) ? processors : 0;
        for (const Share& host : slots) {
            sum.gpus = sum_of(sum.gpus, host.gpus);
        }
        slots.clear();
        amounts.fill(amounts_of(sum, hosts, amounts, Source::allocation, {"processors of the job", "exec_gpus", ""}));
    }
    amounts.fill(amounts_of(slots, hosts, amounts, Source::allocation, {"exec_host", "exec_gpus", ""}));
    return amounts;
}

// What was requested, beside what is known of the allocation.
HostAmounts requested_amounts(const PbsAttributes& attributes, long long hosts, const HostAmounts& known) {
    HostAmounts amounts(hosts);
    const std::string_view chunks =
        attributes["Resource_List.select"].text.empty() ? "Resource_List.nodes" : "Resource_List.select";
    amounts.fill(amounts_of(requested_chunks(attributes), hosts, known, Source::request, {chunks, chunks, chunks}));
    const long long processors = allocated_processors(attributes, requested_processors(attributes));
    Share whole;
    whole.cores = known.has_cores() || amounts.has_cores() ? 0 : processors;
    whole.gpus = known.has_gpus() || amounts.has_gpus() ? 0 : gpus_of_record(attributes);
    const bool has_memory = known.has_memory() || amounts.has_memory();
    std::string_view memory = "Resource_List.mem";
    whole.bytes = has_memory ? 0 : attributes[memory].bytes(1).value_or(0);
    if (!has_memory && whole.bytes == 0) {
        memory = "Resource_List.pmem";
        whole.bytes = product_of(std::max(processors, 0LL), attributes[memory].bytes(1).value_or(0));
    }
    amounts.fill(amounts_of(whole, hosts, {}, Source::request,
                            {"processors of the job", "GPUs in the request of the job", memory}));
    return amounts;
}

// Whether the record says that nobody else used the hosts. Cray's ALPS gives whole nodes.
bool takes_whole_hosts(const PbsAttributes& attributes) {
    constexpr auto words = std::to_array<std::string_view>({"excl", "exclhost", "singlejob", "singletask"});
    bool is_exclusive = attributes.number("Resource_List.mppwidth") > 0;
    const auto look_at = [&](std::string_view text, char separator) {
        for_each_part(text, separator,
                      [&](std::string_view part) { is_exclusive = is_exclusive || is_word_of(part, words); });
    };
    look_at(attributes["Resource_List.place"].text, ':');
    look_at(attributes["Resource_List.naccesspolicy"].text, ':');
    look_at(cut(attributes["Resource_List.nodes"].text, '#').second, '#');
    return is_exclusive;
}

// Names the resources in the request that are none of those that batfill reads, nor limits of processes.
void name_others(const PbsAttributes& attributes, HostAmounts& amounts) {
    constexpr auto known = std::to_array<std::string_view>(
        {"walltime", "ncpus",    "nodect",     "nodes", "neednodes", "select", "place",         "mem",
         "pmem",     "vmem",     "pvmem",      "ngpus", "gpus",      "procs",  "mppwidth",      "mppdepth",
         "mppnppn",  "mppmem",   "size",       "cput",  "pcput",     "file",   "naccesspolicy", "depend",
         "nice",     "mpiprocs", "ompthreads", "ppn",   "cpp",       "qos",    "min_walltime",  "max_walltime"});
    constexpr std::string_view prefix = "Resource_List.";
    attributes.for_each([&](std::string_view key, std::string_view value) {
        const std::string_view name = key.substr(key.starts_with(prefix) ? prefix.size() : 0);
        if (key.starts_with(prefix) && !is_word_of(name, known) && !RecordField{key, value}.is_missing() &&
            value != "0") {
            amounts.leave_out(std::string(key));
        }
    });
    const auto look_at = [&](std::string_view request, std::string_view of) {
        for_each_part(first_request(request), '+', [&](std::string_view part) {
            for_each_part(cut(part, ':').second, ':', [&](std::string_view item) {
                const auto [name, value] = cut(item, '=');
                if (!is_word_of(name, known) && value != "0") {
                    amounts.leave_out(std::string(name) + " of " + std::string(of));
                }
            });
        });
    };
    look_at(attributes["Resource_List.select"].text, "Resource_List.select");
    look_at(attributes["Resource_List.nodes"].text, "Resource_List.nodes");
}

long long number_of_hosts(const PbsAttributes& attributes) {
    const std::string_view exec_vnode = attributes["exec_vnode"].text;
    if (attributes.number("unique_node_count") > 0 || exec_vnode.empty()) {
        return nodes_of(attributes);
    }
    // A chunk never is on several hosts.
    const auto named = static_cast<long long>(on_vnodes(exec_vnode).size());
    const long long chunks = attributes.number("Resource_List.nodect");
    return chunks > 0 ? std::min(chunks, named) : named;
}

}  // namespace

std::vector<LoggedHosts> logged_hosts_of(const PbsAttributes& attributes, const HostAmounts& amounts) {
    const std::string_view exec_vnode = attributes["exec_vnode"].text;
    const SharesByHost hosts = exec_vnode.empty() ? on_slots(attributes) : on_vnodes(exec_vnode);
    const long long processors = allocated_processors(attributes, requested_processors(attributes));
    const bool knows_each = !exec_vnode.empty() || lists_slots(attributes, processors);
    struct Known {
        const char* amount;
        long long Share::*of_share;
        long long unit;
    };
    std::vector<Known> known = {
        {"cores", &Share::cores, 1}, {"gpus", &Share::gpus, 1}, {"memory", &Share::bytes, 1 << 20}};
    std::erase_if(known, [&](const Known& of) {
        return !knows_each ||
               std::ranges::all_of(hosts, [&](const auto& host) { return host.second.*of.of_share == 0; });
    });
    std::map<StatedNeeds::Amounts, std::vector<std::string>> names;  // of the hosts with these amounts
    for (const auto& [name, share] : hosts) {
        StatedNeeds::Amounts taken = amounts.amounts();
        for (const Known& of : known) {
            for (auto& [amount, number] : taken) {
                const long long of_host = share.*of.of_share;
                number = amount == of.amount ? of_host / of.unit + (of_host % of.unit > 0 ? 1 : 0) : number;
            }
        }
        std::erase_if(taken, [](const auto& amount) { return amount.second == 0; });
        names[taken].push_back(name);
    }
    return mapped(names, [](const auto& group) {
        return LoggedHosts{list_of(group.second, " "), group.first, std::nullopt};
    });
}

PbsHosts hosts_of(const PbsAttributes& attributes) {
    PbsHosts result;
    result.hosts = number_of_hosts(attributes);
    result.amounts = allocated_amounts(attributes, result.hosts);
    result.amounts.fill(requested_amounts(attributes, result.hosts, result.amounts));
    name_others(attributes, result.amounts);
    if (takes_whole_hosts(attributes)) {
        result.amounts.take_whole_hosts();
    }
    return result;
}

}  // namespace batfill
