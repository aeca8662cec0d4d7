#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "bindings.hpp"
#include "src/support/json.hpp"
#include "src/workloads/any_workload.hpp"

namespace batfill::python {

namespace {

template <class Value>
Value value_of(nb::handle value, const std::string& name, const char* expected) {
    Value result{};
    if (!nb::try_cast(value, result)) {
        throw UsageError(name + ": expected " + expected + ", found " + shown_value(value));
    }
    return result;
}

int positive(nb::handle value, const std::string& name) {
    const int number = value_of<int>(value, name, "a whole number");
    if (number <= 0) {
        throw UsageError(name + ": expected a number above 0, found " + std::to_string(number));
    }
    return number;
}

template <class Enum>
Enum word_of(nb::handle value, const std::string& name, const std::vector<std::string>& words) {
    return static_cast<Enum>(place_of(value_of<std::string>(value, name, "a word"), name, words));
}

Decimal decimal_of(double number, const std::string& name, double least, double most, const char* expected) {
    const std::optional<Duration> exact = Duration::from_seconds(number);
    const auto decimal = exact ? Decimal::parse(exact->to_shortest_string()) : std::nullopt;
    if (!decimal || number < least || number > most) {
        throw UsageError(name + ": expected " + expected + ", found " + shown_value(nb::cast(number)));
    }
    return *decimal;
}

Decimal load_of(double load, const std::string& name) {
    return decimal_of(load, name, 0.001, 10, "a share of the machine in 0.001..10 (0.9 is 90 %)");
}

// "factor:2", or the number alone.
std::optional<Decimal> factor_of(nb::handle value) {
    double factor = 0;
    std::string word;
    if (nb::try_cast(value, word)) {
        const std::string prefix = "factor:";
        if (!word.starts_with(prefix)) {
            return std::nullopt;
        }
        const std::optional<Decimal> read = Decimal::parse(std::string_view(word).substr(prefix.size()));
        factor = read ? static_cast<double>(read->millionths()) / 1e6 : 0;
    } else {
        factor = value_of<double>(value, "estimates", "a word or a number");
    }
    return decimal_of(factor, "estimates", 1, 1e6, "a factor in 1..1000000");
}

void read_walltimes(const std::string& name, nb::handle value, SwfConversion& conversion) {
    using Estimates = SwfConversion::Estimates;
    using MissingWalltime = SwfConversion::MissingWalltime;
    if (name == "short_estimates") {
        conversion.short_estimates =
            word_of<SwfConversion::ShortEstimates>(value, name, {"cut", "raise", "drop", "believe"});
    } else if (name == "estimates") {
        if (const std::optional<Decimal> factor = factor_of(value)) {
            conversion.estimates = Estimates::factor;
            conversion.estimate_factor = *factor;
            return;
        }
        const std::vector<std::string> words{"log", "exact", "modal"};
        constexpr std::array meanings{Estimates::log, Estimates::exact, Estimates::modal};
        conversion.estimates = meanings.at(place_of(value_of<std::string>(value, name, "a word"), name, words));
    } else if (nb::isinstance<nb::str>(value) && std::isdigit(nb::cast<std::string>(value).c_str()[0]) == 0) {
        const std::vector<std::string> words{"exact", "omit", "drop"};
        constexpr std::array meanings{MissingWalltime::exact, MissingWalltime::omit, MissingWalltime::drop};
        conversion.missing_walltime = meanings.at(place_of(nb::cast<std::string>(value), name, words));
    } else {
        conversion.missing_walltime = MissingWalltime::given;
        conversion.given_walltime = duration_of(value, name);
        if (conversion.given_walltime <= Duration()) {
            throw UsageError(name + ": expected more than 0 s, found " + shown_value(value));
        }
    }
}

void read_cleaning(const std::string& name, nb::handle value, SwfConversion& conversion) {
    using Numbers = std::vector<long long>;
    constexpr const char* numbers = "a list of whole numbers";
    constexpr const char* yes_or_no = "True or False";
    if (name == "exclude_queue") {
        conversion.excluded_queues = value_of<Numbers>(value, name, numbers);
    } else if (name == "exclude_status") {
        conversion.excluded_statuses = value_of<Numbers>(value, name, numbers);
    } else if (name == "partition") {
        conversion.partitions = value_of<Numbers>(value, name, numbers);
    } else if (name == "queue_names") {
        conversion.queue_names = value_of<std::map<long long, std::string>>(value, name, "a dict of numbers and names");
    } else if (name == "since") {
        conversion.from = duration_of(value, name);
    } else if (name == "until") {
        conversion.until = duration_of(value, name);
    } else if (name == "size") {
        conversion.size = word_of<SwfConversion::Size>(value, name, {"requested", "allocated"});
    } else if (name == "unit") {
        conversion.unit = positive(value, name);
    } else if (name == "processors") {
        conversion.processors = positive(value, name);
    } else if (name == "max_processors") {
        conversion.max_processors = positive(value, name);
    } else if (name == "keep_unallocated") {
        conversion.keep_unallocated = value_of<bool>(value, name, yes_or_no);
    } else if (name == "keep_zero_run_times") {
        conversion.keep_zero_run_times = value_of<bool>(value, name, yes_or_no);
    } else if (name == "shift") {
        conversion.shift = value_of<bool>(value, name, yes_or_no);
    } else if (name == "load") {
        conversion.load = load_of(value_of<double>(value, name, "a number"), name);
    } else {
        read_walltimes(name, value, conversion);
    }
}

// None is as if the option was not given.
SwfConversion conversion_of(const nb::dict& options) {
    using MissingWalltime = SwfConversion::MissingWalltime;
    SwfConversion conversion;
    for (const auto& [name, value] : options) {
        if (!value.is_none()) {
            read_cleaning(nb::cast<std::string>(name), value, conversion);
        }
    }
    if (conversion.estimates != SwfConversion::Estimates::log &&
        (conversion.missing_walltime == MissingWalltime::omit ||
         conversion.missing_walltime == MissingWalltime::given)) {
        throw UsageError(
            "missing_walltime: expected \"exact\" or \"drop\" with these estimates, which give every job "
            "a walltime");
    }
    return conversion;
}

struct Split {
    double days = 7;
    std::size_t skip = 0;
    std::optional<std::size_t> periods;
    std::string crossing = "drop";
    std::string count_from = "zero";
};

SwfSplit split_of(double days, std::size_t skip, std::optional<std::size_t> periods, const std::string& crossing) {
    SwfSplit split;
    const std::optional<Duration> length = Duration::from_seconds(days);
    if (!length || *length < Duration::microseconds(1) || *length > Duration::seconds(1'000'000)) {
        throw UsageError("days: expected a number above 0, up to 1000000, found " + shown_value(nb::cast(days)));
    }
    split.period = *length * 86'400;
    split.skipped = skip;
    split.periods = periods;
    split.keep_crossing = place_of(crossing, "crossing", {"drop", "keep"}) == 1;
    return split;
}

// What a conversion did, for Python.
nb::dict cleaning_of(const ConversionSummary& summary) {
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
    result["dropped"] = counts(summary.dropped);
    result["noted"] = counts(summary.noted);
    result["processors"] = summary.processors;
    result["processors_from"] = summary.processors_from;
    if (summary.scaled) {
        result["load_before"] = summary.scaled->before;
        result["load"] = summary.scaled->after;
    }
    return result;
}

// Sets the source of a conversion.
struct Source {
    std::string log;
    std::optional<AccountingData> accounting;
};

Source source_of(const std::vector<std::string>& paths, const nb::object& accounting) {
    if (accounting.is_none()) {
        return {paths.at(0), std::nullopt};
    }
    AccountingData data;
    data.paths = paths;
    for (const auto& [key, value] : nb::cast<nb::dict>(accounting)) {
        const auto name = nb::cast<std::string>(key);
        if (name == "format") {
            data.format = nb::cast<std::string>(value);
            place_of(data.format, name, accounting_formats());
        } else if (name == "mapping") {
            data.mapping = value_of<ColumnMapping>(value, name, "a dict of fields and columns");
        } else if (name == "times") {
            data.times = word_of<TimeFormat>(value, name, time_format_words());
        } else if (name == "separator") {
            data.separator = value_of<std::string>(value, name, "a character").c_str()[0];
        } else if (name == "time_zone") {
            data.time_zone = value_of<std::string>(value, name, "a name");
        } else {
            data.counts_nodes = value_of<bool>(value, name, "True or False");
        }
    }
    return {paths.at(0), std::move(data)};
}

void require_jobs(std::size_t kept, const SwfLog& log) {
    if (kept == 0) {
        throw InputError(log.path + ": expected jobs to keep, but all of its " + std::to_string(log.jobs.size()) +
                         " jobs are dropped");
    }
}

nb::tuple convert(const std::vector<std::string>& paths, const nb::object& accounting, const nb::dict& options) {
    const Source source = source_of(paths, accounting);
    const SwfConversion conversion = conversion_of(options);
    std::optional<SwfWorkload> converted;
    {
        const nb::gil_scoped_release released;
        const SwfLog log = source.accounting ? read_accounting(*source.accounting) : read_swf(source.log);
        converted = convert_swf(log, conversion);
        require_jobs(converted->summary.kept, log);
    }
    return nb::make_tuple(keep(std::move(converted->workload)), cleaning_of(converted->summary));
}

nb::tuple convert_periods(const std::vector<std::string>& paths, const nb::object& accounting, const nb::dict& options,
                          const Split& how) {
    const Source source = source_of(paths, accounting);
    LogConversion request;
    request.log = source.log;
    request.accounting = source.accounting;
    request.conversion = conversion_of(options);
    request.conversion.split = split_of(how.days, how.skip, how.periods, how.crossing);
    request.conversion.split->begin = request.conversion.from.value_or(Duration());
    request.count_from_first_job = place_of(how.count_from, "count_from", {"zero", "first-job"}) == 1;
    std::optional<ConvertedLog> converted;
    {
        const nb::gil_scoped_release released;
        converted = convert_log(request);
        require_jobs(converted->summary.kept, converted->log);
    }
    nb::list periods;
    for (SwfPeriod& period : converted->periods) {
        periods.append(nb::make_tuple(period.number, keep(std::move(period.workload))));
    }
    return nb::make_tuple(periods, cleaning_of(converted->summary));
}

std::vector<std::pair<std::size_t, Jobs>> periods_of(const Jobs& jobs, double days) {
    const Workload workload = by_submission(jobs);
    if (!workload.jobs.empty() && workload.jobs.front().description.submit < Time()) {
        throw InputError(workload.path + ": job " + shown(workload.jobs.front().description.id) +
                         " is submitted before 0, expected none for weeks, which count from there");
    }
    std::vector<std::pair<std::size_t, Jobs>> result;
    for (SwfPeriod& period : split_into_periods(workload, split_of(days, 0, {}, "keep"))) {
        result.emplace_back(period.number, keep(std::move(period.workload)));
    }
    return result;
}

Jobs scaled(const Jobs& jobs, double load) {
    Workload workload = by_submission(jobs);
    for (const auto& [name, profile] : workload.profiles) {
        if (profile.type != JobProfile::Type::delay) {
            throw InputError(workload.path + ": profile " + name + " is of type " + profile.type_name +
                             ", expected delays to compute the load");
        }
    }
    scale_load(workload, load_of(load, "load"));
    return keep(std::move(workload));
}

Jobs lublin(int jobs, int processors, std::uint64_t seed, std::optional<double> load, const std::string& kind,
            nb::handle estimates) {
    LublinModel model;
    if (jobs < 1 || jobs > 10'000'000) {
        throw UsageError("jobs: expected a number in 1..10000000, found " + std::to_string(jobs));
    }
    if (processors < 1 || processors > 1'000'000'000) {
        throw UsageError("processors: expected a number in 1..1000000000, found " + std::to_string(processors));
    }
    model.jobs = jobs;
    model.processors = processors;
    model.seed = seed;
    model.kind = static_cast<LublinModel::Jobs>(place_of(kind, "kind", {"batch", "interactive", "both", "undivided"}));
    if (load) {
        load_of(*load, "load");
        model.load = load;
    }
    if (const std::optional<Decimal> factor = factor_of(estimates)) {
        model.estimates = LublinModel::Estimates::factor;
        model.estimate_factor = static_cast<double>(factor->millionths()) / 1e6;
    } else {
        model.estimates = word_of<LublinModel::Estimates>(estimates, "estimates", {"modal", "exact"});
    }
    const nb::gil_scoped_release released;
    Workload workload = generate_lublin(model);
    workload.path = "lublin";
    return keep(std::move(workload));
}

nb::object column(const Jobs& jobs, const std::string& name) {
    const std::vector<WorkloadJob>& all = jobs.workload->jobs;
    const auto texts = [&](auto text) {
        return array_of_texts(all.size(), [&](std::size_t i) -> std::string_view { return text(all[i].description); });
    };
    const auto seconds = [&](auto of) {
        std::vector<double> values;
        values.reserve(all.size());
        for (const WorkloadJob& job : all) {
            values.push_back(of(job.description));
        }
        return array_of(std::move(values));
    };
    if (name == "id") {
        return texts([](const JobDescription& job) { return std::string_view(job.id).substr(job.id.find('!') + 1); });
    }
    if (name == "user") {
        return texts([](const JobDescription& job) { return std::string_view(job.user); });
    }
    if (name == "queue") {
        return texts([](const JobDescription& job) { return std::string_view(job.queue); });
    }
    if (name == "submit") {
        return seconds([](const JobDescription& job) { return seconds_of(job.submit.since_zero()); });
    }
    if (name == "walltime") {
        return seconds([](const JobDescription& job) { return seconds_or_nan(job.walltime); });
    }
    if (name == "run_time") {
        return seconds([&](const JobDescription& job) {
            const JobProfile& profile = jobs.workload->profiles.at(job.profile);
            return profile.type == JobProfile::Type::delay ? seconds_of(profile.delay) : std::nan("");
        });
    }
    std::vector<std::int64_t> sizes;
    sizes.reserve(all.size());
    for (const WorkloadJob& job : all) {
        sizes.push_back(job.description.processors);
    }
    return array_of(std::move(sizes));
}

}  // namespace

void bind_workloads(nb::module_& module) {
    using nb::arg;
    nb::class_<Jobs>(module, "Jobs")
        .def("__len__", [](const Jobs& jobs) { return jobs.workload->jobs.size(); })
        .def_prop_ro("processors", [](const Jobs& jobs) { return jobs.workload->processors; })
        .def_prop_ro("path", [](const Jobs& jobs) { return jobs.workload->path; })
        .def("column", &column, arg("name"), nb::sig("def column(self, name: str) -> numpy.typing.NDArray[typing.Any]"))
        .def("periods", &periods_of, arg("days"))
        .def("scaled", &scaled, arg("load"))
        .def("offered_load", [](const Jobs& jobs) { return offered_load(*jobs.workload); })
        .def(
            "save",
            [](const Jobs& jobs, const std::string& path, const std::string& format) {
                if (place_of(format, "format", {"batsim4", "batsim5"}) == 0) {
                    write_workload(*jobs.workload, path);
                    return;
                }
                Workload copy = *jobs.workload;
                copy.format = WorkloadFormat::batsim5;
                write_workload(copy, path);
            },
            arg("path"), arg("format"), nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "read_json", [](const std::string& path) { return keep(read_workload(path, "w0")); }, arg("path"),
        nb::call_guard<nb::gil_scoped_release>());
    module.def("convert", &convert, arg("paths"), arg("accounting").none(), arg("options"),
               nb::sig("def convert(paths: collections.abc.Sequence[str], accounting: object | None, "
                       "options: dict[str, typing.Any]) -> tuple[Jobs, dict[str, typing.Any]]"));
    module.def(
        "convert_periods",
        [](const std::vector<std::string>& paths, const nb::object& accounting, const nb::dict& options, double days,
           std::size_t skip, std::optional<std::size_t> periods, const std::string& crossing,
           const std::string& count_from) {
            return convert_periods(paths, accounting, options, {days, skip, periods, crossing, count_from});
        },
        arg("paths"), arg("accounting").none(), arg("options"), arg("days"), arg("skip"), arg("periods").none(),
        arg("crossing"), arg("count_from"),
        nb::sig("def convert_periods(paths: collections.abc.Sequence[str], accounting: object | None, "
                "options: dict[str, typing.Any], days: float, skip: int, periods: int | None, crossing: str, "
                "count_from: str) -> tuple[list[tuple[int, Jobs]], dict[str, typing.Any]]"));
    module.def("lublin", &lublin, arg("jobs"), arg("processors"), arg("seed"), arg("load").none(), arg("kind"),
               arg("estimates"));
}

}  // namespace batfill::python
