#include "inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/replay.hpp>

#include "src/support/files.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"
#include "src/support/split.hpp"

namespace batfill::commands {

void add_plugin_option(Options& options, std::vector<std::string>* paths) {
    const auto load = [paths](const std::string& path) {
        load_plugin(path);
        if (paths != nullptr) {
            paths->push_back(path);
        }
    };
    options.add("plugin", Value("FILE", load).repeatable(), "shared object with further algorithms; repeatable");
}

void add_master_host_option(Options& options, std::string& master_host) {
    options.add("master-host,m", text(master_host, "NAME").otherwise(default_master_host),
                "host of the platform that does not compute");
}

void add_machine_options(Options& options, MetricsOptions& metrics, std::string* platform) {
    struct Names {
        std::string platform;
        std::string master_host;
    };
    const auto names = std::make_shared<Names>();
    options.add("platform,p", text(names->platform, platform_value), platform_help);
    add_master_host_option(options, names->master_host);
    options.add("processors", number(metrics.processors, "N", 1), "number of processors, instead of a platform");
    options.add_rule([&options, &metrics, platform, names] {
        if (!options.given("platform")) {
            return;
        }
        refuse_if(options.given("processors"),
                  "--processors and --platform both give the number of processors, expected one of them");
        metrics.set_machine(Machine(named_platform(names->platform, names->master_host).hosts));
        if (platform != nullptr) {
            *platform = names->platform;
        }
    });
}

void add_tau_option(Options& options, Duration& tau) {
    options.add("tau", length(tau, "SECONDS", Duration::microseconds(1)).otherwise("10"),
                "bound of the bounded slowdown");
}

void add_measure_options(Options& options, Duration& tau, Duration& short_deadline) {
    add_tau_option(options, tau);
    options.add("short-deadline", length(short_deadline, "SECONDS").otherwise("86400"),
                "a deadline is short if it is at most this long after the submission");
}

void add_threads_option(Options& options, unsigned& threads) {
    constexpr unsigned most = 1024;
    threads = std::clamp(std::thread::hardware_concurrency(), 1U, most);
    options.add("threads", number(threads, "N", 1, most),
                "number of replays at a time; by default the number of cores");
}

void add_metrics_option(Options& options, std::vector<std::string>& chosen) {
    const auto read = [&chosen](const std::string& list) { chosen = chosen_metrics(list); };
    options.add("metrics", Value("NAME,...|paper", read),
                "show only these metrics, by their names in csv and in this order; paper: mean_wait, "
                "wait_percentile_99, mean_bounded_slowdown, utilisation and makespan");
}

void add_table_format_option(Options& options, MetricsFormat& format) {
    options.add("format,f", value(format, "NAME", metrics_format).otherwise("table"),
                "table, csv, json, markdown or latex (package booktabs)");
}

void add_output_option(Options& options, std::string& output, const std::string& help) {
    options.add("output,o", text(output, "FILE").required(), help);
}

std::optional<Decimal> decimal_in(const std::string& text, const char* least, const char* most) {
    const std::optional<Decimal> number = Decimal::parse(text);
    return number && number->millionths() >= Decimal::parse(least)->millionths() &&
                   number->millionths() <= Decimal::parse(most)->millionths()
               ? number
               : std::nullopt;
}

std::optional<Decimal> factor_in(const std::string& text, const char* least, const char* most) {
    const std::optional<Decimal> factor = decimal_in(text, least, most);
    const auto [digits, exponent] = cut(text, text.find('E') == std::string::npos ? 'e' : 'E');
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t end = digits.find_last_not_of('0') + 1;
    const auto decimals = static_cast<long long>(end > point ? end - point - 1 : 0);
    const long long shift = number_in<long long>(exponent.substr(exponent.starts_with('+') ? 1 : 0)).value_or(0);
    refuse_if(factor && decimals - shift > 6, "expected at most six decimals, found '" + text + "'");
    return factor;
}

Decimal estimate_factor(const std::string& text) {
    const std::optional<Decimal> factor = factor_in(text.substr(text.find(':') + 1), "1", "1000000");
    refuse_if(!factor, "expected factor:K with K in 1..1000000, found '" + text + "'");
    return *factor;
}

std::string short_text_in(const std::string& path) {
    constexpr std::size_t max_size = std::size_t{1} << 20;
    return InputFile(path).read_all(max_size);
}

std::string metric_names_help() {
    return '\n' + list_of(ReplayMetric::known_names(), ",\n");
}

void note(const std::string& text) {
    std::cerr << "batfill: note: " << one_line(text) << '\n';
}

void require_writable_folder(const std::string& prefix) {
    const std::filesystem::path folder = std::filesystem::path(prefix).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw InputError(prefix + ": the folder " + folder.string() + " does not exist");
    }
}

std::string path_ending_in(const std::vector<std::string>& endings, const std::string& path) {
    const std::filesystem::path name = std::filesystem::path(path).filename();
    const bool gzipped = name.extension() == ".gz";
    const std::string ending = (gzipped ? name.stem() : name).extension().string() + (gzipped ? ".gz" : "");
    refuse_if(!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end(),
              "expected a name that ends in " + list_of(endings) + ", found '" + path + "'");
    require_writable_folder(path);
    return path;
}

void require_other_file(const std::string& name, const std::optional<std::string>& path, const std::string& other,
                        const std::optional<std::string>& other_path) {
    refuse_if(path && other_path && canonical_path(*path) == canonical_path(*other_path),
              "--" + name + ": expected another file than --" + other + ", found '" + path.value_or("") + "'");
}

void require_no_input(const std::string& name, const std::optional<std::string>& path,
                      const std::vector<std::string>& inputs) {
    const auto is_written = [&path](const std::string& input) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(input, ignored) && std::filesystem::equivalent(*path, input, ignored);
    };
    if (!path) {
        return;
    }
    if (const auto input = std::ranges::find_if(inputs, is_written); input != inputs.end()) {
        throw UsageError("--" + name + ": would write over the input " + *input + ", expected another name");
    }
}

}  // namespace batfill::commands
