#include "python/src/job_columns.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include <nanobind/stl/string.h>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/free_resources.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

nb::object JobColumns::column(const std::string& name) {
    const auto known = columns_.find(name);
    if (known != columns_.end()) {
        return known->second;
    }
    const nb::object column = make(name);
    column.attr("flags").attr("writeable") = false;  // the next reader gets the same array
    return columns_.emplace(name, column).first->second;
}

nb::object JobColumns::text(const std::string& name) const {
    nb::list texts;
    for (const JobIndex job : jobs_) {
        const std::optional<std::string> text = text_field(state().job(job).description(), name);
        texts.append(text ? text_object(*text) : nb::none());
    }
    return nb::module_::import_("numpy").attr("array")(texts, nb::arg("dtype") = "object");
}

nb::object JobColumns::per_host(nb::handle name) const {
    const std::size_t capacity = capacity_of(state(), name);
    return numbers([&](const SchedulerState& now, JobIndex job) {
        const Request& request = now.job(job).request;
        return std::int64_t{request.takes_whole_hosts() ? 0 : request.per_host()[capacity]};
    });
}

nb::object JobColumns::pool(nb::handle name) const {
    const std::size_t pool = pool_of(state(), name);
    return numbers([&](const SchedulerState& now, JobIndex job) {
        const Request& request = now.job(job).request;
        return std::int64_t{request.of_pool(pool)};
    });
}

nb::object JobColumns::whole_hosts() const {
    const nb::object amounts = numbers([&](const SchedulerState& now, JobIndex job) {
        return std::int64_t{now.job(job).request.takes_whole_hosts() ? 1 : 0};
    });
    return amounts.attr("astype")("bool");
}

nb::object JobColumns::numbers(auto of) const {
    const SchedulerState& now = state();
    return array_of(mapped(jobs_, [&](JobIndex job) { return of(now, job); }));
}

nb::object JobColumns::make(const std::string& name) const {
    using State = SchedulerState;
    static const std::map<std::string, double (*)(const State&, JobIndex)> times{
        {"walltime", [](const State& now, JobIndex job) { return seconds_of(now.job(job).walltime); }},
        {"estimate", [](const State& now, JobIndex job) { return seconds_of(now.estimate(job)); }},
        {"submit", [](const State& now, JobIndex job) { return seconds_of(now.job(job).submit().since_zero()); }},
        {"start",
         [](const State& now, JobIndex job) {
             const Time start = now.job(job).start;
             return start.is_infinite() ? std::nan("") : seconds_of(start.since_zero());
         }},
        {"end",
         [](const State& now, JobIndex job) {
             const bool runs = now.job(job).state == JobState::running;
             return seconds_of((runs ? now.estimated_end(job) : now.now).since_zero());
         }},
    };
    static const std::map<std::string, std::string (*)(const Job&)> words{
        {"id", [](const Job& job) { return job.description().id; }},
        {"user", [](const Job& job) { return job.description().user.text(); }},
        {"queue", [](const Job& job) { return job.description().queue.text(); }},
        {"state", [](const Job& job) { return std::string(to_string(job.state)); }},
        {"allocation", [](const Job& job) { return job.allocation.to_string(); }},
    };
    if (const auto time = times.find(name); time != times.end()) {
        return numbers(time->second);
    }
    if (const auto word = words.find(name); word != words.end()) {
        return texts_of(jobs_, [&, of = word->second](JobIndex job) { return of(state().job(job)); });
    }
    if (name == "processors") {
        return numbers([](const State& now, JobIndex job) { return std::int64_t{now.job(job).processors()}; });
    }
    RoundView& round = view();
    return numbers([&](const State&, JobIndex job) { return round.number_field_of(name, job); });
}

namespace {

// What arrays are of.
constexpr const char* seconds = "numpy.float64";
constexpr const char* texts = "typing.Any";

template <class Columns>
void bind_column(nb::class_<Columns>& columns, const std::string& column, const std::string& of, const char* what) {
    const std::string signature = "def " + column + "(self) -> numpy.typing.NDArray[" + of + "]";
    columns.def_prop_ro(
        column.c_str(), [column](Columns& self) { return self.column(column); },
        nb::for_getter(nb::sig(signature.c_str())), what);
}

template <class Columns>
nb::class_<Columns> bind_columns(nb::module_& module, const char* name, const char* doc) {
    using nb::arg;
    nb::class_<Columns> columns(module, name, doc);
    columns.def("__len__", &Columns::size)
        .def(
            "__getitem__", [](Columns& self, nb::handle name) { return self.column(word_of(name, "name")); },
            arg("name"), nb::sig("def __getitem__(self, name: str) -> numpy.typing.NDArray[typing.Any]"),
            "A column by its name. Any other name is that of a number in the workload, such as \"gpus\"; NaN where a "
            "job has none.")
        .def(
            "text", [](const Columns& self, nb::handle name) { return self.text(word_of(name, "name")); }, arg("name"),
            nb::sig("def text(self, name: str) -> numpy.typing.NDArray[typing.Any]"),
            "A text of the workload that batfill does not know, such as \"account\"; None where a job has none.");
    columns
        .def("per_host", &Columns::per_host, arg("name"),
             nb::sig("def per_host(self, name: str) -> numpy.typing.NDArray[numpy.int64]"),
             "What each job takes of a capacity of the machine, such as \"gpus\", on each of its hosts; 0 where it "
             "names none, or takes whole hosts.")
        .def("pool", &Columns::pool, arg("name"),
             nb::sig("def pool(self, name: str) -> numpy.typing.NDArray[numpy.int64]"),
             "What each job takes of a pool of the machine; 0 where it names none.")
        .def_prop_ro("whole_hosts", &Columns::whole_hosts,
                     nb::for_getter(nb::sig("def whole_hosts(self) -> numpy.typing.NDArray[numpy.bool_]")),
                     "Whether each job takes whole hosts: it has no field per_host, or no host has a capacity.")
        .def_prop_ro(
            "partition", [](const Columns& self) { return self.text("partition"); },
            nb::for_getter(nb::sig("def partition(self) -> numpy.typing.NDArray[typing.Any]")),
            "The partitions that jobs ask for; None where a job asks for none.");
    bind_column(columns, "id", texts, "Ids with the name of their workload, \"w0!17\".");
    bind_column(columns, "submit", seconds, "Submission times in seconds.");
    bind_column(columns, "processors", "numpy.int64", "Requested processors.");
    bind_column(columns, "walltime", seconds, "Walltimes in seconds.");
    bind_column(columns, "estimate", seconds,
                "Predicted run times in seconds, which are the walltimes unless `prediction` is set.");
    bind_column(columns, "user", texts, "Users; empty where unknown.");
    bind_column(columns, "queue", texts, "Queues; empty where none is named.");
    return columns;
}

}  // namespace

void bind_job_columns(nb::module_& module) {
    bind_columns<Waiting>(module, "Waiting",
                          "The waiting jobs of a round by submission, as NumPy columns. A job keeps its index for the "
                          "whole round, also when it or others start.");
    nb::class_<Running> running =
        bind_columns<Running>(module, "Running", "The running jobs by estimated end, as NumPy columns.");
    bind_column(running, "start", seconds, "Starts in seconds; NaN for a job that ended while it waited.");
    bind_column(running, "end", seconds, "Estimated ends in seconds, increasing.");
    bind_column(running, "allocation", texts, "Processors, as texts such as \"0-3 7\".");
    nb::class_<Ended> ended = bind_columns<Ended>(
        module, "Ended", "The jobs that ended since the last round, as NumPy columns, in the order of their ends.");
    bind_column(ended, "start", seconds, "Starts in seconds.");
    bind_column(ended, "end", seconds, "When the engine heard of their ends, which is now, in seconds.");
    bind_column(ended, "state", texts,
                "How they ended, as in the column final_state of jobs.csv: \"COMPLETED_KILLED\".");
}

}  // namespace batfill::python
