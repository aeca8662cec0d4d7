#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/tres.hpp"
#include "src/support/json.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

// Accounting logs of PBS, TORQUE and Cobalt.
namespace batfill {

namespace {

constexpr std::size_t max_pbs_line = 16 << 20;  // a job on all nodes of a large machine names each of them

// The attributes of an E record: KEY=VALUE, separated by blanks. A value may be in quotes. The text must outlive this
// object.
class PbsAttributes {
 public:
    explicit PbsAttributes(std::string_view text) {
        while (!text.empty()) {
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
            const std::size_t equals = text.find('=');
            const std::size_t blank = text.find(' ');
            if (equals == std::string_view::npos || blank < equals) {
                text.remove_prefix(std::min(blank, text.size()));  // a word of a job's name, which is not quoted
                continue;
            }
            const std::string_view key = text.substr(0, equals);
            text.remove_prefix(equals + 1);
            const bool begins_quoted = text.starts_with('"') || text.starts_with('\'');
            const bool is_quoted = begins_quoted && text.find(text.front(), 1) != std::string_view::npos;
            const auto [value, rest] = is_quoted ? cut(text.substr(1), text.front()) : cut(text, ' ');
            values_.emplace(key, value);
            text = rest;
        }
    }

    RecordField operator[](std::string_view key) const {
        const auto found = values_.find(key);
        return {key, found == values_.end() ? std::string_view() : found->second};
    }
    // 0 if it is not a number.
    long long number(std::string_view key) const { return number_in<long long>((*this)[key].text).value_or(0); }

 private:
    std::map<std::string_view, std::string_view> values_;
};

// Calls `use` with the parts of a list such as exec_host.
void for_each_part(std::string_view list, char separator, const auto& use) {
    while (!list.empty()) {
        const auto [part, rest] = cut(list, separator);
        use(part);
        list = rest;
    }
}

// The number of processors in a part of a list; 0 if it is negative. Lists of parts within this limit have sums that do
// not overflow.
// Throws: InputError for more than a job can have.
long long checked(Microseconds processors, std::string_view part) {
    if (processors > most_processors) {
        throw InputError("expected at most " + std::to_string(most_processors) + " processors, found " + excerpt(part));
    }
    return static_cast<long long>(std::max<Microseconds>(processors, 0));
}

// Slots in exec_host: "node/0*4+node2/0*4" (PBS), "node/0-7,9+node2/0-3" or "node/0+node/1" (TORQUE). 0 if no part of
// the list has slots: Cobalt names a partition of the machine.
long long slots_in(std::string_view exec_host) {
    if (exec_host.find('/') == std::string_view::npos) {
        return 0;
    }
    long long processors = 0;
    for_each_part(exec_host, '+', [&](std::string_view part) {
        const std::string_view slots = part.find('/') == std::string_view::npos ? "0" : cut(part, '/').second;
        if (slots.find('*') != std::string_view::npos) {
            processors += checked(number_in<long long>(cut(slots, '*').second).value_or(0), part);
            return;
        }
        for_each_part(slots, ',', [&](std::string_view range) {
            const auto [from, to] = cut(range, '-');
            const std::optional<Microseconds> first = number_in<long long>(from);
            const std::optional<Microseconds> last = number_in<long long>(range.size() == from.size() ? from : to);
            processors += first && last ? checked(*last - *first + 1, part) : 0;
        });
    });
    return processors;
}

// Names of hosts or partitions in exec_host.
long long names_in(std::string_view exec_host) {
    std::set<std::string_view> names;
    for_each_part(exec_host, '+', [&](std::string_view part) { names.insert(cut(part, '/').first); });
    return static_cast<long long>(names.size());
}

// The number that a part such as "2:ppn=8:gpus=1" gives to `name`. None if it does not name it.
std::optional<long long> number_of(std::string_view part, std::string_view name) {
    for (std::size_t at = part.find(name); at != std::string_view::npos; at = part.find(name, at + 1)) {
        const std::string_view rest = part.substr(at + name.size());
        if ((at == 0 || part[at - 1] == ':') && rest.starts_with('=')) {
            return number_in<long long>(cut(rest.substr(1), ':').first);
        }
    }
    return std::nullopt;
}

// Calls `use` with each vnode of exec_vnode: "(n1:ncpus=8+n2:ncpus=4)+(n3:ncpus=8)". A chunk in parentheses may be on
// several vnodes.
void for_each_vnode(std::string_view exec_vnode, const auto& use) {
    for_each_part(exec_vnode, '+', [&](std::string_view part) {
        part.remove_prefix(part.starts_with('(') ? 1 : 0);
        part.remove_suffix(part.ends_with(')') ? 1 : 0);
        use(part);
    });
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
    // A rule on sharing may follow: "4:ppn=2#shared".
    for_each_part(cut(request, '#').first, '+', [&](std::string_view part) {
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
    const auto processors = [](std::string_view part) -> std::optional<long long> {
        const std::optional<long long> each = number_of(part, "ppn");
        const std::optional<long long> threads = number_of(part, each ? "cpp" : "ncpus");
        if (!each || !threads) {
            return each ? each : threads;
        }
        return checked(Microseconds{*each} * *threads, part);
    };
    return chunks_in(nodes.empty() ? attributes["Resource_List.neednodes"].text : nodes, processors, "gpus");
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

// docs/workloads.md has the precedence of the attributes.
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
    return requested > 0 ? requested : names_in(exec_host);
}

long long nodes_of(const PbsAttributes& attributes) {
    if (const long long nodes = attributes.number("unique_node_count"); nodes > 0) {
        return nodes;
    }
    const long long width = attributes.number("Resource_List.mppwidth");
    if (const long long each = attributes.number("Resource_List.mppnppn"); width > 0 && each > 0) {
        return width / each + (width % each > 0 ? 1 : 0);
    }
    const long long nodect = attributes.number("Resource_List.nodect");
    const std::string_view exec_vnode = attributes["exec_vnode"].text;
    if (!exec_vnode.empty()) {
        // Chunks may share a node, and a node may have several vnodes.
        const long long vnodes = vnodes_in(exec_vnode);
        return nodect > 0 ? std::min(nodect, vnodes) : vnodes;
    }
    // TORQUE counts one node for procs=N. Cobalt names a partition, and Cray's PBS the nodes that start a job.
    const long long named = std::max(nodect, names_in(attributes["exec_host"].text));
    return named > 0 ? named : std::max(selected(attributes).chunks, requested_nodes(attributes).chunks);
}

// The number of GPUs of a job; 0 if the record has none.
// Throws: InputError, which names the part, for more than `most_processors`.
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

// Whether the record has what the batch system writes to its end.
bool is_complete(const PbsAttributes& attributes) {
    const auto seconds = [&](std::string_view key) { return number_in<double>(attributes[key].text).value_or(0); };
    return seconds("end") > 0 && seconds("end") >= seconds("start");
}

void add_end_record(std::string_view id, const PbsAttributes& attributes, bool counts_nodes, std::size_t line,
                    LogBuilder& builder) {
    AccountedJob job;
    job.id = cut(id, '.').first;
    job.submit = attributes["qtime"].instant(builder.zone());
    if (const auto created = attributes["ctime"].instant(builder.zone())) {
        job.submit = created;
    }
    job.start = attributes["start"].instant(builder.zone());
    job.end = attributes["end"].instant(builder.zone());
    if (!job.start) {
        builder.leave_out("never started");
        return;
    }
    job.walltime = attributes["Resource_List.walltime"].length();
    job.requested = counts_nodes ? nodes_of(attributes) : requested_processors(attributes);
    job.allocated = counts_nodes ? job.requested : allocated_processors(attributes, job.requested);
    const std::string_view status = attributes["Exit_status"].text;
    job.state = status.empty() ? "" : status == "0" ? "completed" : "failed";
    job.user = attributes["user"].text;
    job.queue = attributes["queue"].text;
    builder.add_field("account", attributes["account"].text);
    const std::string_view project = attributes["project"].text;
    builder.add_field("project", project == "_pbs_project_default" ? "" : project);
    if (const std::string_view gpus = attributes["Resource_List.ngpus"].text; !gpus.empty()) {
        builder.add_field("gpus", gpus);
    } else if (const long long found = gpus_of_record(attributes); found > 0) {
        builder.add_field("gpus", found);
    }
    builder.add_field("nodes", attributes["Resource_List.nodect"].text);
    builder.add_field("memory", read_bytes(attributes["Resource_List.mem"].text, 1));
    builder.add_field("dependency", attributes["depend"].text);
    builder.add(job, line);
}

// Returns whether the record is complete, as far as this can be told.
bool add_record(std::string_view line, bool counts_nodes, std::size_t number, LogBuilder& builder) {
    const auto [date, rest] = cut(line, ';');
    const auto [type, record] = cut(rest, ';');
    const auto [id, attributes] = cut(record, ';');
    if (type.size() != 1 || id.end() == line.end()) {
        throw InputError("expected DATE;TYPE;ID;ATTRIBUTES as PBS and TORQUE write it, found " + in_quotes(line));
    }
    if (type != "E") {
        builder.leave_out("record that is not the end (E) of a job");
        return true;
    }
    const PbsAttributes read(attributes);
    if (id.find("[]") != std::string_view::npos) {
        builder.leave_out("array, whose jobs have records of their own");
    } else {
        add_end_record(id, read, counts_nodes, number, builder);
    }
    return is_complete(read);
}

}  // namespace

void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    const std::string place = path + ":";
    std::size_t incomplete = 0;  // the number of the last line, if its record is incomplete
    std::size_t jobs_before = 0;
    const bool ends_with_line = for_each_line(
        path, max_pbs_line, "an accounting log of PBS or TORQUE", {FileKind::table, FileKind::empty},
        [&](std::string_view line, std::size_t number) {
            const std::string_view record = trimmed(line);
            jobs_before = builder.jobs();
            incomplete = 0;
            builder.read_row(place, number, [&] {
                const bool is_whole = record.empty() || add_record(record, data.counts_nodes, number, builder);
                incomplete = is_whole ? 0 : number;
            });
        });
    if (incomplete == 0 || ends_with_line) {
        return;
    }
    with_place_in_errors(place + std::to_string(incomplete), [&] {
        builder.add_bad_row(place, incomplete,
                            "expected the end of a record, with end=SECONDS, found the end of the file");
    });
    builder.take_back(jobs_before);
}

}  // namespace batfill
