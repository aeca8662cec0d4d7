#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "accounting_readers.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/numbers.hpp"
#include "src/support/split.hpp"

namespace batfill {

namespace {

using ReadFile = void (*)(const std::string&, const AccountingData&, LogBuilder&);

// A format, and for a data set in CSV its columns and the zone of its machine.
struct KnownFormat {
    const char* name;
    ReadFile read;
    const char* mapping = "";
    const char* time_zone = "";
    bool has_own_zero = false;  // its times count from there
};

constexpr std::array<KnownFormat, 9> formats = {{
    {"sacct", read_sacct},
    {"pbs", read_pbs},
    {"csv", read_table},
    {"pm100", read_table,
     "id=job_id,submit=submit_time,start=start_time,end=end_time,run-time=run_time,walltime-minutes=time_limit,"
     "processors=num_nodes_alloc,state=job_state,user=user_id,queue=partition,qos=qos,cores=num_cores_alloc,"
     "gpus=num_gpus_alloc,memory=mem_alloc"},
    {"f-data", read_table,
     "id=jid,submit=adt,start=sdt,end=edt,run-time=duration,walltime=elpl,requested-processors=nnumr,"
     "allocated-processors=nnuma,state=exit state,user=usr,cores=cnumr,memory=mszl",
     "Asia/Tokyo"},
    {"frontier", read_frontier, "", "", true},
    {"philly", read_philly, "", "America/Los_Angeles"},
    {"helios", read_table,
     "id=job_id,submit=submit_time,start=start_time,end=end_time,run-time=duration,wait=queue,processors=gpu_num,"
     "state=state,user=user,queue=vc,cores=cpu_num,nodes=node_num",
     "Asia/Shanghai"},
    {"kestrel", read_table,
     "id=id,submit=submit_time,start=start_time,end=end_time,run-time=wallclock_used,walltime=wallclock_req,"
     "requested-processors=processors_req,allocated-processors=processors_used,state=state,user=user_hash,"
     "queue=partition,account=account_hash,qos=qos,nodes=nodes_req,gpus=gpus_requested,memory=memory_req"},
}};

// How instants of a TimeFormat are read, in the order of the enumeration.
struct InstantRule {
    long long per_second;            // units of a number since 1970; 0: instants are dates
    std::optional<DateOrder> order;  // none: instants are numbers
    const char* expected;
};

constexpr std::array<InstantRule, 6> instant_rules = {{
    {1, DateOrder::year_month_day, "seconds since 1970, or a time such as 2024-03-01 12:00:00"},
    {0, DateOrder::month_day_year, "a time such as 03/31/2024 12:00:00"},
    {0, DateOrder::day_month_year, "a time such as 31/03/2024 12:00:00"},
    {1'000, std::nullopt, "a number of milliseconds since 1970"},
    {1'000'000, std::nullopt, "a number of microseconds since 1970"},
    {1'000'000'000, std::nullopt, "a number of nanoseconds since 1970"},
}};

// The data with what the format says of itself, unless the user says otherwise.
AccountingData completed(const AccountingData& data, const KnownFormat& format) {
    AccountingData result = data;
    result.mapping = parse_mapping(format.mapping);
    for (const auto& [field, column] : data.mapping) {
        const auto same = std::ranges::find(result.mapping, field, &ColumnMapping::value_type::first);
        if (same == result.mapping.end()) {
            result.mapping.emplace_back(field, column);
        } else {
            same->second = column;
        }
    }
    result.time_zone = data.time_zone.empty() ? format.time_zone : data.time_zone;
    return result;
}

}  // namespace

bool RecordField::is_missing() const {
    constexpr std::array<std::string_view, 9> words = {"",     "NaN",  "nan",     "NaT",       "None",
                                                       "none", "null", "Unknown", "1970-01-01"};
    return std::ranges::find(words, text) != words.end();
}

std::optional<Duration> RecordField::instant(TimeZone& zone, TimeFormat format) const {
    if (is_missing()) {
        return std::nullopt;
    }
    const InstantRule& rule = instant_rules.at(static_cast<std::size_t>(format));
    // Whole numbers of nanoseconds are too large for Duration::parse().
    if (const auto whole = number_in<long long>(text); whole && rule.per_second > 0) {
        return Duration::microseconds(static_cast<Microseconds>(*whole) * 1'000'000 / rule.per_second);
    }
    if (const auto date = rule.order ? read_date(text, *rule.order, zone) : std::nullopt) {
        return date;
    }
    const auto number = rule.per_second > 0 ? Duration::parse(text) : std::nullopt;
    if (!number) {
        fail(rule.expected);
    }
    return Duration::microseconds(number->count() / rule.per_second);
}

std::optional<Duration> RecordField::length() const {
    if (is_missing() || text == "UNLIMITED" || text == "INFINITE" || text == "Partition_Limit" ||
        text == "Partition_limit") {
        return std::nullopt;
    }
    const std::optional<Duration> read = read_length(text);
    if (!read) {
        fail("seconds, a length such as 1-12:00:00, or UNLIMITED");
    }
    return read;
}

// Large numbers of nodes have a unit, such as 2K. Programs that know no missing integers write 4.0 for 4.
std::optional<long long> RecordField::number() const {
    const std::optional<long long> read = read_bytes(text, 1);
    if (!read && (is_missing() || number_in<double>(text) == -1)) {
        return std::nullopt;
    }
    if (!read || *read > most_processors) {
        fail("a whole number up to " + std::to_string(most_processors));
    }
    return read;
}

void RecordField::fail(std::string_view expected) const {
    throw InputError(std::string(name) + " is " + excerpt(text) + ", expected " + std::string(expected));
}

std::vector<std::string> accounting_formats() {
    std::vector<std::string> names(formats.size());
    std::ranges::transform(formats, names.begin(), &KnownFormat::name);
    return names;
}

ColumnMapping parse_mapping(std::string_view text) {
    ColumnMapping mapping;
    while (!text.empty()) {
        const auto [entry, rest] = cut(text, ',');
        const auto [field, column] = cut(entry, '=');
        text = rest;
        if (field.empty() || column.empty()) {
            throw UsageError("expected FIELD=COLUMN, found '" + std::string(entry) + "'");
        }
        if (std::ranges::find(mapping, field, &ColumnMapping::value_type::first) != mapping.end()) {
            throw UsageError("expected one column for " + std::string(field) + ", found two");
        }
        mapping.emplace_back(field, column);
    }
    return mapping;
}

std::optional<std::string_view> item_of(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const auto [item, rest] = cut(list, ',');
        if (item.starts_with(name) && item.substr(name.size()).starts_with('=')) {
            return item.substr(name.size() + 1);
        }
        list = rest;
    }
    return std::nullopt;
}

std::optional<long long> read_bytes(std::string_view text, long long unit) {
    constexpr double most = 9e18;
    constexpr std::string_view units = "kKmMgGtTpP";
    if (text.ends_with('b') || text.ends_with('B')) {
        text.remove_suffix(1);
        unit = 1;
    }
    if (const std::size_t place = units.find(text.empty() ? ' ' : text.back()); place != std::string_view::npos) {
        text.remove_suffix(1);
        unit = 1LL << (10 * (place / 2 + 1));
    }
    const auto number = number_in<double>(text);
    const double bytes = number.value_or(-1) * static_cast<double>(unit);
    if (!(bytes >= 0 && bytes <= most) || (unit == 1 && std::trunc(bytes) != bytes)) {
        return std::nullopt;
    }
    return std::llround(bytes);
}

SwfLog read_accounting(const AccountingData& data) {
    assert(!data.paths.empty());
    const auto* const format = std::ranges::find(formats, data.format, &KnownFormat::name);
    assert(format != formats.end());
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
