#include <memory>

#include "src/formats/platform_options.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"
#include "src/workloads/workload_options.hpp"
#include "src/workloads/workload_values.hpp"

namespace batfill {

using namespace options;  // NOLINT(google-build-using-namespace): this file declares options

namespace {

constexpr int most_value = 1'000'000;

Value range(FarmModel::Range& field, int least, int most) {
    const auto parse = [least, most](const std::string& text) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        const auto low = number_in<int>(text.substr(0, colon));
        const auto high = colon == text.size() ? low : number_in<int>(text.substr(colon + 1));
        return low && high && least <= *low && *low <= *high && *high <= most
                   ? std::optional(FarmModel::Range{*low, *high})
                   : std::nullopt;
    };
    Value made = value(field, "RANGE", parse,
                       "LOW:HIGH or one integer, in " + std::to_string(least) + ".." + std::to_string(most));
    return made.shown_by([&field] { return std::to_string(field.low) + ':' + std::to_string(field.high); });
}

Value percent(int& field) {
    return number(field, "PERCENT", 0, 100);
}

void add_format_option(Options& options, WorkloadFormat& format) {
    options.group("Output");
    options.add("format", format_value(format).otherwise_as_declared(), "format of the workload: batsim4 or batsim5")
        .not_in_calls();
}

void add_options_of_jobs(Options& options, FarmModel& model) {
    const auto is_multiple = std::make_shared<bool>();
    options.group("Jobs");
    options.add("jobs", number(model.jobs, "N", 1, max_farm_jobs).otherwise_as_declared(), "number of jobs");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.add(
        "interarrival",
        options::length(model.interarrival, "SECONDS", Duration::microseconds(1), Duration::seconds(most_value))
            .otherwise_as_declared(),
        "mean of the exponentially distributed inter-arrival times; other values move only submissions and deadlines");
    options.add("run-time", range(model.run_time, 1, most_value).otherwise_as_declared(),
                "run times in seconds, the same on every machine");
    options.add("job-processors", range(model.job_processors, 1, max_farm_processors).otherwise_as_declared(),
                "processors that jobs require, of one machine");
    options.add("license-needs", percent(model.license_needs).otherwise_as_declared(),
                "probability that a job needs a licence, for each licence");
    options.add("estimates",
                estimates_value(*is_multiple, [&model, is_multiple](Decimal factor) { model.estimate_factor = factor; },
                                {{"exact", false}, {"factor:K", true}})
                    .otherwise("exact"),
                "walltimes: exact, or factor:K or K (K times the run time)");
}

void add_options_of_machines(Options& options, FarmModel& model) {
    options.group("Machines");
    options.add("machines", number(model.machines, "N", 1, max_farm_processors).otherwise_as_declared(),
                "number of machines");
    options.add("machine-processors", range(model.machine_processors, 1, max_farm_processors).otherwise_as_declared(),
                "processors of machines");
    options.add(
        "speed", range(model.speed, 1, most_value).otherwise_as_declared(),
        "speeds of machines in millions of operations per second; faster machines are used first (the paper does not say)");
    options.add("licenses", number(model.licenses, "N", 0, max_farm_licenses).otherwise_as_declared(),
                "number of licences");
    options.add("license-ratio", range(model.license_ratio, 1, 100'000).otherwise_as_declared(),
                "copies of a licence, per cent of the machines on which it can be activated, rounded; at least one");
    options.add("license-suitability", percent(model.license_suitability).otherwise_as_declared(),
                "probability that a licence can be activated on a machine");
    options.add_rule([&options, &model] {
        const int most = max_farm_processors / model.machines;
        refuse_if(model.machine_processors.high > most,
                  options.written("machine-processors") + ": expected at most " + std::to_string(most) + " with " +
                      options.written("machines") + " " + std::to_string(model.machines) + ", found " +
                      std::to_string(model.machine_processors.high));
    });
}

// Adds the options of a distribution: --MEAN, --PREFIXdistribution and --PREFIXshape. `those` follows the help of the
// shape.
void add_lengths(Options& options, FailureModel::Lengths& lengths, const std::string& mean, const char* mean_help,
                 const std::string& prefix, const char* times, const char* those) {
    const std::string shape = prefix + "shape";
    const std::string distribution = prefix + "distribution";
    const auto is_weibull = std::make_shared<bool>();
    options.add(mean, options::length(lengths.mean, "SECONDS", Duration::seconds(1)).required(), mean_help);
    options.add(distribution,
                word(*is_weibull, "NAME", {{"exponential", false}, {"weibull", true}}).otherwise("exponential"),
                std::string("distribution of the ") + times + ": exponential or weibull");
    options.add(shape, number(lengths.weibull_shape, "K", 0.1, 100),
                std::string("shape of weibull") + those + " (default 0.7)");
    options.add_rule([&options, &lengths, shape, distribution, is_weibull] {
        if (*is_weibull && !options.given(shape)) {
            lengths.weibull_shape = 0.7;
        } else if (!*is_weibull && options.given(shape)) {
            throw UsageError(options.written(shape) + " needs " + options.written(distribution) + " weibull");
        }
    });
}

// Each failure takes memory.
void require_reasonable_size(const Options& options, const FailureModel& model) {
    constexpr double most = 1e7;
    const double cycle = model.time_to_failure.mean.to_seconds() + model.time_to_repair.mean.to_seconds();
    const double nodes = static_cast<double>(model.processors) / model.processors_per_node;
    refuse_if(nodes * model.until.to_seconds() / cycle > most,
              "some 10 million failures or more would be drawn: expected a shorter " + options.written("until") +
                  " or a longer " + options.written("mtbf"));
}

// Returns the text, which goes to a JSON file.
// Throws: UsageError if it cannot.
const std::string& required_utf8(const std::string& text) {
    std::string json;
    append_json_string(text, json);
    try {
        JsonReader().parse(json);
    } catch (const InputError&) {
        throw UsageError("expected a text in UTF-8");
    }
    return text;
}

// All hosts, these numbers of them, a number of processors, or amounts of pools.
void add_what_windows_take(Options& options, Window& window) {
    const auto hosts = [&window](const std::string& text) {
        const auto numbers = ResourceSet::parse(text);
        window.all_hosts = text == "all";
        refuse_if(!window.all_hosts && (!numbers || numbers->empty()),
                  "expected all, or numbers such as '0-63 70', found '" + text + "'");
        window.hosts = window.all_hosts ? ResourceSet() : *numbers;
    };
    const auto pool = [&window](const std::string& text) {
        auto read = parse_pool(required_utf8(text));
        const auto is_same = [&read](const auto& other) { return other.first == read.first; };
        refuse_if(std::ranges::any_of(window.pools, is_same), "expected " + read.first + " once");
        refuse_if(read.second == 0, "expected an amount above 0, found '" + text + "'");
        return read;
    };
    options.group("What");
    options.add("hosts", Value("WHICH", hosts, {Type::Scalar::text, {"all"}}),
                "hosts that each window takes: all, or numbers such as '0-63 70'");
    options.add("processors", number(window.processors, "N", 1),
                "or so many processors, on a machine where only their number counts");
    options.add("pool", value(window.pools, "NAME=TOTAL", pool), "or so much of a pool of the machine; repeatable");
    options.add_rule([&options] {
        const int given =
            (options.given("hosts") ? 1 : 0) + (options.given("processors") ? 1 : 0) + (options.given("pool") ? 1 : 0);
        refuse_if(given != 1, "expected what windows take, as one of " + options.written("hosts") + ", " +
                                  options.written("processors") + " and " + options.written("pool"));
    });
}

void require_calendar(const Options& options, WindowCalendar& calendar) {
    if (!options.given("first")) {
        calendar.first = Time::at(calendar.every);
    }
    refuse_if(calendar.length > calendar.every,
              options.written("length") + ": expected at most the " + calendar.every.to_shortest_string() + " s of " +
                  options.written("every") + ", found " + calendar.length.to_shortest_string());
    refuse_if(calendar.until <= calendar.first, options.written("until") +
                                                    ": expected a time after the first window, which would begin at " +
                                                    calendar.first.since_zero().to_shortest_string());
    const double windows = (calendar.until - calendar.first).to_seconds() / calendar.every.to_seconds();
    refuse_if(windows > max_windows, "more than " + std::to_string(max_windows) + " windows: expected a shorter " +
                                         options.written("until") + " or a longer " + options.written("every"));
}

}  // namespace

void add_lublin_options(Options& options, LublinFile& file) {
    LublinModel& model = file.model;
    const auto set_factor = [&model](Decimal factor) {
        model.estimate_factor = Duration::microseconds(factor.millionths()).to_seconds();
    };
    options.group("Workload");
    options.add("jobs", number(model.jobs, "N", 1, 10'000'000).required(), "number of jobs");
    options.add("processors", number(model.processors, "P", 1, 1'000'000'000).required(), "processors of the machine");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.add(
        "load", offered_load_value(model.load),
        "scale the inter-arrival times to this offered load, " + load_range + "; by default they are the model's");
    options.add(
        "kind",
        word(model.kind, "WHICH",
             {{"batch", LublinModel::Jobs::batch},
              {"interactive", LublinModel::Jobs::interactive},
              {"both", LublinModel::Jobs::both},
              {"undivided", LublinModel::Jobs::undivided}})
            .otherwise_as_declared(),
        "batch, interactive, both (two streams, told apart by the queue) or undivided (parameters for logs that do not tell them apart)");
    options.add(
        "estimates",
        estimates_value(model.estimates, set_factor,
                        {{"modal", LublinModel::Estimates::modal},
                         {"exact", LublinModel::Estimates::exact},
                         {"factor:K", LublinModel::Estimates::factor}})
            .otherwise("modal"),
        "walltimes: modal (over-estimates rounded up to the values users choose), exact, or factor:K or K (K times the run time)");
    add_format_option(options, file.format);
}

void add_farm_options(Options& options, FarmFiles& files) {
    FarmModel& model = files.model;
    add_options_of_jobs(options, model);
    add_options_of_machines(options, model);
    options.group("Deadlines");
    options.add("without-deadline", percent(model.without_deadline).otherwise_as_declared(),
                "probability that a job has no deadline");
    options.add("deadline-margin", range(model.deadline_margin, 0, most_value).otherwise_as_declared(),
                "margins: deadline = submission + walltime + margin");
    using Unit = FarmModel::MarginUnit;
    options.add("margin-unit",
                word(model.margin_unit, "UNIT", {{"seconds", Unit::seconds}, {"percent", Unit::percent_of_walltime}})
                    .otherwise_as_declared(),
                "of margins: seconds, or percent of the walltime");
    add_format_option(options, files.format);
}

void add_shared_hosts_options(Options& options, SharedHostsFiles& files) {
    SharedHostsModel& model = files.model;
    options.group("Jobs");
    options.add("jobs", number(model.jobs, "N", 1, 10'000'000).required(), "number of jobs");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.add("load", number(model.load, "LOAD", 0.001, 10.0).otherwise_as_declared(),
                "offered load of the cores, " + load_range);
    options.add("whole-host-jobs", percent(model.whole_host_jobs).otherwise_as_declared(),
                "probability that a job takes whole hosts");
    options.add("gpu-jobs", percent(model.gpu_jobs).otherwise_as_declared(), "probability that another one takes GPUs");
    options.add("wide-jobs", percent(model.wide_jobs).otherwise_as_declared(),
                "probability that a job takes more than one host");
    options.add("widest", number(model.widest, "N", 1, 1'000'000).otherwise_as_declared(),
                "hosts of the widest jobs; no job takes more than the machine has");
    options.group("Machine");
    options.add("hosts", number(model.hosts, "N", 1, 1'000'000).otherwise_as_declared(), "number of hosts");
    options.add("cores", number(model.cores, "N", 1, max_host_amount).otherwise_as_declared(), "cores of each host");
    options.add("gpus", number(model.gpus, "N", 0, max_host_amount).otherwise_as_declared(), "GPUs of each host");
    options.add("memory", number(model.memory, "N", 1, max_host_amount).otherwise_as_declared(),
                "memory of each host, in units of your choice");
    add_format_option(options, files.format);
}

void add_failing_machine(Options& options, FailureModel& model, std::string& platform) {
    const auto master_host = std::make_shared<std::string>();
    options.group("Machine");
    options.add("processors", number(model.processors, "N", 1), "processors of the machine, instead of a platform");
    options.add("platform,p", text(platform, platform_value), platform_help);
    add_master_host_option(options, *master_host);
    options.add_rule([&options, &model, &platform, master_host] {
        refuse_if(options.given("platform") == options.given("processors"),
                  "expected the machine, either as " + options.written("processors") + " or as " +
                      options.written("platform"));
        if (options.given("platform")) {
            model.processors = static_cast<int>(named_platform(platform, {*master_host}).hosts.size());
        }
    });
}

void add_failure_options(Options& options, FailureModel& model) {
    options.group("Machine");
    options.add("group", number(model.processors_per_node, "N", 1).otherwise_as_declared(),
                "processors that fail together as a node");
    options.group("Failures");
    options.add("until", options::length(model.until, "SECONDS", Duration::seconds(1)).required(),
                "failures occur before this time");
    add_lengths(options, model.time_to_failure, "mtbf", "mean time that a node is up", "", "times up", "");
    add_lengths(options, model.time_to_repair, "mttr", "mean time that it is down", "repair-", "times down",
                " for the times down");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.add_rule([&options, &model] { require_reasonable_size(options, model); });
}

void add_window_options(Options& options, WindowCalendar& calendar) {
    const Duration longest = Duration::seconds(1'000'000'000'000);
    Window& each = calendar.each;
    each.name = "maintenance";
    options.group("When");
    options.add("every", options::length(calendar.every, "SECONDS", Duration::microseconds(1), longest).required(),
                "time from the beginning of a window to that of the next");
    options.add("length", options::length(calendar.length, "SECONDS", Duration::microseconds(1), longest).required(),
                "length of each window, at most that time");
    options.add("first", options::length(calendar.first, "SECONDS", Duration(), longest),
                "when the first window begins (default: after the time of --every)");
    options.add("until", options::length(calendar.until, "SECONDS", Duration::microseconds(1), longest).required(),
                "windows begin before this time");
    options.add("announced", options::length(calendar.announced, "SECONDS", Duration(), longest),
                "how long before its beginning schedulers learn of a window; 0: not before (default: at time 0)");
    add_what_windows_take(options, each);
    using Running = Window::Running;
    options.add("running",
                word(each.running, "WHAT",
                     {{"finish", Running::finish}, {"kill", Running::kill}, {"requeue", Running::requeue}})
                    .otherwise_as_declared(),
                "what happens to jobs that run there at its beginning: finish, kill or requeue");
    const auto booking = [](const std::string& text) {
        refuse_if(text.empty(), "expected a name of a reservation");
        return required_utf8(text);
    };
    const auto name = [](const std::string& text) {
        refuse_if(!can_name_window(text), "expected a name other than loss, estimate and parked, found '" + text + "'");
        return required_utf8(text);
    };
    options.add("for", value(each.booked_for, "NAME", booking),
                "reservation that the windows are for; only jobs with its name run inside; repeatable");
    options.add("name", value(each.name, "NAME", name).otherwise(each.name), "name of the windows");
    options.add_rule([&options, &calendar] { require_calendar(options, calendar); });
}

void add_deadline_options(Options& options, DeadlineOptions& read) {
    DeadlineDraw& draw = read.draw;
    const auto share = [](const std::string& text) { return decimal_in(text, "0", "1"); };
    const auto factor = [&read](const std::string& text) {
        read.factor = text;
        return factor_in(text, "0", "1000000");
    };
    options.group("Jobs");
    options.add("share", value(draw.share, "X", share, "a number in 0..1", {Type::Scalar::number}),
                "share of the jobs with a walltime to sample, in 0..1; their number is rounded down");
    options.add("count", number(draw.count, "N"), "number of jobs to sample, instead of a share");
    options.add("seed", number(draw.seed, "S").required(), "seed of the sample");
    options.group("Deadlines");
    options.add("floor", options::length(draw.rule.floor, "SECONDS", Duration()).otherwise_as_declared(),
                "least time from submission to deadline");
    options.add("factor",
                value(draw.rule.factor, "K", factor, "a number in 0..1000000", {Type::Scalar::number}).otherwise("10"),
                "time from submission to deadline in walltimes");
    options.group("Output");
    options.add("format", format_value(draw.format),
                "format of the workload: batsim4 or batsim5; by default that of the input");
    options.add_rule([&options] {
        refuse_if(options.given("share") == options.given("count"), "expected either " + options.written("share") +
                                                                        " or " + options.written("count") +
                                                                        ", which say how many jobs to draw");
    });
}

}  // namespace batfill
