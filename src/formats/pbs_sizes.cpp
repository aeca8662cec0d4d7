#include <set>

#include "src/formats/pbs_record.hpp"
#include "src/formats/tres.hpp"

// The sizes of jobs in records of PBS.
namespace batfill {

namespace {

bool has_list(std::string_view name) {
    return name.find('[') != std::string_view::npos;
}

// Slots of each host of a part of exec_host.
long long slots_of_part(std::string_view part) {
    const std::string_view slots = part.find('/') == std::string_view::npos ? "0" : cut(part, '/').second;
    const auto require = [&](bool condition) {
        if (!condition) {
            throw InputError("exec_host has the slots " + excerpt(part) + ", expected such as n1/0*8 or n1/0-7,9");
        }
    };
    const auto number = [&](std::string_view text) -> Microseconds {
        const auto read = number_in<long long>(text);
        require(read >= 0);
        return *read;
    };
    if (slots.find('*') != std::string_view::npos) {
        return checked(number(cut(slots, '*').second), part);
    }
    Microseconds sum = 0;
    for_each_part(slots, ',', [&](std::string_view range) {
        const auto [from, to] = cut(range, '-');
        const Microseconds first = number(from);
        const Microseconds last = range.size() == from.size() ? first : number(to);
        require(first <= last);
        sum += checked(last - first + 1, part);
    });
    return checked(sum, part);
}

// Names of hosts or partitions in exec_host.
long long count_names(std::string_view exec_host) {
    std::set<std::string_view> names;
    long long hosts = 0;
    for_each_part(exec_host, '+', [&](std::string_view part) {
        const std::string_view name = cut(part, '/').first;
        if (names.insert(name).second) {
            hosts += static_cast<long long>(has_list(name) ? hosts_of_name(name).size() : 1);
        }
    });
    return hosts;
}

long long sum_on_vnodes(std::string_view exec_vnode, std::string_view resource) {
    long long sum = 0;
    for_each_vnode(exec_vnode,
                   [&](std::string_view vnode) { sum += checked(number_of(vnode, resource).value_or(0), vnode); });
    return sum;
}

// The number of different vnodes.
long long vnodes_in(std::string_view exec_vnode) {
    std::set<std::string_view> names;
    for_each_vnode(exec_vnode, [&](std::string_view vnode) { names.insert(cut(vnode, ':').first); });
    return static_cast<long long>(names.size());
}

// A request in parts, "2:ncpus=8:ngpus=1+1:ncpus=4" or "4:ppn=8:gpus=2+n1:ppn=4". A part begins with the number of its
// chunks, or with the name of a node, or of a property of a node: one chunk.
struct Chunks {
    long long chunks = 0;
    long long processors = 0;
    long long gpus = 0;
    bool says_processors = false;  // whether a part has a number of processors
};

Chunks chunks_in(std::string_view request, const auto& processors_of, std::string_view gpus) {
    Chunks sum;
    for_each_part(first_request(request), '+', [&](std::string_view part) {
        const Microseconds chunks = number_in<long long>(cut(part, ':').first).value_or(1);
        const std::optional<long long> processors = processors_of(part);
        sum.chunks += checked(chunks, part);
        sum.says_processors = sum.says_processors || processors;
        sum.processors += checked(chunks * processors.value_or(1), part);
        sum.gpus += checked(chunks * number_of(part, gpus).value_or(0), part);
    });
    return sum;
}

// Resource_List.select of PBS Pro. A chunk without ncpus has one.
Chunks selected(const PbsAttributes& attributes) {
    const auto processors = [](std::string_view part) { return number_of(part, "ncpus"); };
    return chunks_in(attributes["Resource_List.select"].text, processors, "ngpus");
}

// Resource_List.nodes of TORQUE, and the old syntax of PBS Pro.
Chunks requested_nodes(const PbsAttributes& attributes) {
    const std::string_view nodes = attributes["Resource_List.nodes"].text;
    return chunks_in(nodes.empty() ? attributes["Resource_List.neednodes"].text : nodes, processors_of_node, "gpus");
}

// Processors of a job of Cray's ALPS, whose other attributes describe the login node that starts it. 0: it is none.
long long cray_processors(const PbsAttributes& attributes) {
    const long long width = attributes.number("Resource_List.mppwidth");
    if (width <= 0) {
        return std::max(attributes.number("Resource_List.size"), 0LL);
    }
    const std::string_view text = attributes["Resource_List.mppwidth"].text;
    return checked(Microseconds{width} * std::max(attributes.number("Resource_List.mppdepth"), 1LL), text);
}

// Hosts of such a job. None: unknown.
std::optional<long long> cray_nodes(const PbsAttributes& attributes) {
    const long long width = attributes.number("Resource_List.mppwidth");
    const long long each = attributes.number("Resource_List.mppnppn");
    return width > 0 && each > 0 ? std::optional(width / each + (width % each > 0 ? 1 : 0)) : std::nullopt;
}

}  // namespace

long long checked(Microseconds processors, std::string_view part) {
    if (processors > most_processors) {
        throw InputError("expected at most " + std::to_string(most_processors) + " processors, found " + excerpt(part));
    }
    return static_cast<long long>(std::max<Microseconds>(processors, 0));
}

namespace {

std::optional<std::string_view> value_of(std::string_view part, std::string_view name) {
    for (std::size_t at = part.find(name); at != std::string_view::npos; at = part.find(name, at + 1)) {
        const std::string_view rest = part.substr(at + name.size());
        if ((at == 0 || part[at - 1] == ':') && rest.starts_with('=')) {
            return cut(rest.substr(1), ':').first;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<long long> number_of(std::string_view part, std::string_view name) {
    return RecordField{name, value_of(part, name).value_or("")}.number();
}

std::optional<long long> bytes_of(std::string_view part, std::string_view name) {
    return RecordField{name, value_of(part, name).value_or("")}.bytes(1);
}

std::optional<long long> processors_of_node(std::string_view part) {
    const std::optional<long long> each = number_of(part, "ppn");
    const std::optional<long long> threads = number_of(part, each ? "cpp" : "ncpus");
    if (!each || !threads) {
        return each ? each : threads;
    }
    return checked(Microseconds{*each} * *threads, part);
}

long long slots_in(std::string_view exec_host) {
    if (exec_host.find('/') == std::string_view::npos) {
        return 0;
    }
    long long processors = 0;
    for_each_part(exec_host, '+', [&](std::string_view part) {
        const std::string_view name = cut(part, '/').first;
        refuse_if<InputError>(name.empty(), [&] {
            return "exec_host has a part without a host, expected such as n1/0*8+n2/0*8, found " + excerpt(exec_host);
        });
        const auto hosts = static_cast<Microseconds>(has_list(name) ? hosts_of_name(name).size() : 1);
        processors += checked(hosts * slots_of_part(part), part);
    });
    return processors;
}

std::vector<std::string> hosts_of_name(std::string_view name) {
    if (!has_list(name)) {
        return {std::string(name)};
    }
    std::vector<std::string> hosts = names_of_hosts(name);
    if (hosts.empty()) {
        throw InputError("exec_host names the hosts " + excerpt(name) + ", expected a list such as n[01-16,20]");
    }
    return hosts;
}

void leave_out_login_node(PbsAttributes& attributes) {
    if (cray_processors(attributes) > 0) {
        for (const std::string_view key : {"exec_vnode", "exec_host", "exec_gpus", "Resource_List.nodect"}) {
            attributes.erase(key);
        }
    }
}

long long requested_processors(const PbsAttributes& attributes) {
    if (const long long cray = cray_processors(attributes); cray > 0) {
        return cray;
    }
    const long long ncpus = attributes.number("Resource_List.ncpus");
    if (const Chunks chunks = selected(attributes); chunks.processors > 0) {
        return std::max(ncpus, chunks.processors);
    }
    // ncpus may be a default of the server, and so may be a single processor of a node.
    const Chunks nodes = requested_nodes(attributes);
    if (const long long procs = attributes.number("Resource_List.procs"); procs > 0) {
        return checked(Microseconds{procs} + (nodes.processors > 1 ? nodes.processors : 0), "procs beside nodes");
    }
    return nodes.says_processors && nodes.processors > 1 ? nodes.processors : std::max(ncpus, nodes.processors);
}

long long allocated_processors(const PbsAttributes& attributes, long long requested) {
    if (const long long slots = attributes.number("total_execution_slots"); slots > 0) {
        return slots;
    }
    if (cray_processors(attributes) > 0) {
        return requested;
    }
    const std::string_view exec_vnode = attributes["exec_vnode"].text;
    if (const long long on_vnodes = sum_on_vnodes(exec_vnode, "ncpus"); on_vnodes > 0) {
        return on_vnodes;
    }
    const std::string_view exec_host = attributes["exec_host"].text;
    // One slot may stand for a host whose processors are all of one machine.
    const long long used = attributes.number("resources_used.ncpus");
    if (const long long slots = std::max(slots_in(exec_host), used); slots > 0) {
        // PBS Pro writes "n1/0*8", and never allocates less than select.
        return attributes["Resource_List.select"].text.empty() ? slots : std::max(slots, requested);
    }
    return requested > 0 ? requested : count_names(exec_host);
}

long long nodes_of(const PbsAttributes& attributes) {
    if (const long long nodes = attributes.number("unique_node_count"); nodes > 0) {
        return nodes;
    }
    if (cray_processors(attributes) > 0) {
        return cray_nodes(attributes).value_or(-1);
    }
    const long long nodect = attributes.number("Resource_List.nodect");
    const std::string_view exec_vnode = attributes["exec_vnode"].text;
    if (!exec_vnode.empty()) {
        // Chunks may share a node, and a node may have several vnodes.
        const long long vnodes = vnodes_in(exec_vnode);
        return nodect > 0 ? std::min(nodect, vnodes) : vnodes;
    }
    // TORQUE counts one node for procs=N. Cobalt names a partition.
    const long long named = std::max(nodect, count_names(attributes["exec_host"].text));
    return named > 0 ? named : std::max(selected(attributes).chunks, requested_nodes(attributes).chunks);
}

long long gpus_of_record(const PbsAttributes& attributes) {
    if (const long long gpus = selected(attributes).gpus; gpus > 0) {
        return gpus;
    }
    if (const long long gpus = requested_nodes(attributes).gpus; gpus > 0) {
        return gpus;
    }
    const long long on_vnodes = sum_on_vnodes(attributes["exec_vnode"].text, "ngpus");
    if (on_vnodes > 0) {
        return on_vnodes;
    }
    const long long slots = slots_in(attributes["exec_gpus"].text);
    return slots > 0 ? slots : number_in<long long>(attributes["Resource_List.gpus"].text).value_or(0);
}

}  // namespace batfill
