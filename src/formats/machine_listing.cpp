#include "src/formats/machine_listing.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>

#include "src/formats/host_amounts.hpp"
#include "src/formats/named_platform.hpp"
#include "src/formats/tres.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_listing_size = std::size_t{256} << 20;
constexpr std::size_t most_nodes = 1'000'000;

constexpr const char* wanted =
    "what `scontrol show node`, `sinfo -N -o \"%N %P %c %m %G\"` with its first line, or `pbsnodes -F json` prints, or "
    "a SimGrid platform";
constexpr const char* clear_sinfo = "`sinfo -N -o \"%N|%P|%c|%m|%G\"`";

// An amount that a listing says. Rows of sinfo for several nodes show the least of them, with a '+'.
struct Stated {
    std::optional<long long> number;
    bool is_least = false;
};

struct Node {
    std::string name;
    std::size_t line = 0;  // 0: unknown
    Stated cores;
    Stated bytes;
    GpuCount gpus;
    FurtherResources further;
    std::set<std::string, std::less<>> partitions;
};

// Words for a value that is not there.
bool is_not_given(std::string_view value) {
    constexpr auto words = std::to_array<std::string_view>({"", "(null)", "N/A", "none", "null"});
    return is_word_of(value, words);
}

std::optional<long long> number_up_to(std::string_view what, std::string_view value, long long most) {
    if (is_not_given(value)) {
        return std::nullopt;
    }
    const auto number = number_in<long long>(value);
    refuse_if<InputError>(!number || *number < 0 || *number > most, [&] {
        return std::string(what) + ": expected a whole number from 0 to " + std::to_string(most) + ", found " +
               excerpt(value);
    });
    return number;
}

std::optional<long long> cores_of(std::string_view what, std::string_view value) {
    return number_up_to(what, value, HostAmounts::most);
}

std::optional<long long> mebibytes_of(std::string_view what, std::string_view value) {
    const auto number = number_up_to(what, value, most_bytes / mebibyte);
    return number ? std::optional(*number * mebibyte) : std::nullopt;
}

void require_name(std::string_view what, std::string_view name) {
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
        return c > ' ' && c < '\x7f' && std::string_view(",:=|<>&\"'").find(c) == std::string_view::npos;
    });
    refuse_if<InputError>(!is_name,
                          [&] { return "expected the name of a " + std::string(what) + ", found " + excerpt(name); });
}

void add_partitions(std::string_view list, Node& node) {
    if (is_not_given(list)) {
        return;
    }
    for (std::string_view name : split(list, ',')) {
        name = trimmed(name);
        require_name("partition", name);
        node.partitions.emplace(name);
    }
}

// The nodes of a listing, and what was left out of it.
class Nodes {
 public:
    Nodes(const std::string& path, std::string kind) : path_(path), kind_(std::move(kind)) {}

    // What happens to a node that comes again.
    using Join = std::function<void(Node& known, Node&& again)>;

    // Throws: InputError without `join` for a node that is there already.
    void add(Node&& node, const Join& join = {}) {
        require_name("node", node.name);
        refuse_if<InputError>(node.name == default_master_host,
                              "a node is named master_host, expected another name: Batsim has one");
        const auto [known, is_new] = places_.try_emplace(node.name, nodes_.size());
        if (is_new) {
            nodes_.push_back(std::move(node));
            refuse_if<InputError>(nodes_.size() > most_nodes, "expected at most ", most_nodes, " nodes, found more");
        } else if (join) {
            join(nodes_[known->second], std::move(node));
        } else {
            const std::size_t line = nodes_[known->second].line;
            throw InputError("found node " + node.name + " again" +
                             (line > 0 ? " (before in line " + std::to_string(line) + ")" : "") +
                             ", expected each node once");
        }
    }

    // Counts something that concerns a host.
    void note(const std::string& what, const std::string& host) { noted_[what].insert(host); }

    // Adds a list of generic resources, or of TRES.
    void add_resources(std::string_view list, Node& node) {
        if (is_not_given(list)) {
            return;
        }
        refuse_if<InputError>(std::ranges::count(list, '(') != std::ranges::count(list, ')'), [&] {
            return "found the resources " + excerpt(list) + ", which end in the middle, expected all of them";
        });
        // These are not counted by jobs, so they limit none.
        constexpr std::string_view uncounted = ":no_consume";
        std::string counted(list);
        for (std::size_t at = counted.find(uncounted); at != std::string::npos; at = counted.find(uncounted)) {
            const std::size_t before = counted.rfind(',', at);
            const std::size_t begin = before == std::string::npos ? 0 : before + 1;
            note("left out: " + counted.substr(begin, at + uncounted.size() - begin), node.name);
            counted.erase(begin, std::min(counted.find(',', at), counted.size()) - begin + 1);
        }
        node.gpus = count_gpus(counted);
        node.further = further_resources(counted);
    }

    MachineListing finish() {
        if (std::ranges::none_of(nodes_, [](const Node& node) { return node.cores.number.value_or(0) > 0; })) {
            throw InputError(path_ + ": expected nodes with cores, found none");
        }
        std::ranges::sort(nodes_, {}, &Node::name);
        MachineListing listing;
        listing.kind = kind_;
        listing.platform = homogeneous_platform(static_cast<int>(nodes_.size()));
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            give(nodes_[i], listing.platform.hosts[i]);
        }
        for (const auto& [what, hosts] : noted_) {
            listing.notes.emplace_back(what, hosts.size());
        }
        with_place_in_errors(path_, [&] { const Resources checked(listing.platform.hosts); });
        return listing;
    }

 private:
    void give(const Node& node, Host& host) {
        HostAmounts amounts(1);
        amounts.set_cores(node.cores.number, "");
        amounts.set_gpus(node.gpus, "");
        amounts.set_memory(node.bytes.number, "");
        amounts.set_further(node.further, false);
        host.name = node.name;
        const StatedNeeds::Amounts known = amounts.amounts();
        if (!known.empty()) {
            host.properties["capacity"] = capacity_text(known);
        }
        if (!node.partitions.empty()) {
            host.properties["partitions"] = list_of({node.partitions.begin(), node.partitions.end()}, ",");
        }
        for (const std::string& resource : amounts.unkept()) {
            note("left out: " + resource, node.name);
        }
        const auto count = [&](bool holds, const char* what) {
            if (holds) {
                note(what, node.name);
            }
        };
        count(node.cores.number.value_or(0) <= 0, "cores unknown");
        count(node.bytes.number.value_or(0) <= 0, "memory unknown");
        count(node.cores.is_least || node.bytes.is_least, "the least of several nodes, with a +");
    }

    const std::string& path_;
    std::string kind_;
    std::vector<Node> nodes_;
    std::unordered_map<std::string, std::size_t> places_;  // in nodes_, by name
    std::map<std::string, std::set<std::string>> noted_;   // names of hosts
};

// A line of a text, without its line end, and its number, from 1.
struct Line {
    std::string_view text;
    std::size_t number;
};

// Lines with something in them.
std::vector<Line> lines_of(std::string_view text, const std::string& path) {
    std::vector<Line> lines;
    for_each_line_in(text, path, max_listing_size, [&](std::string_view line, std::size_t number) {
        line.remove_suffix(line.ends_with('\r') ? 1 : 0);
        if (!trimmed(line).empty()) {
            lines.push_back({line, number});
        }
    });
    return lines;
}

// A word "KEY=VALUE". None without '='.
std::optional<std::pair<std::string_view, std::string_view>> pair_of(std::string_view word) {
    return word.find('=') == std::string_view::npos ? std::nullopt : std::optional(cut(word, '='));
}

// What `scontrol show node` says of a node, by key.
struct ScontrolNode {
    std::size_t line = 0;
    std::map<std::string_view, std::string_view> values;

    std::string_view operator[](std::string_view key) const {
        const auto found = values.find(key);
        return found == values.end() ? std::string_view() : found->second;
    }
};

// The amounts of a node of Slurm in its own terms. An empty text: not said.
struct SlurmNode {
    std::string_view effective_cores;
    std::string_view cores;
    std::string_view memory;       // MiB
    std::string_view kept_memory;  // MiB, for the system
    std::string_view resources;
    std::string_view tres;
};

void add_amounts(const SlurmNode& stated, Nodes& nodes, Node& node) {
    const std::optional<long long> effective = cores_of("CPUEfctv", stated.effective_cores);
    node.cores.number = effective ? effective : cores_of("CPUTot", stated.cores);
    node.bytes.number = mebibytes_of("RealMemory", stated.memory);
    if (const auto kept = mebibytes_of("MemSpecLimit", stated.kept_memory); kept && node.bytes.number) {
        node.bytes.number = std::max(*node.bytes.number - *kept, 0LL);
    }
    if (!node.cores.number) {
        node.cores.number = cores_of("cpu of CfgTRES", item_of(stated.tres, "cpu").value_or(""));
    }
    if (!node.bytes.number) {
        node.bytes.number = read_bytes(item_of(stated.tres, "mem").value_or(""), mebibyte);
    }
    nodes.add_resources(stated.resources.empty() ? stated.tres : stated.resources, node);
}

void add_node(const ScontrolNode& stated, Nodes& nodes) {
    Node node;
    node.name = stated["NodeName"];
    node.line = stated.line;
    if (node.name.find('[') != std::string::npos) {
        throw InputError("found the list of nodes " + excerpt(node.name) +
                         ", as in slurm.conf, expected a node, as `scontrol show node` prints it");
    }
    add_partitions(stated["Partitions"], node);
    add_amounts({stated["CPUEfctv"], stated["CPUTot"], stated["RealMemory"], stated["MemSpecLimit"], stated["Gres"],
                 stated["CfgTRES"]},
                nodes, node);
    nodes.add(std::move(node));
}

// Adds the values of a line: those that matter have no blanks. Text of users goes to the end of the line.
void add_values(std::string_view line, ScontrolNode& node) {
    constexpr auto used = std::to_array<std::string_view>(
        {"NodeName", "CPUEfctv", "CPUTot", "RealMemory", "MemSpecLimit", "Gres", "CfgTRES", "Partitions"});
    constexpr auto texts = std::to_array<std::string_view>({"Reason", "Comment", "Extra"});
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        const auto pair = pair_of(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
        if (!pair) {
            continue;
        }
        if (std::ranges::find(texts, pair->first) != texts.end()) {
            return;
        }
        if (std::ranges::find(used, pair->first) != used.end()) {
            node.values.insert(*pair);
        }
    }
}

MachineListing read_scontrol(const std::vector<Line>& lines, const std::string& path) {
    Nodes nodes(path, "scontrol show node");
    ScontrolNode node;
    const auto finish_node = [&] {
        if (node.line > 0) {
            with_place_in_errors(path + ":" + std::to_string(node.line), [&] { add_node(node, nodes); });
        }
    };
    for (const Line& line : lines) {
        const std::string_view text = trimmed(line.text);
        if (text.starts_with("NodeName=")) {
            finish_node();
            node = {line.number, {}};
        } else if (text.starts_with("PartitionName=") || text.starts_with("JobId=")) {
            throw InputError(path + ":" + std::to_string(line.number) + ": expected a node, found " + excerpt(text));
        }
        add_values(text, node);
    }
    finish_node();
    return nodes.finish();
}

// The columns of sinfo that matter, by place.
class SinfoColumns {
 public:
    explicit SinfoColumns(std::string_view header) : header_(header), has_bars_(header.find('|') != std::string::npos) {
        names_ = words_of(header);
    }

    bool is_header() const { return nodes().has_value(); }
    std::optional<std::size_t> nodes() const { return place_of({"NODELIST", "HOSTNAMES"}); }
    std::optional<std::size_t> place_of(std::initializer_list<std::string_view> names) const {
        for (const std::string_view name : names) {
            if (const auto found = std::ranges::find(names_, name); found != names_.end()) {
                return static_cast<std::size_t>(found - names_.begin());
            }
        }
        return std::nullopt;
    }

    // The values of a row.
    // Throws: InputError if it has another number of columns, or ends where sinfo cuts columns.
    std::vector<std::string_view> values_in(std::string_view row) const {
        std::vector<std::string_view> values = words_of(row);
        const bool ends_in_text = names_.back() == "REASON" || names_.back() == "COMMENT";
        if (values.size() < names_.size() || (values.size() > names_.size() && !ends_in_text)) {
            throw InputError("expected " + counted(names_.size(), "column") + " as in the first line, found " +
                             std::to_string(values.size()) + "; " + clear_sinfo + " keeps them apart");
        }
        const std::size_t end = header_.find_last_not_of(' ') + 1;
        refuse_if<InputError>(
            !has_bars_ && !ends_in_text && end + 1 < header_.size() && row.find_last_not_of(' ') + 1 >= header_.size(),
            "its last column is as wide as sinfo prints it here and may be cut, expected all of it; ", clear_sinfo,
            " cuts nothing");
        return values;
    }

    std::string names() const {
        return list_of(mapped(names_, [](std::string_view name) { return std::string(name); }));
    }

 private:
    std::vector<std::string_view> words_of(std::string_view row) const {
        std::vector<std::string_view> words;
        if (has_bars_) {
            words = split(row, '|');
            std::ranges::transform(words, words.begin(), [](std::string_view word) { return trimmed(word); });
        } else {
            words.resize(split_at_blanks(row, {}));
            split_at_blanks(row, words);
        }
        return words;
    }

    std::string_view header_;
    bool has_bars_;
    std::vector<std::string_view> names_;
};

Stated stated(std::string_view what, std::string_view value,
              std::optional<long long> (*read)(std::string_view, std::string_view)) {
    const bool is_least = value.ends_with('+');
    value.remove_suffix(is_least ? 1 : 0);
    return {read(what, value), is_least};
}

// The cores of each node, of "0/128/0/128": allocated, idle, other and all of them.
Stated cores_of_states(std::string_view value, std::size_t nodes) {
    const std::vector<std::string_view> parts = split(value, '/');
    const auto all = number_up_to("CPUS(A/I/O/T)", parts.back(), HostAmounts::most);
    if (parts.size() != 4 || !all || *all % static_cast<long long>(nodes) != 0) {
        throw InputError("CPUS(A/I/O/T): expected four numbers, the last for " + counted(nodes, "equal node") +
                         ", found " + excerpt(value) + "; CPUS (%c) says the cores of each");
    }
    return {*all / static_cast<long long>(nodes)};
}

// Keeps the one that is exact, or says more.
void join(const char* what, const std::string& name, Stated& known, const Stated& again) {
    if (!known.number || (known.is_least && !again.is_least && again.number)) {
        known = again;
    } else if (again.number && known.is_least && again.is_least) {
        known.number = std::max(known.number, again.number);
    } else if (again.number && !again.is_least && known.number != again.number) {
        throw InputError("node " + name + ": expected " + std::to_string(*known.number) + ' ' + what +
                         " as in a row before, found " + std::to_string(*again.number));
    }
}

void join_rows(Node& known, Node&& again) {
    join("cores", known.name, known.cores, again.cores);
    join("bytes of memory", known.name, known.bytes, again.bytes);
    refuse_if<InputError>(known.gpus.total() != again.gpus.total() || known.gpus.types() != again.gpus.types() ||
                              known.further != again.further,
                          "node ", known.name, ": expected the same GRES as in a row before, found others");
    known.partitions.merge(again.partitions);
}

MachineListing read_sinfo(const std::vector<Line>& lines, std::size_t header, const std::string& path) {
    Nodes nodes(path, "sinfo");
    const SinfoColumns columns(lines[header].text);
    const auto cores = columns.place_of({"CPUS"});
    const auto states = columns.place_of({"CPUS(A/I/O/T)"});
    if (!cores && !states) {
        throw InputError(path + ":" + std::to_string(lines[header].number) + ": expected a column CPUS, found only " +
                         columns.names() + "; print " + "`sinfo -N -o \"%N %P %c %m %G\"`");
    }
    const auto partition = columns.place_of({"PARTITION"});
    const auto memory = columns.place_of({"MEMORY"});
    const auto resources = columns.place_of({"GRES"});
    const auto add_row = [&](const Line& line) {
        const std::vector<std::string_view> values = columns.values_in(line.text);
        if (values[*columns.nodes()] == "NODELIST" || values[*columns.nodes()] == "HOSTNAMES") {
            return;  // the first line again, of a listing behind another one
        }
        std::vector<std::string> names = names_of_hosts(values[*columns.nodes()]);
        if (names.empty()) {
            throw InputError("expected a node or a list such as n[01-04], found " + excerpt(values[*columns.nodes()]));
        }
        Node row;
        row.line = line.number;
        row.name = names.front();
        row.cores = cores ? stated("CPUS", values[*cores], cores_of) : cores_of_states(values[*states], names.size());
        if (memory) {
            row.bytes = stated("MEMORY", values[*memory], mebibytes_of);
        }
        if (partition) {
            std::string_view name = values[*partition];
            name.remove_suffix(name.ends_with('*') ? 1 : 0);  // the default partition
            add_partitions(name, row);
        }
        if (resources) {
            nodes.add_resources(values[*resources], row);
        }
        for (std::string& name : names) {
            Node node = row;
            node.name = std::move(name);
            nodes.add(std::move(node), join_rows);
        }
    };
    for (std::size_t i = header + 1; i < lines.size(); ++i) {
        with_place_in_errors(path + ":" + std::to_string(lines[i].number), [&] { add_row(lines[i]); });
    }
    return nodes.finish();
}

// The attributes of a vnode of PBS by name, such as "resources_available.ncpus" and "queue".
using VnodeAttributes = std::map<std::string, std::string, std::less<>>;

class PbsNodes {
 public:
    explicit PbsNodes(const std::string& path) : nodes_(path, "pbsnodes") {}

    // Throws: InputError.
    void add(std::string_view name, std::size_t line, const VnodeAttributes& attributes) {
        refuse_if<InputError>(!vnodes_.emplace(name).second,
                              [&] { return "found vnode " + excerpt(name) + " again, expected each once"; });
        const auto value = [&](std::string_view key) {
            const auto found = attributes.find(key);
            return found == attributes.end() ? std::string_view() : std::string_view(found->second);
        };
        const auto first = [&](std::initializer_list<std::string_view> keys) {
            for (const std::string_view key : keys) {
                if (!value(key).empty()) {
                    return std::pair(key, value(key));
                }
            }
            return std::pair(*keys.begin(), std::string_view());
        };
        Node node;
        node.name = name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
        node.line = line;
        const auto cores = first({"resources_available.ncpus", "pcpus", "np"});
        node.cores.number = cores_of(cores.first, cores.second);
        const auto gpus = first({"resources_available.ngpus", "gpus"});
        if (const auto number = number_up_to(gpus.first, gpus.second, HostAmounts::most)) {
            node.gpus.add("gpu", *number);
        }
        const auto memory = first({"resources_available.mem", "physmem"});
        if (!is_not_given(memory.second)) {
            node.bytes.number = read_bytes(memory.second, 1);
            if (!node.bytes.number) {
                throw InputError(std::string(memory.first) + ": expected a size such as 263857372kb, found " +
                                 excerpt(memory.second));
            }
        }
        add_partitions(first({"queue", "resources_available.Qlist"}).second, node);
        name_others(attributes, node.name);
        nodes_.add(std::move(node), [](Node& known, Node&& again) {
            const auto sum = [](std::optional<long long> a, std::optional<long long> b, long long most) {
                return a && b ? std::optional(*a > most - *b ? most : *a + *b) : a ? a : b;
            };
            known.cores.number = sum(known.cores.number, again.cores.number, HostAmounts::most);
            known.bytes.number = sum(known.bytes.number, again.bytes.number, most_bytes);
            known.gpus.add("gpu", again.gpus.total().value_or(0));
            known.partitions.merge(again.partitions);
        });
    }

    MachineListing finish() {
        MachineListing listing = nodes_.finish();
        listing.queues_are_open = true;
        return listing;
    }

 private:
    // Counts amounts that are none here.
    void name_others(const VnodeAttributes& attributes, const std::string& host) {
        constexpr auto known = std::to_array<std::string_view>({"ncpus", "mem", "ngpus", "host", "vnode", "Qlist"});
        constexpr std::string_view prefix = "resources_available.";
        for (const auto& [key, value] : attributes) {
            const std::string_view name = std::string_view(key).substr(key.starts_with(prefix) ? prefix.size() : 0);
            if (key.starts_with(prefix) && !is_word_of(name, known) && read_bytes(value, 1).value_or(0) > 0) {
                nodes_.note("left out: " + std::string(name), host);
            }
        }
    }

    Nodes nodes_;
    std::set<std::string, std::less<>> vnodes_;
};

MachineListing read_pbs_text(const std::vector<Line>& lines, const std::string& path) {
    PbsNodes nodes(path);
    Line name{"", 0};
    VnodeAttributes attributes;
    const auto finish_node = [&] {
        if (name.number > 0) {
            with_place_in_errors(path + ":" + std::to_string(name.number),
                                 [&] { nodes.add(trimmed(name.text), name.number, attributes); });
        }
        attributes.clear();
    };
    for (const Line& line : lines) {
        if (line.text.front() != ' ' && line.text.front() != '\t') {
            finish_node();
            name = line;
            continue;
        }
        const auto [key, value] = cut(line.text, '=');
        attributes.emplace(trimmed(key), trimmed(value));
        if (trimmed(key) == "status") {  // of TORQUE: "rectime=1700000000,physmem=65839732kb"
            for (const std::string_view item : split(value, ',')) {
                if (trimmed(item).starts_with("physmem=")) {
                    attributes.emplace("physmem", cut(trimmed(item), '=').second);
                }
            }
        }
    }
    finish_node();
    return nodes.finish();
}

// A number or a text as text. Empty: something else.
std::string text_of(const JsonValue& value) {
    if (value.IsInt64()) {
        return std::to_string(value.GetInt64());
    }
    if (value.IsString()) {
        return std::string(view(value));
    }
    std::string text;
    if (value.IsNumber()) {
        append_exact_json(value, text);
    }
    return text;
}

MachineListing read_pbs_json(const JsonValue& nodes, const std::string& path) {
    PbsNodes read(path);
    for (const auto& member : nodes.GetObject()) {
        const std::string_view name = view(member.name);
        with_place_in_errors(path + ": node " + excerpt(name), [&] {
            refuse_if<InputError>(!member.value.IsObject(), "expected an object, found another value");
            VnodeAttributes attributes;
            for (const auto& attribute : member.value.GetObject()) {
                attributes.emplace(view(attribute.name), text_of(attribute.value));
            }
            if (const JsonValue* const available = member_of(&member.value, "resources_available");
                available != nullptr && available->IsObject()) {
                for (const auto& resource : available->GetObject()) {
                    attributes.emplace("resources_available." + std::string(view(resource.name)),
                                       text_of(resource.value));
                }
            }
            read.add(name, 0, attributes);
        });
    }
    return read.finish();
}

// A number of Slurm, which may be {"set": true, "number": 64}.
std::string slurm_number(const JsonValue& node, const char* name) {
    const JsonValue* number = member_of(&node, name);
    if (number != nullptr && number->IsObject()) {
        const JsonValue* const is_set = member_of(number, "set");
        number = is_set != nullptr && is_set->IsBool() && !is_set->GetBool() ? nullptr : member_of(number, "number");
    }
    return number == nullptr ? std::string() : text_of(*number);
}

MachineListing read_scontrol_json(const JsonValue& stated, const std::string& path) {
    Nodes nodes(path, "scontrol show node");
    for (const JsonValue& one : stated.GetArray()) {
        Node node;
        node.name = text_in(&one, "name");
        with_place_in_errors(path + ": node " + excerpt(node.name), [&] {
            if (const JsonValue* const partitions = member_of(&one, "partitions");
                partitions != nullptr && partitions->IsArray()) {
                for (const JsonValue& partition : partitions->GetArray()) {
                    add_partitions(text_of(partition), node);
                }
            } else {
                add_partitions(text_in(&one, "partitions"), node);
            }
            add_amounts(
                {slurm_number(one, "effective_cpus"), slurm_number(one, "cpus"), slurm_number(one, "real_memory"),
                 slurm_number(one, "specialized_memory"), text_in(&one, "gres"), text_in(&one, "tres")},
                nodes, node);
            nodes.add(std::move(node));
        });
    }
    return nodes.finish();
}

MachineListing read_json(std::string_view text, const std::string& path) {
    JsonReader reader;
    const JsonValue* const root = with_place_in_errors(path, [&] { return &reader.parse(text); });
    const JsonValue* const nodes = member_of(root, "nodes");
    if (nodes != nullptr && nodes->IsObject()) {
        return read_pbs_json(*nodes, path);
    }
    if (nodes != nullptr && nodes->IsArray()) {
        return read_scontrol_json(*nodes, path);
    }
    throw InputError(path + ": expected " + wanted + ", found JSON without \"nodes\"");
}

}  // namespace

MachineListing read_machine_listing(const std::string& path) {
    return parse_machine_listing(
        read_file(path, max_listing_size, wanted, {FileKind::platform, FileKind::xml, FileKind::json, FileKind::table}),
        path);
}

MachineListing parse_machine_listing(std::string_view text, const std::string& path) {
    const std::string_view beginning = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (beginning.starts_with('<')) {
        return {parse_platform(text, path), "a platform", false, {}};
    }
    if (beginning.starts_with('{') || beginning.starts_with('[')) {
        return read_json(text, path);
    }
    const std::vector<Line> lines = lines_of(text, path);
    if (beginning.starts_with("NodeName=")) {
        return read_scontrol(lines, path);
    }
    // `sinfo -l` prints the date first.
    for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2); ++i) {
        if (SinfoColumns(lines[i].text).is_header()) {
            return read_sinfo(lines, i, path);
        }
    }
    const bool begins_with_name = lines.size() > 1 && lines.front().text.find_first_of(" \t=") == std::string::npos;
    if (begins_with_name && (lines[1].text.front() == ' ' || lines[1].text.front() == '\t') &&
        lines[1].text.find(" = ") != std::string_view::npos) {
        return read_pbs_text(lines, path);
    }
    throw InputError(path + ": expected " + wanted + ", found " +
                     (lines.empty() ? "nothing" : excerpt(trimmed(lines.front().text))));
}

}  // namespace batfill
