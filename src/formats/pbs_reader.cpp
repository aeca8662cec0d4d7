#include <algorithm>
#include <map>
#include <set>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/file_kind.hpp"
#include "src/support/json.hpp"
#include "src/support/lines.hpp"
#include "src/support/numbers.hpp"

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
            const char quote = text.empty() ? '\0' : text.front();
            std::size_t end = text.find(' ');
            std::size_t begin = 0;
            if (quote == '"' || quote == '\'') {
                begin = 1;
                end = text.find(quote, 1);
            }
            end = std::min(end, text.size());
            values_.emplace(key, text.substr(begin, end - begin));
            text.remove_prefix(std::min(end + begin, text.size()));
        }
    }

    // "" if there is none.
    std::string_view operator[](std::string_view key) const {
        const auto found = values_.find(key);
        return found == values_.end() ? std::string_view() : found->second;
    }

 private:
    std::map<std::string_view, std::string_view> values_;
};

// Calls `use` with the parts of a list such as exec_host.
template <class Use>
void for_each_part(std::string_view list, Use use) {
    while (!list.empty()) {
        const std::size_t plus = std::min(list.find('+'), list.size());
        use(list.substr(0, plus));
        list.remove_prefix(std::min(plus + 1, list.size()));
    }
}

// Processors in exec_host: "node/0*4+node2/0*4" (PBS), "node/0-7,9+node2/0-3" or "node/0+node/1" (TORQUE).
long long processors_in(std::string_view exec_host) {
    long long processors = 0;
    for_each_part(exec_host, [&](std::string_view part) {
        const std::size_t slash = part.find('/');
        std::string_view slots = slash == std::string_view::npos ? "0" : part.substr(slash + 1);
        if (const std::size_t star = slots.find('*'); star != std::string_view::npos) {
            processors += number_in<long long>(slots.substr(star + 1)).value_or(0);
            return;
        }
        while (!slots.empty()) {
            const std::string_view range = slots.substr(0, slots.find(','));
            const std::size_t dash = range.find('-');
            const auto first = number_in<long long>(range.substr(0, dash));
            const auto last = dash == std::string_view::npos ? first : number_in<long long>(range.substr(dash + 1));
            processors += first && last && *last >= *first ? *last - *first + 1 : 0;
            slots.remove_prefix(std::min(range.size() + 1, slots.size()));
        }
    });
    return processors;
}

long long nodes_in(std::string_view exec_host) {
    std::set<std::string_view> hosts;
    for_each_part(exec_host, [&](std::string_view part) { hosts.insert(part.substr(0, part.find('/'))); });
    return static_cast<long long>(hosts.size());
}

// Processors in TORQUE's Resource_List.nodes: "2:ppn=8+1:ppn=4".
long long processors_in_nodes(std::string_view nodes) {
    long long processors = 0;
    for_each_part(nodes, [&](std::string_view part) {
        const long long number = number_in<long long>(part.substr(0, part.find(':'))).value_or(1);
        const std::size_t ppn = part.find(":ppn=");
        const std::string_view text = ppn == std::string_view::npos ? "1" : part.substr(ppn + 5);
        processors += number * number_in<long long>(text.substr(0, text.find(':'))).value_or(1);
    });
    return processors;
}

class Reader {
 public:
    Reader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder) {}

    void add(std::string_view line, std::size_t number);

 private:
    void add_end_record(std::string_view id, const Attributes& attributes, std::size_t line);
    void read_size(const Attributes& attributes, AccountedJob& job) const;
    void read_fields(const Attributes& attributes);

    const AccountingData& data_;
    LogBuilder& builder_;
};

std::optional<Duration> instant(const Attributes& attributes, const char* key) {
    const std::string_view text = attributes[key];
    if (text.empty()) {
        return std::nullopt;
    }
    const std::optional<Duration> value = Duration::parse(text);
    if (!value) {
        throw InputError(std::string(key) + " is " + in_quotes(text) + ", expected seconds since 1970");
    }
    return value;
}

std::optional<Duration> length(const Attributes& attributes, const char* key) {
    const std::string_view text = attributes[key];
    if (text.empty()) {
        return std::nullopt;
    }
    const std::optional<Duration> value = read_length(text);
    if (!value) {
        throw InputError(std::string(key) + " is " + in_quotes(text) + ", expected a length such as 12:00:00");
    }
    return value;
}

void Reader::read_size(const Attributes& attributes, AccountedJob& job) const {
    const std::string_view exec_host = attributes["exec_host"];
    const auto number = [&](const char* key) { return number_in<long long>(attributes[key]).value_or(0); };
    if (data_.counts_nodes) {
        const long long nodes = exec_host.empty() ? number("Resource_List.nodect") : nodes_in(exec_host);
        job.requested = job.allocated = nodes;
        return;
    }
    job.requested = number("Resource_List.ncpus");
    if (job.requested <= 0) {
        job.requested = number("Resource_List.procs");
    }
    if (job.requested <= 0) {
        job.requested = processors_in_nodes(attributes["Resource_List.nodes"]);
    }
    job.allocated = processors_in(exec_host);
    job.allocated = job.allocated > 0 ? job.allocated : job.requested;
    if (std::max(job.requested, job.allocated) > most_processors) {
        throw InputError("expected at most " + std::to_string(most_processors) + " processors, found " +
                         std::to_string(std::max(job.requested, job.allocated)));
    }
}

void Reader::read_fields(const Attributes& attributes) {
    builder_.add_field("account", attributes["account"]);
    const std::string_view project = attributes["project"];
    builder_.add_field("project", project == "_pbs_project_default" ? "" : project);
    builder_.add_field("gpus", attributes["Resource_List.ngpus"]);
    builder_.add_field("nodes", attributes["Resource_List.nodect"]);
    if (const auto bytes = read_bytes(attributes["Resource_List.mem"], 1)) {
        builder_.add_field("memory", *bytes);
    }
    builder_.add_field("dependency", attributes["depend"]);
}

void Reader::add_end_record(std::string_view id, const Attributes& attributes, std::size_t line) {
    AccountedJob job;
    job.id = id.substr(0, id.find('.'));
    job.submit = instant(attributes, "qtime");
    if (const auto created = instant(attributes, "ctime")) {
        job.submit = created;
    }
    job.start = instant(attributes, "start");
    job.end = instant(attributes, "end");
    if (!job.start || *job.start == Duration()) {
        builder_.leave_out("never started");
        return;
    }
    job.walltime = length(attributes, "Resource_List.walltime");
    read_size(attributes, job);
    const std::string_view status = attributes["Exit_status"];
    job.state = status.empty() ? "" : status == "0" ? "completed" : "failed";
    job.user = attributes["user"];
    job.queue = attributes["queue"];
    read_fields(attributes);
    builder_.add(job, line);
}

void Reader::add(std::string_view line, std::size_t number) {
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    if (line.find_first_not_of(' ') == std::string_view::npos) {
        return;
    }
    // DATE;TYPE;ID;ATTRIBUTES
    const std::size_t first = line.find(';');
    const std::size_t second = first == std::string_view::npos ? first : line.find(';', first + 1);
    const std::size_t third = second == std::string_view::npos ? second : line.find(';', second + 1);
    if (third == std::string_view::npos || second != first + 2) {
        throw InputError("expected DATE;TYPE;ID;ATTRIBUTES as PBS and TORQUE write it, found " + in_quotes(line));
    }
    const char type = line[first + 1];
    const std::string_view id = line.substr(second + 1, third - second - 1);
    if (type != 'E') {
        builder_.leave_out("record that is not the end (E) of a job");
    } else if (id.find("[]") != std::string_view::npos) {
        builder_.leave_out("array, whose jobs have records of their own");
    } else {
        add_end_record(id, Attributes(line.substr(third + 1)), number);
    }
}

}  // namespace

void read_pbs(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    Reader reader(data, builder);
    for_each_line(
        path, max_line_size,
        [&](std::string_view beginning) {
            require_kind(beginning, path, "an accounting log of PBS or TORQUE", {FileKind::table, FileKind::empty});
        },
        [&](std::string_view line, std::size_t number) {
            try {
                reader.add(line, number);
            } catch (const InputError& error) {
                throw InputError(path + ":" + std::to_string(number) + ": " + error.what());
            }
        });
}

}  // namespace batfill
