#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>

#include "bindings.hpp"
#include "src/support/json.hpp"

namespace batfill::python {

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Texts = std::vector<std::string>;

// Columns of a table with a job per row. `users`, `queues` and `others` may be empty.
struct Table {
    Texts ids;
    Doubles submit;
    Doubles processors;
    Doubles walltime;  // NaN: none
    Doubles run_time;
    Texts users;
    Texts queues;
    Texts others;  // members of a JSON object
    Texts labels;  // of the rows, for errors
};

// Makes the jobs of a table, row by row.
class TableReader {
 public:
    TableReader(const Table& table, std::string path) : table_(table) { workload_.path = std::move(path); }

    Workload read(std::optional<int> processors) {
        workload_.name = "w0";
        for (std::size_t row = 0; row < table_.ids.size(); ++row) {
            add(row);
        }
        workload_.processors = processors.value_or(widest_);
        return std::move(workload_);
    }

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

    void add(std::size_t row) {
        JobDescription job;
        const auto [first, is_new] = rows_.try_emplace(table_.ids[row], row);
        if (!is_new) {
            fail(row, "id " + shown(table_.ids[row]) + " is that of row " + table_.labels[first->second] +
                          ", expected another one");
        }
        job.id = "w0!" + table_.ids[row];
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
        job.user = text(table_.users);
        job.queue = text(table_.queues);
        job.other_fields = text(table_.others);
        workload_.jobs.push_back({std::move(job), {}});
    }

    const Table& table_;
    Workload workload_;
    TextPool texts_;
    std::unordered_map<std::string, std::size_t> rows_;  // by id
    int widest_ = 1;
};

Jobs from_table(Texts ids, Doubles submit, Doubles processors, Doubles walltime, Doubles run_time, Texts users,
                Texts queues, Texts others, Texts labels, std::optional<int> machine, const std::string& path) {
    const Table table{std::move(ids),      std::move(submit),   std::move(processors),
                      std::move(walltime), std::move(run_time), std::move(users),
                      std::move(queues),   std::move(others),   std::move(labels)};
    return keep(TableReader(table, path).read(machine));
}

}  // namespace

void bind_tables(nb::module_& module) {
    using nb::arg;
    module.def("from_table", &from_table, arg("ids"), arg("submit"), arg("processors"), arg("walltime"),
               arg("run_time"), arg("users"), arg("queues"), arg("others"), arg("labels"), arg("machine").none(),
               arg("path"));
}

}  // namespace batfill::python
