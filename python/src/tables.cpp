#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>

#include "python/src/bindings.hpp"
#include "src/formats/job_id.hpp"
#include "src/formats/job_json.hpp"
#include "src/formats/record_field.hpp"
#include "src/support/calendar.hpp"
#include "src/support/json.hpp"

namespace batfill::python {

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Texts = std::vector<std::string>;

// Columns of a table with a job per row. `users`, `queues`, `licenses` and `others` may be empty.
struct Table {
    Texts ids;
    Doubles submit;
    Doubles processors;
    Doubles walltime;  // NaN: none
    Doubles run_time;
    Doubles deadline;  // NaN: none
    Texts users;
    Texts queues;
    std::vector<Texts> licenses;
    Texts others;  // members of a JSON object
    Texts labels;  // of the rows, for errors
};

// Makes the jobs of a table, row by row.
class TableReader {
 public:
    TableReader(const Table& table, std::string path) : table_(table) { workload_.path = std::move(path); }

    Workload read(std::optional<int> processors) {
        workload_.name = "w0";
        require_ids();
        ids_ = table_.ids;
        changed_ids_ = make_usable(ids_);
        for (std::size_t row = 0; row < ids_.size(); ++row) {
            require_no_signal(row);
            add(row);
        }
        workload_.processors = processors.value_or(widest_);
        return std::move(workload_);
    }

    // After read().
    std::size_t changed_ids() const { return changed_ids_; }

 private:
    [[noreturn]] void fail(std::size_t row, const std::string& problem) const {
        throw InputError("row " + table_.labels[row] + ": " + problem);
    }

    Duration seconds(const Doubles& column, std::size_t row, const char* name, bool positive) const {
        const double value = column(row);
        const std::optional<Duration> seconds = Duration::from_seconds(value);
        if (!seconds || (positive && *seconds <= Duration())) {
            fail(row, std::string(name) + " is " + shown_value(nb::cast(value)) + ", expected " +
                          (positive ? "more than 0 s" : "a number of seconds"));
        }
        return *seconds;
    }

    int processors(std::size_t row) const {
        const double value = table_.processors(row);
        if (!(value >= 1 && value <= 2147483646) || value != std::floor(value)) {
            fail(row, "processors is " + shown_value(nb::cast(value)) + ", expected a whole number from 1");
        }
        return static_cast<int>(value);
    }

    SharedText profile(Duration run_time) {
        const std::string name = "d" + run_time.to_shortest_string();
        const auto [entry, is_new] = workload_.profiles.try_emplace(name);
        if (is_new) {
            entry->second.type = JobProfile::Type::delay;
            entry->second.type_name = "delay";
            entry->second.delay = run_time;
        }
        return texts_.shared(name);
    }

    void require_ids() const {
        std::unordered_map<std::string_view, std::size_t> rows;  // by id
        for (std::size_t row = 0; row < table_.ids.size(); ++row) {
            require_no_signal(row);
            const std::string& id = table_.ids[row];
            if (id.empty()) {
                fail(row, "the id is empty, expected a text");
            }
            const auto [first, is_new] = rows.try_emplace(id, row);
            if (!is_new) {
                fail(row,
                     "id " + shown(id) + " is that of row " + table_.labels[first->second] + ", expected another one");
            }
        }
    }

    // Throws: InputError for fields that nobody could read back.
    void require_readable(std::size_t row, const std::string& fields) {
        if (!readable_.insert(fields).second) {
            return;
        }
        try {
            JsonReader reader;
            static_cast<void>(reader.parse('{' + fields + '}'));
        } catch (const InputError& problem) {
            fail(row, std::string("expected fields that a workload can have: ") + problem.what());
        }
    }

    void add(std::size_t row) {
        JobDescription job;
        job.id = "w0!" + ids_[row];
        job.submit = Time::at(seconds(table_.submit, row, "submit", false));
        job.processors = processors(row);
        widest_ = std::max(widest_, job.processors);
        job.profile = profile(seconds(table_.run_time, row, "run_time", true));
        if (!std::isnan(table_.walltime(row))) {
            job.walltime = seconds(table_.walltime, row, "walltime", true);
        }
        const auto text = [&](const Texts& column) {
            return column.empty() ? SharedText() : texts_.shared(column[row]);
        };
        if (!std::isnan(table_.deadline(row))) {
            job.deadline = Time::at(seconds(table_.deadline, row, "deadline", false));
        }
        if (!table_.licenses.empty()) {
            job.licenses = table_.licenses[row];
        }
        job.user = text(table_.users);
        job.queue = text(table_.queues);
        job.other_fields = text(table_.others);
        require_readable(row, job.other_fields);
        try {
            read_needs_of_other_fields(job);
        } catch (const InputError& problem) {
            fail(row, problem.what());
        }
        workload_.jobs.push_back({std::move(job), {}});
    }

    const Table& table_;
    Workload workload_;
    TextPool texts_;
    std::unordered_set<std::string> readable_;  // fields that were looked at
    Texts ids_;                                 // as workloads may have them
    std::size_t changed_ids_ = 0;
    int widest_ = 1;
};

// A length of time as `import` reads it, in seconds; None for a word that says that there is none.
nb::object length_of(const std::string& name, const std::string& text) {
    const std::optional<Duration> length = RecordField{name, text}.length();
    return length ? nb::cast(seconds_of(*length)) : nb::none();
}

// As above, for an instant in UTC, in microseconds since 1970.
nb::object instant_of(const std::string& name, const std::string& text) {
    TimeZone utc("");
    const std::optional<Instant> instant = RecordField{name, text}.instant(utc);
    return instant ? nb::cast(static_cast<std::int64_t>(instant->first.count())) : nb::none();
}

// The workload, and the number of ids that had to be changed.
std::pair<Jobs, std::size_t> from_table(Texts ids, Doubles submit, Doubles processors, Doubles walltime,
                                        Doubles run_time, Doubles deadline, Texts users, Texts queues,
                                        std::vector<Texts> licenses, Texts others, Texts labels,
                                        std::optional<int> machine, bool believed, const std::string& path) {
    const Table table{std::move(ids),      std::move(submit),   std::move(processors), std::move(walltime),
                      std::move(run_time), std::move(deadline), std::move(users),      std::move(queues),
                      std::move(licenses), std::move(others),   std::move(labels)};
    TableReader reader(table, path);
    Workload workload = reader.read(machine);
    workload.believes_walltimes = believed;
    return {keep(std::move(workload)), reader.changed_ids()};
}

}  // namespace

void bind_tables(nb::module_& module) {
    using nb::arg;
    module.def("from_table", &from_table, arg("ids"), arg("submit"), arg("processors"), arg("walltime"),
               arg("run_time"), arg("deadline"), arg("users"), arg("queues"), arg("licenses"), arg("others"),
               arg("labels"), arg("machine").none(), arg("believed"), arg("path"));
    module.def("length_of", &length_of, arg("name"), arg("text"),
               nb::sig("def length_of(name: str, text: str) -> float | None"));
    module.def("instant_of", &instant_of, arg("name"), arg("text"),
               nb::sig("def instant_of(name: str, text: str) -> int | None"));
    module.def(
        "is_field_of_jobs", [](const std::string& name) { return is_known_field(name); }, arg("name"));
}

}  // namespace batfill::python
