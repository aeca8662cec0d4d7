#include <algorithm>
#include <cassert>
#include <cmath>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "accounting_readers.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/numbers.hpp"

namespace batfill {

namespace {

using ReadFile = void (*)(const std::string&, const AccountingData&, LogBuilder&);

// A format, and for a data set in CSV its columns, its times and the zone of its machine.
struct KnownFormat {
    std::string name;
    ReadFile read;
    ColumnMapping mapping = {};
    TimeFormat times = TimeFormat::automatic;
    std::string time_zone = {};
    bool has_own_zero = false;  // its times count from there
};

const std::vector<KnownFormat>& formats() {
    static const std::vector<KnownFormat> known = {
        {"sacct", read_sacct},
        {"pbs", read_pbs},
        {"csv", read_table},
        {"pm100",
         read_table,
         {{"id", "job_id"},
          {"submit", "submit_time"},
          {"start", "start_time"},
          {"end", "end_time"},
          {"run-time", "run_time"},
          {"walltime-minutes", "time_limit"},
          {"processors", "num_nodes_alloc"},
          {"state", "job_state"},
          {"user", "user_id"},
          {"queue", "partition"},
          {"qos", "qos"},
          {"cores", "num_cores_alloc"},
          {"gpus", "num_gpus_alloc"},
          {"memory", "mem_alloc"}}},
        {"f-data",
         read_table,
         {{"id", "jid"},
          {"submit", "adt"},
          {"start", "sdt"},
          {"end", "edt"},
          {"run-time", "duration"},
          {"walltime", "elpl"},
          {"requested-processors", "nnumr"},
          {"allocated-processors", "nnuma"},
          {"state", "exit state"},
          {"user", "usr"},
          {"cores", "cnumr"},
          {"memory", "mszl"}},
         TimeFormat::automatic,
         "Asia/Tokyo"},
        {"frontier", read_frontier, {}, TimeFormat::automatic, {}, true},
        {"philly", read_philly, {}, TimeFormat::automatic, "America/Los_Angeles"},
        {"helios",
         read_table,
         {{"id", "job_id"},
          {"submit", "submit_time"},
          {"start", "start_time"},
          {"end", "end_time"},
          {"run-time", "duration"},
          {"wait", "queue"},
          {"processors", "gpu_num"},
          {"state", "state"},
          {"user", "user"},
          {"queue", "vc"},
          {"cores", "cpu_num"},
          {"nodes", "node_num"}},
         TimeFormat::automatic,
         "Asia/Shanghai"},
        {"kestrel",
         read_table,
         {{"id", "id"},
          {"submit", "submit_time"},
          {"start", "start_time"},
          {"end", "end_time"},
          {"run-time", "wallclock_used"},
          {"walltime", "wallclock_req"},
          {"requested-processors", "processors_req"},
          {"allocated-processors", "processors_used"},
          {"state", "state"},
          {"user", "user_hash"},
          {"queue", "partition"},
          {"account", "account_hash"},
          {"qos", "qos"},
          {"nodes", "nodes_req"},
          {"gpus", "gpus_requested"},
          {"memory", "memory_req"}}},
    };
    return known;
}

// The data with what the format says of itself, unless the user says otherwise.
AccountingData completed(const AccountingData& data, const KnownFormat& format) {
    AccountingData result = data;
    result.mapping = format.mapping;
    for (const auto& [field, column] : data.mapping) {
        const auto same = std::find_if(result.mapping.begin(), result.mapping.end(),
                                       [&field = field](const auto& entry) { return entry.first == field; });
        if (same == result.mapping.end()) {
            result.mapping.emplace_back(field, column);
        } else {
            same->second = column;
        }
    }
    result.times = data.times == TimeFormat::automatic ? format.times : data.times;
    result.time_zone = data.time_zone.empty() ? format.time_zone : data.time_zone;
    return result;
}

}  // namespace

std::vector<std::string> accounting_formats() {
    std::vector<std::string> names;
    std::transform(formats().begin(), formats().end(), std::back_inserter(names),
                   [](const KnownFormat& format) { return format.name; });
    return names;
}

std::optional<std::string_view> item_of(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const std::string_view item = list.substr(0, list.find(','));
        if (item.starts_with(name) && item.substr(name.size()).starts_with('=')) {
            return item.substr(name.size() + 1);
        }
        list.remove_prefix(std::min(item.size() + 1, list.size()));
    }
    return std::nullopt;
}

std::optional<long long> read_bytes(std::string_view text, long long unit) {
    constexpr double most = 9e18;
    constexpr std::string_view units = "kmgtp";
    if (text.ends_with('b') || text.ends_with('B')) {
        text.remove_suffix(1);
        unit = 1;
    }
    if (!text.empty()) {
        const char letter =
            text.back() >= 'A' && text.back() <= 'Z' ? static_cast<char>(text.back() - 'A' + 'a') : text.back();
        const std::size_t power = units.find(letter);
        if (power != std::string_view::npos) {
            text.remove_suffix(1);
            unit = 1LL << (10 * (power + 1));
        }
    }
    const auto number = number_in<double>(text);
    if (!number || !(*number >= 0) || *number * static_cast<double>(unit) > most) {
        return std::nullopt;
    }
    return std::llround(*number * static_cast<double>(unit));
}

SwfLog read_accounting(const AccountingData& data) {
    assert(!data.paths.empty());
    const auto format = std::find_if(formats().begin(), formats().end(),
                                     [&](const KnownFormat& known) { return known.name == data.format; });
    assert(format != formats().end());
    const AccountingData whole = completed(data, *format);
    LogBuilder builder(data.paths.size() == 1
                           ? data.paths.front()
                           : data.paths.front() + " and " + std::to_string(data.paths.size() - 1) + " more",
                       whole.time_zone);
    std::size_t lines = 0;
    for (const std::string& path : data.paths) {
        lines += estimated_lines(path);
    }
    builder.reserve(lines);
    for (const std::string& path : data.paths) {
        format->read(path, whole, builder);
    }
    return builder.finish(!format->has_own_zero);
}

}  // namespace batfill
