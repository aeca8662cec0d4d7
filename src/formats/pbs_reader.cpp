#include <algorithm>
#include <map>
#include <set>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/json.hpp"
#include "src/support/numbers.hpp"
#include "src/support/split.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_line_size = 16 << 20;  // a job on all nodes of a large machine names each of them

// The attributes of an E record: KEY=VALUE, separated by blanks. A value may be in quotes.
class Attributes {
 public:
    explicit Attributes(std::string_view text) {
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
            const bool is_quoted = text.starts_with('"') || text.starts_with('\'');
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

// Processors in exec_host: "node/0*4+node2/0*4" (PBS), "node/0-7,9+node2/0-3" or "node/0+node/1" (TORQUE).
long long processors_in(std::string_view exec_host) {
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

long long nodes_in(std::string_view exec_host) {
    std::set<std::string_view> hosts;
    for_each_part(exec_host, '+', [&](std::string_view part) { hosts.insert(cut(part, '/').first); });
    return static_cast<long long>(hosts.size());
}

// Processors in TORQUE's Resource_List.nodes: "2:ppn=8+1:ppn=4".
long long processors_in_nodes(std::string_view nodes) {
    long long processors = 0;
    for_each_part(nodes, '+', [&](std::string_view part) {
        const Microseconds number = number_in<long long>(cut(part, ':').first).value_or(1);
        const std::size_t ppn = part.find(":ppn=");
        const std::string_view text = ppn == std::string_view::npos ? "1" : part.substr(ppn + 5);
        processors += checked(number * number_in<long long>(cut(text, ':').first).value_or(1), part);
    });
    return processors;
}

void read_size(const Attributes& attributes, bool counts_nodes, AccountedJob& job) {
    const std::string_view exec_host = attributes["exec_host"].text;
    if (counts_nodes) {
        job.requested = job.allocated =
            exec_host.empty() ? attributes.number("Resource_List.nodect") : nodes_in(exec_host);
        return;
    }
    job.requested = attributes.number("Resource_List.ncpus");
    if (job.requested <= 0) {
        job.requested = attributes.number("Resource_List.procs");
    }
    if (job.requested <= 0) {
        job.requested = processors_in_nodes(attributes["Resource_List.nodes"].text);
    }
    job.allocated = processors_in(exec_host);
    job.allocated = job.allocated > 0 ? job.allocated : job.requested;
}

// Whether the record has what the batch system writes to its end.
bool is_complete(const Attributes& attributes) {
    return attributes.number("end") > 0 && attributes.number("end") >= attributes.number("start");
}

void add_end_record(std::string_view id, const Attributes& attributes, bool counts_nodes, std::size_t line,
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
    read_size(attributes, counts_nodes, job);
    const std::string_view status = attributes["Exit_status"].text;
    job.state = status.empty() ? "" : status == "0" ? "completed" : "failed";
    job.user = attributes["user"].text;
    job.queue = attributes["queue"].text;
    builder.add_field("account", attributes["account"].text);
    const std::string_view project = attributes["project"].text;
    builder.add_field("project", project == "_pbs_project_default" ? "" : project);
    builder.add_field("gpus", attributes["Resource_List.ngpus"].text);
    builder.add_field("nodes", attributes["Resource_List.nodect"].text);
    if (const auto bytes = read_bytes(attributes["Resource_List.mem"].text, 1)) {
        builder.add_field("memory", *bytes);
    }
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
    const Attributes read(attributes);
    if (id.find("[]") != std::string_view::npos) {
        builder.leave_out("array, whose jobs have records of their own");
    } else {
        add_end_record(id, read, counts_nodes, number, builder);
    }
    return is_complete(read);
}

}  // namespace

void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    std::size_t incomplete = 0;  // the number of the last line, if its record is incomplete
    const bool ends_with_line = for_each_line(
        path, max_line_size, "an accounting log of PBS or TORQUE", {FileKind::table, FileKind::empty},
        [&](std::string_view line, std::size_t number) {
            const std::string_view record = trimmed(line);
            incomplete = record.empty() || add_record(record, data.counts_nodes, number, builder) ? 0 : number;
        });
    if (incomplete > 0 && !ends_with_line) {
        throw InputError(path + ":" + std::to_string(incomplete) +
                         ": expected the end of a record, with end=SECONDS, found the end of the file");
    }
}

}  // namespace batfill
