#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "python/src/arguments.hpp"
#include "python/src/bindings.hpp"
#include "python/src/keywords.hpp"
#include "python/src/packing.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text_files.hpp"
#include "src/workloads/named_workload.hpp"
#include "src/workloads/workload_options.hpp"
#include "src/workloads/workload_values.hpp"

namespace batfill::python {

namespace {

// What a conversion did, for Python.
nb::dict cleaning_of(const ConvertedLog& converted) {
    const ConversionSummary& summary = converted.summary;
    const SwfLog& log = converted.log;
    const auto counts = [](const std::vector<RuleCount>& rules) {
        nb::dict result;
        for (const RuleCount& rule : rules) {
            if (rule.jobs > 0) {
                result[rule.what.c_str()] = rule.jobs;
            }
        }
        return result;
    };
    nb::dict result;
    result["kept"] = summary.kept;
    result["anomalies"] = counts(count_anomalies(log));
    result["dropped"] = counts(summary.dropped);
    result["noted"] = counts(summary.noted);
    result["processors"] = summary.processors;
    result["processors_from"] = summary.processors_from;
    if (summary.hosts) {
        result["capacity"] = dict_of(summary.hosts->capacity);
    }
    if (!summary.partitions.empty()) {
        nb::dict widest;
        for (const HostsOfLog& hosts : summary.partitions) {
            widest[hosts.partition.c_str()] = hosts.widest;
        }
        result["partitions"] = widest;
    }
    if (summary.scaled) {
        result["load_before"] = summary.scaled->before;
        result["load"] = summary.scaled->after;
    }
    if (summary.conditions) {
        result["conditions"] = counts(*summary.conditions);
    }
    if (summary.allocated_ratio >= large_allocated_ratio) {
        result["allocated_over_requested"] = *summary.allocated_ratio;
    }
    if (converted.given) {
        const GivenMachine& given = *converted.given;
        nb::dict machine;
        machine["hosts"] = given.hosts;
        machine["notes"] = dict_of(given.notes);
        machine["open_queues"] = given.open_queues;
        machine["missing_hosts"] = given.missing_hosts;
        result["machine"] = machine;
    }
    if (!log.bad_rows.empty()) {
        result["bad_rows"] = dict_of(log.bad_rows);
    }
    return result;
}

// Of the names of columns of amounts.
constexpr std::string_view per_host_prefix = "per_host_";
constexpr std::string_view pool_prefix = "pool_";

// The conversion that the keywords ask for: of accounting data in this format, or of a log in SWF without one.
LogConversion conversion_of(const std::string& format, const std::vector<FileName>& paths, const Keywords& keywords) {
    ConversionOptions read;
    LogConversion& request = read.conversion;
    request.log = paths.front().text;
    options::Options options(options::Writing::keywords);
    if (format.empty()) {
        add_swf_options(options, read);
    } else {
        request.accounting.emplace();
        request.accounting->format = format;
        request.accounting->paths = mapped(paths, &FileName::text);
        add_import_options(options, read);
    }
    set_keywords(options, keywords);
    return request;
}

// Converts the files: one workload, or with `splits` one for each period with its number.
nb::tuple convert(const std::string& format, const std::vector<FileName>& paths, bool splits,
                  const Keywords& keywords) {
    LogConversion request = conversion_of(format, paths, keywords);
    refuse_if(request.conversion.split && !splits,
              "days: this call makes one workload, expected weeks_from_swf() or weeks()");
    request.keeps_workload = !request.conversion.split;
    std::optional<ConvertedLog> converted;
    interruptible([&] {
        converted = convert_log(request);
        require_kept_jobs(converted->log, converted->summary);
    });
    nb::list workloads;
    if (request.keeps_workload) {
        workloads.append(nb::make_tuple(1, keep(std::move(converted->workload->workload))));
    }
    for (SwfPeriod& period : converted->periods) {
        workloads.append(nb::make_tuple(period.number, keep(std::move(period.workload))));
    }
    return nb::make_tuple(workloads, cleaning_of(*converted));
}

std::vector<std::pair<std::size_t, Jobs>> periods_of(const Jobs& jobs, nb::handle days) {
    const std::optional<Duration> length = Duration::from_seconds(number_in(days).value_or(0));
    if (!length || *length < Duration::microseconds(1) || *length > Duration::seconds(1'000'000)) {
        throw UsageError("days: expected a number above 0, up to 1000000, found " + shown_value(days));
    }
    const Workload workload = interruptible([&] { return by_submission(jobs); });
    if (!workload.jobs.empty() && workload.jobs.front().description.submit < Time()) {
        throw InputError(workload.path + ": job " + shown(workload.jobs.front().description.id) +
                         " is submitted before 0, expected none for weeks, which count from there");
    }
    SwfSplit split;
    split.period = *length * 86'400;
    split.keep_crossing = true;
    std::vector<std::pair<std::size_t, Jobs>> result;
    for (SwfPeriod& period : interruptible([&] { return split_into_periods(workload, split); })) {
        result.emplace_back(period.number, keep(std::move(period.workload)));
    }
    return result;
}

Jobs scaled(const Jobs& jobs, const nb::object& load) {
    Decimal exact = Decimal::of(1);
    options::Options options(options::Writing::keywords);
    options.add("load", offered_load_value(exact).required(), "");
    nb::dict keywords;
    keywords["load"] = load;
    set_keywords(options, keywords);
    Workload workload = interruptible([&] { return by_submission(jobs); });
    for (const auto& [name, profile] : workload.profiles) {
        refuse_if<InputError>(profile.type != JobProfile::Type::delay, workload.path, ": profile ", name,
                              " is of type ", profile.type_name, ", expected delays to compute the load");
    }
    interruptible([&] { scale_load(workload, exact); });
    return keep(std::move(workload));
}

Jobs lublin(const Keywords& keywords) {
    LublinFile file;
    options::Options options(options::Writing::keywords);
    add_lublin_options(options, file);
    set_keywords(options, keywords);
    Workload workload = interruptible([&] { return generate_lublin(file.model); });
    workload.path = "lublin";
    return keep(std::move(workload));
}

std::optional<Duration> since_zero(const SmallOptional<Time>& time) {
    return time ? std::optional((*time).since_zero()) : std::nullopt;
}

// For each job a tuple of names.
nb::object licenses_of(const Workload& workload) {
    nb::object column = nb::module_::import_("numpy").attr("empty")(workload.jobs.size(), nb::arg("dtype") = "object");
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        column[i] = tuple_of(workload.jobs[i].description.licenses);
    }
    return column;
}

// The names of the columns of amounts that jobs name: of each host, then of pools; each by name.
std::vector<std::string> amount_columns(const Jobs& jobs) {
    std::set<std::string> hosts;
    std::set<std::string> pools;
    for (const WorkloadJob& entry : jobs.workload->jobs) {
        if (const Shared<StatedNeeds>& needs = entry.description.needs) {
            for (const auto& [name, amount] : needs->per_host.value_or(StatedNeeds::Amounts())) {
                hosts.insert(std::string(per_host_prefix) + name);
            }
            for (const auto& [name, amount] : needs->pools) {
                pools.insert(std::string(pool_prefix) + name);
            }
        }
    }
    std::vector<std::string> names(hosts.begin(), hosts.end());
    names.insert(names.end(), pools.begin(), pools.end());
    return names;
}

// One of them: whole numbers, or numbers with NaN where a job does not name the amount.
nb::object amount_column(const Jobs& jobs, const std::string& name) {
    const std::vector<std::optional<Amount>> amounts =
        mapped(jobs.workload->jobs, [&](const WorkloadJob& entry) { return stated_amount(entry.description, name); });
    if (std::ranges::all_of(amounts, [](const auto& amount) { return amount.has_value(); })) {
        return array_of(mapped(amounts, [](const auto& amount) { return std::int64_t{*amount}; }));
    }
    return array_of(
        mapped(amounts, [](const auto& amount) { return amount ? static_cast<double>(*amount) : std::nan(""); }));
}

// Whether a job has this one of the fields that most workloads do not have.
bool has(const Jobs& jobs, const std::string& name) {
    return std::ranges::any_of(jobs.workload->jobs, [&](const WorkloadJob& entry) {
        const JobDescription& job = entry.description;
        return name == "deadline" ? job.deadline.has_value()
                                  : !(name == "licenses" ? job.licenses.empty() : job.other_fields.empty());
    });
}

// A column of the jobs of a workload.
nb::object column(const Jobs& jobs, const std::string& name) {
    using Job = JobDescription;
    const Workload& workload = *jobs.workload;
    const auto numbers = [&](auto of) {
        return array_of(mapped(workload.jobs, [&](const WorkloadJob& job) { return of(job.description); }));
    };
    const auto texts = [&](auto of) {
        return texts_of(workload.jobs, [&](const WorkloadJob& job) -> std::string_view { return of(job.description); });
    };
    const auto run_time = [&](const Job& job) {
        const JobProfile& profile = workload.profiles.at(job.profile);
        return profile.type == JobProfile::Type::delay ? seconds_of(profile.delay) : std::nan("");
    };
    const auto own_id = [](const Job& job) { return std::string_view(job.id).substr(job.id.find('!') + 1); };
    const std::map<std::string, std::function<nb::object()>> columns{
        {"id", [&] { return texts(own_id); }},
        {"submit", [&] { return numbers([](const Job& job) { return seconds_of(job.submit.since_zero()); }); }},
        {"processors", [&] { return numbers([](const Job& job) { return std::int64_t{job.processors}; }); }},
        {"walltime", [&] { return numbers([](const Job& job) { return seconds_or_nan(job.walltime); }); }},
        {"run_time", [&] { return numbers(run_time); }},
        {"user", [&] { return texts([](const Job& job) -> std::string_view { return job.user; }); }},
        {"queue", [&] { return texts([](const Job& job) -> std::string_view { return job.queue; }); }},
        {"deadline", [&] { return numbers([](const Job& job) { return seconds_or_nan(since_zero(job.deadline)); }); }},
        {"licenses", [&] { return licenses_of(workload); }},
        {"other_fields", [&] { return texts([](const Job& job) -> std::string_view { return job.other_fields; }); }},
    };
    return columns.at(name)();
}

}  // namespace

std::optional<Amount> stated_amount(const JobDescription& job, std::string_view column) {
    const auto amount_in = [&](const StatedNeeds::Amounts& amounts, std::string_view prefix) -> std::optional<Amount> {
        const std::string_view name = column.substr(prefix.size());
        const auto found = std::ranges::find(amounts, name, &StatedNeeds::Amounts::value_type::first);
        return found == amounts.end() ? std::nullopt : std::optional(found->second);
    };
    if (!job.needs) {
        return std::nullopt;
    }
    if (column.starts_with(per_host_prefix) && job.needs->per_host) {
        return amount_in(*job.needs->per_host, per_host_prefix);
    }
    return column.starts_with(pool_prefix) ? amount_in(job.needs->pools, pool_prefix) : std::nullopt;
}

void bind_workloads(nb::module_& module) {
    using nb::arg;
    nb::class_<Jobs> bound(module, "Jobs");
    bind_packing<Jobs>(bound);
    bound.def("__len__", [](const Jobs& jobs) { return jobs.workload->jobs.size(); })
        .def_prop_ro("processors", [](const Jobs& jobs) { return jobs.workload->processors; })
        .def_prop_ro("path", [](const Jobs& jobs) { return FileName{jobs.workload->path}; })
        .def("column", &column, arg("name"), nb::sig("def column(self, name: str) -> numpy.typing.NDArray[typing.Any]"))
        .def("has", &has, arg("name"))
        .def("amount_columns", &amount_columns)
        .def("amount_column", &amount_column, arg("name"),
             nb::sig("def amount_column(self, name: str) -> numpy.typing.NDArray[typing.Any]"))
        .def("periods", &periods_of, arg("days").none())
        .def("scaled", &scaled, arg("load"))
        .def("offered_load", [](const Jobs& jobs) { return offered_load(*jobs.workload); })
        .def(
            "save",
            [](const Jobs& jobs, const FileName& path, const std::string& format) {
                const bool is_batsim4 = place_of(format, "format", {"batsim4", "batsim5"}) == 0;
                interruptible([&] {
                    if (is_batsim4) {
                        write_workload(*jobs.workload, path);
                        return;
                    }
                    Workload copy = *jobs.workload;
                    copy.format = WorkloadFormat::batsim5;
                    write_workload(copy, path);
                });
            },
            arg("path"), arg("format"));
    module.def(
        "read_json",
        [](const FileName& path) { return keep(interruptible([&] { return read_workload(path, "w0"); })); },
        arg("path"));
    module.def(
        "convert", &convert, arg("format"), arg("paths"), arg("splits"), arg("keywords"),
        nb::sig(
            "def convert(format: str, paths: collections.abc.Sequence[str], splits: bool, keywords: dict[str, typing.Any]) -> "
            "tuple[list[tuple[int, Jobs]], dict[str, typing.Any]]"));
    module.def("lublin", &lublin, arg("keywords"));
    module.def(
        "workload_name", [](const FileName& path) { return one_line(workload_name(path)); }, arg("path"));
    module.def(
        "is_log", [](const FileName& path) { return is_log(path); }, arg("path"));
}

}  // namespace batfill::python
