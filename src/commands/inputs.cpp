#include "inputs.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/replay/replay.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "options.hpp"
#include "src/support/durations.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

void add_plugin_option(Options& options) {
    options.add("plugin", Value<std::vector<std::string>>("FILE"), "shared object with further algorithms; repeatable");
}

void load_plugins(const Options& options) {
    for (const std::string& path : options.get<std::vector<std::string>>("plugin")) {
        load_plugin(path);
    }
}

void add_master_host_option(Options& options) {
    options.add("master-host,m", Value<std::string>("NAME").otherwise(default_master_host),
                "host of the platform that does not compute");
}

Platform platform_option(const Options& options) {
    return named_platform(options.get<std::string>("platform"), options.get<std::string>("master-host"));
}

void note(const std::string& text) {
    std::cerr << "batfill: note: " << text << '\n';
}

void note_other_machines(const std::vector<Workload>& workloads, std::size_t processors) {
    for (const Workload& workload : workloads) {
        if (static_cast<std::size_t>(workload.processors) != processors) {
            note(workload.path + " is for " + std::to_string(workload.processors) +
                 " processors (nb_res), the platform has " + std::to_string(processors));
        }
    }
}

void require_writable_folder(const std::string& prefix) {
    const std::filesystem::path folder = std::filesystem::path(prefix).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw InputError(prefix + ": the folder " + folder.string() + " does not exist");
    }
}

void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings) {
    const std::filesystem::path name = std::filesystem::path(path).filename();
    const bool gzipped = name.extension() == ".gz";
    const std::string ending = (gzipped ? name.stem() : name).extension().string() + (gzipped ? ".gz" : "");
    if (!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end()) {
        throw UsageError("--" + option + ": expected a name that ends in " + list_of(endings) + ", found '" + path +
                         "'");
    }
}

void require_other_file(const Options& options, const std::string& name, const std::string& other) {
    if (!options.given(name) || !options.given(other)) {
        return;
    }
    const auto path = options.get<std::string>(name);
    if (std::filesystem::weakly_canonical(path) == std::filesystem::weakly_canonical(options.get<std::string>(other))) {
        throw UsageError("--" + name + ": expected another file than --" + other + ", found '" + path + "'");
    }
}

void add_threads_option(Options& options) {
    options.add("threads", Value<unsigned>("N"), "number of replays at a time; by default the number of cores");
}

unsigned threads_option(const Options& options) {
    if (!options.given("threads")) {
        return std::clamp(std::thread::hardware_concurrency(), 1U, 1024U);
    }
    const auto threads = options.get<unsigned>("threads");
    if (threads < 1 || threads > 1024) {
        throw UsageError("--threads: expected 1 to 1024, found " + std::to_string(threads));
    }
    return threads;
}

std::optional<std::string> optional_text(const Options& options, const std::string& name) {
    return options.given(name) ? std::optional(options.get<std::string>(name)) : std::nullopt;
}

std::string word_option(const Options& options, const std::string& name, const std::vector<std::string>& words) {
    auto word = options.get<std::string>(name);
    if (word.empty() && !options.given(name)) {
        word = words.front();
    }
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        throw UsageError("--" + name + ": " + unknown_name("value", word, words));
    }
    return word;
}

std::uint64_t whole_option(const Options& options, const std::string& name, std::uint64_t min, std::uint64_t max,
                           std::uint64_t otherwise) {
    const std::uint64_t number = options.given(name) ? options.get<std::uint64_t>(name) : otherwise;
    if (number < min || number > max) {
        throw UsageError("--" + name + ": expected " + std::to_string(min) + " to " + std::to_string(max) + ", found " +
                         std::to_string(number));
    }
    return number;
}

int integer_option(const Options& options, const std::string& name, int min, int max) {
    const int value = options.get<int>(name);
    if (value < min || value > max) {
        throw UsageError("--" + name + ": expected a number in " + std::to_string(min) + ".." + std::to_string(max) +
                         ", found " + std::to_string(value));
    }
    return value;
}

WorkloadFormat workload_format_option(const Options& options, WorkloadFormat otherwise) {
    if (!options.given("format")) {
        return otherwise;
    }
    return word_option(options, "format", {"batsim4", "batsim5"}) == "batsim5" ? WorkloadFormat::batsim5
                                                                               : WorkloadFormat::batsim4;
}

std::string metric_names_help() {
    std::string names;
    for (const std::string& name : ReplayMetric::known_names()) {
        names += (names.empty() ? "\n" : ",\n") + name;
    }
    return names;
}

void add_replayed_options(Options& options) {
    options.add("platform,p", Value<std::string>(platform_value).required(), platform_help);
    options.add(
        "workload,w", Value<std::vector<std::string>>("FILE...").required().multitoken(),
        "workloads (Batsim's JSON, or logs .swf; also gzipped), each replayed on its own; all arguments up to the next option");
}

void add_machine_options(Options& options) {
    options.add("platform,p", Value<std::string>(platform_value), platform_help);
    add_master_host_option(options);
    options.add("processors", Value<int>("N"), "number of processors, instead of a platform");
}

void machine_options(const Options& options, MetricsOptions& metrics) {
    if (options.given("processors") && options.given("platform")) {
        throw UsageError("--processors and --platform both give the number of processors, expected one of them");
    }
    if (options.given("platform")) {
        metrics.set_machine(Machine(platform_option(options).hosts));
    } else if (options.given("processors")) {
        metrics.processors = options.get<int>("processors");
        if (*metrics.processors < 1) {
            throw UsageError("--processors is " + std::to_string(*metrics.processors) + ", expected at least 1");
        }
    }
}

void add_tau_option(Options& options) {
    options.add("tau", Value<std::string>("SECONDS").otherwise("10"), "bound of the bounded slowdown");
}

void add_measure_options(Options& options) {
    add_tau_option(options);
    options.add("short-deadline", Value<std::string>("SECONDS").otherwise("86400"),
                "a deadline is short if it is at most this long after the submission");
}

void measure_options(const Options& options, MetricsOptions& metrics) {
    metrics.tau = tau_option(options);
    metrics.short_deadline = seconds_of("--short-deadline", options.get<std::string>("short-deadline"));
}

Duration tau_option(const Options& options) {
    return seconds_of("--tau", options.get<std::string>("tau"), Duration::microseconds(1));
}

EstimatesOption estimates_option(const Options& options, const std::vector<std::string>& words) {
    const auto text = options.get<std::string>("estimates");
    if (std::find(words.begin(), words.end(), text) != words.end()) {
        return {text};
    }
    const std::string factor = "factor:";
    if (!text.starts_with(factor)) {
        std::vector<std::string> known = words;
        known.emplace_back("factor:K");
        throw UsageError("--estimates: " + unknown_name("value", text, known));
    }
    const std::optional<Decimal> value = Decimal::parse(text.substr(factor.size()));
    if (!value || value->millionths() < Decimal::of(1).millionths()) {
        throw UsageError("--estimates: expected factor:K with K in 1..1000000, found '" + text + "'");
    }
    return {"factor", *value};
}

}  // namespace batfill::commands
