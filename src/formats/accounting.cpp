#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <boost/locale/utf.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "accounting_readers.hpp"
#include "src/formats/job_json.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/numbers.hpp"
#include "src/support/split.hpp"
#include "tres.hpp"

namespace batfill {

namespace {

// A format, and for a data set in CSV its columns and the zone of its machine.
struct KnownFormat {
    const char* name;
    void (*read)(const std::string&, const AccountingData&, LogBuilder&);
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

// Fields of a table that say the same: the first says it instead of the second.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> alternatives = {{
    {"walltime", "walltime-minutes"},
    {"walltime-minutes", "walltime"},
    {"processors", "requested-processors"},
    {"processors", "allocated-processors"},
}};

bool maps(const ColumnMapping& mapping, std::string_view field) {
    return std::ranges::find(mapping, field, &ColumnMapping::value_type::first) != mapping.end();
}

void require_usable(const ColumnMapping& mapping) {
    const std::vector<std::string> known = table_fields();
    const auto own = std::ranges::find_if(mapping, [&](const auto& entry) {
        return is_known_field(entry.first) && std::ranges::find(known, entry.first) == known.end();
    });
    if (own != mapping.end()) {
        throw UsageError("jobs have a field " + own->first + " of their own, expected another name for column " +
                         own->second);
    }
    for (const auto& [field, other] : alternatives) {
        if (maps(mapping, field) && maps(mapping, other)) {
            throw UsageError("expected one of " + std::string(field) + " and " + std::string(other) + ", found both");
        }
    }
}

// The data with what the format says of itself, unless the user says otherwise.
AccountingData completed(const AccountingData& data, const KnownFormat& format) {
    AccountingData result = data;
    result.mapping = parse_mapping(format.mapping);
    for (const auto& [field, other] : alternatives) {
        if (maps(data.mapping, field)) {
            std::erase_if(result.mapping, [&same = other](const auto& entry) { return entry.first == same; });
        }
    }
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

// A number of microseconds, rounded half to even as in Duration::parse().
Duration quotient(Microseconds dividend, long long divisor) {
    const Microseconds whole = dividend / divisor;
    const Microseconds rest = dividend % divisor;
    const Microseconds twice = 2 * (rest < 0 ? -rest : rest);
    const bool is_away_from_zero = twice > divisor || (twice == divisor && whole % 2 != 0);
    return Duration::microseconds(whole + (!is_away_from_zero ? 0 : rest < 0 ? -1 : 1));
}

// Whether a text is a number as a person would write it, with at most 15 digits. Every reader takes such a text for the
// same number.
bool is_number(std::string_view text) {
    constexpr std::size_t most_digits = 15;
    if (text.starts_with('-')) {
        text.remove_prefix(1);
        if (text.find_first_of("123456789") == std::string_view::npos) {
            return false;
        }
    }
    const auto [whole, decimals] = cut(text, '.');
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return digits(whole) && (whole.size() == 1 || whole.front() != '0') &&
           whole.size() + decimals.size() <= most_digits && (whole.size() == text.size() || digits(decimals));
}

constexpr int not_ended = -2;
constexpr int ended_somehow = -1;
constexpr int resized = -3;  // the end of a part of the job, which went on with another size

// Words for states, in lower case, and their status in SWF. Jobs that have not ended wait or run.
struct StateWords {
    int status;
    std::array<std::string_view, 9> words;  // rest: empty
};

// "CANCELLED by 1000" is a cancelled job. None for an unknown word.
std::optional<int> status_of(std::string_view state) {
    static constexpr std::array<StateWords, 6> known = {{
        {1, {"completed", "pass"}},
        {0,
         {"failed", "timeout", "node_fail", "out_of_memory", "preempted", "deadline", "boot_fail", "launch_failed",
          "reconfig_fail"}},
        {5, {"cancelled", "killed"}},
        {ended_somehow, {"requeued", "revoked"}},
        {not_ended, {"running", "pending", "suspended", "completing", "configuring", "queued"}},
        {resized, {"resizing"}},
    }};
    std::string word;
    for (const char c : state.substr(0, state.find(' '))) {
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (word.empty()) {
        return ended_somehow;
    }
    const auto* const found = std::ranges::find_if(
        known, [&](const StateWords& group) { return std::ranges::find(group.words, word) != group.words.end(); });
    return found == known.end() ? std::nullopt : std::optional(found->status);
}

void require_possible_size(long long processors) {
    if (processors > most_processors) {
        throw InputError("expected at most " + std::to_string(most_processors) + " processors, found " +
                         std::to_string(processors));
    }
}

// Workloads name their jobs "w0!ID".
void require_usable_id(std::string_view id) {
    if (id.empty() || id.find('!') != std::string_view::npos || id.find("w0") != std::string_view::npos ||
        id.find('\0') != std::string_view::npos) {
        throw InputError("the id is " + in_quotes(id) +
                         ", expected a text without '!', 'w0' (the name of the workload) and zero bytes");
    }
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
        const Duration read = quotient(static_cast<Microseconds>(*whole) * 1'000'000, rule.per_second);
        if (read > Duration::longest_readable() || -read > Duration::longest_readable()) {
            fail(rule.expected);
        }
        return read;
    }
    if (const auto date = rule.order ? read_date(text, *rule.order, zone) : std::nullopt) {
        return date;
    }
    const auto number = rule.per_second > 0 ? Duration::parse(text) : std::nullopt;
    if (!number) {
        fail(rule.expected);
    }
    return quotient(number->count(), rule.per_second);
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
    return mapped(formats, [](const KnownFormat& format) { return std::string(format.name); });
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
        if (maps(mapping, field)) {
            throw UsageError("expected one column for " + std::string(field) + ", found two");
        }
        mapping.emplace_back(field, column);
    }
    require_usable(mapping);
    return mapping;
}

long long LogBuilder::Names::number_of(std::string text) {
    const auto [known, is_new] = numbers_.try_emplace(std::move(text), static_cast<long long>(texts_.size()));
    if (is_new) {
        texts_.add(known->first);
    }
    return known->second;
}

LogBuilder::LogBuilder(const std::string& path, const AccountingData& data) : data_(data), zone_(data.time_zone) {
    log_.path = path;
    other_fields_.number_of("");
}

void LogBuilder::begin_field(std::string_view name) {
    fields_ += fields_.empty() ? "" : ",";
    append_json_string(name, fields_);
    fields_ += ':';
}

void LogBuilder::add_field(std::string_view name, long long number) {
    begin_field(name);
    fields_ += std::to_string(number);
}

void LogBuilder::add_field(std::string_view name, std::string_view text) {
    if (text.empty()) {
        return;
    }
    begin_field(name);
    if (const auto whole = number_in<long long>(text); whole && is_number(text)) {
        fields_ += text;
    } else if (is_number(text)) {
        append_exact_json(JsonValue(number_in<double>(text).value_or(0)), fields_);
    } else {
        append_json_string(valid_text(text), fields_);
    }
}

std::optional<std::size_t> LogBuilder::add(const AccountedJob& job, std::size_t line) {
    std::string fields = std::exchange(fields_, {});
    require_usable_id(job.id);
    require_possible_size(std::max(job.requested, job.allocated));
    const std::optional<int> status = status_of(job.state);
    if (!status) {
        note("state that batfill does not know: the job counts as ended");
    } else if (*status == not_ended) {
        leave_out("has not ended yet, by its state");
        notes_.clear();
        return std::nullopt;
    }
    SwfJob added;
    added.line = static_cast<std::uint32_t>(line);
    added.number = static_cast<long long>(log_.ids.add(valid_text(job.id)));
    added.submit = job.submit.value_or(Duration::seconds(-1));
    const auto between = [](const std::optional<Duration>& from, const std::optional<Duration>& to) {
        return from && to ? std::optional(*to - *from) : std::nullopt;
    };
    added.run_time = job.run_time.value_or(between(job.start, job.end).value_or(Duration::seconds(-1)));
    added.wait = job.wait.value_or(between(job.submit, job.start).value_or(Duration::seconds(-1)));
    added.requested_time = job.walltime.value_or(Duration::seconds(-1));
    added.requested_processors = job.requested;
    added.allocated_processors = job.allocated;
    added.status = std::max(status.value_or(ended_somehow), ended_somehow);
    limit_by_queue(job, added);
    added.user = job.user.empty() ? -1 : users_.number_of(valid_text(job.user));
    added.queue = job.queue.empty() ? -1 : queues_.number_of(valid_text(job.queue));
    added.other_fields = static_cast<std::uint32_t>(other_fields_.number_of(std::move(fields)));
    for (const char* const rule : std::exchange(notes_, {})) {
        noted_[rule].push_back(static_cast<std::uint32_t>(log_.jobs.size()));
    }
    if (status == resized) {
        resized_parts_.push_back(static_cast<std::uint32_t>(log_.jobs.size()));
    }
    log_.jobs.push_back(added);
    return log_.jobs.size() - 1;
}

std::string LogBuilder::valid_text(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        return std::string(text);  // as almost all are
    }
    std::string valid;
    while (!text.empty()) {
        const char* rest = text.data();
        const auto code = boost::locale::utf::utf_traits<char>::decode(rest, text.data() + text.size());
        if (code == boost::locale::utf::illegal || code == boost::locale::utf::incomplete) {
            note(R"(text that is not UTF-8: its bytes are written as \x80 to \xFF)");
            rest = text.data() + 1;
            valid += one_line(text.substr(0, 1));
        } else {
            valid.append(text.data(), rest);
        }
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    }
    return valid;
}

void LogBuilder::join(std::size_t job, const AccountedJob& component) {
    std::string fields = std::exchange(fields_, {});
    notes_.insert("heterogeneous job: a component joined to the first one");
    SwfJob& whole = log_.jobs.at(job);
    const auto sum = [](long long total, long long more) {
        require_possible_size(more);
        const long long result = more > 0 ? std::max(total, 0LL) + more : total;
        require_possible_size(result);
        return result;
    };
    const long long requested = sum(whole.requested_processors, component.requested);
    whole.allocated_processors = sum(whole.allocated_processors, component.allocated);
    whole.requested_processors = requested;
    whole.run_time = std::max(whole.run_time, component.run_time.value_or(Duration()));
    whole.other_fields = static_cast<std::uint32_t>(other_fields_.number_of(std::move(fields)));
    for (const char* const rule : std::exchange(notes_, {})) {
        noted_[rule].push_back(static_cast<std::uint32_t>(job));
    }
}

// Jobs with equal ids, which are runs of one job, get the number of the first. Hashes are compared first, because few
// ids are equal.
void LogBuilder::number_ids() {
    std::vector<std::pair<std::size_t, std::uint32_t>> hashes;
    hashes.reserve(log_.jobs.size());
    for (std::uint32_t job = 0; job < log_.jobs.size(); ++job) {
        hashes.emplace_back(std::hash<std::string_view>()(log_.ids[job]), job);
    }
    std::ranges::sort(hashes);
    for (std::size_t i = 1; i < hashes.size(); ++i) {
        const auto [hash, job] = hashes[i];
        for (std::size_t before = i; before-- > 0 && hashes[before].first == hash;) {
            if (const std::uint32_t other = hashes[before].second; log_.ids[job] == log_.ids[other]) {
                log_.jobs[job].number = log_.jobs[other].number;
                break;
            }
        }
    }
}

void LogBuilder::count_from_midnight() {
    Duration first = Duration::infinity();
    for (const SwfJob& job : log_.jobs) {
        first = job.submit >= Duration() ? std::min(first, job.submit) : first;
    }
    if (first.is_infinite()) {
        return;
    }
    const Duration zero = zone_.midnight_before(first);
    for (SwfJob& job : log_.jobs) {
        job.submit = job.submit >= Duration() ? job.submit - zero : job.submit;
    }
    log_.zero = date_text(zero) + " UTC";
}

SwfLog LogBuilder::finish(bool from_midnight) {
    number_ids();
    join_resized_parts();
    if (from_midnight) {
        count_from_midnight();
    }
    log_.users = users_.take();
    log_.queues = queues_.take();
    log_.other_fields = other_fields_.take();
    log_.left_out = mapped(left_out_, [](const auto& rule) { return RuleCount{rule.first, rule.second}; });
    log_.noted = mapped(noted_, [](const auto& rule) { return NotedJobs{rule.first, rule.second}; });
    log_.bad_rows = mapped(bad_rows_, [](const BadRowsOfKind& kind) { return kind.rows; });
    return std::move(log_);
}

SwfLog read_accounting(const AccountingData& data) {
    assert(!data.paths.empty());
    const auto* const format = std::ranges::find(formats, data.format, &KnownFormat::name);
    assert(format != formats.end());
    const AccountingData whole = completed(data, *format);
    LogBuilder builder(data.paths.size() == 1
                           ? data.paths.front()
                           : data.paths.front() + " and " + std::to_string(data.paths.size() - 1) + " more",
                       whole);
    std::size_t lines = 0;
    for (const std::string& path : data.paths) {
        lines += estimated_lines(path);
    }
    builder.reserve(lines);
    for (const std::string& path : data.paths) {
        format->read(path, whole, builder);
    }
    SwfLog log = builder.finish(!format->has_own_zero);
    if (log.jobs.empty() && log.left_out.empty()) {
        throw InputError(log.path + ": expected jobs, found none");
    }
    return log;
}

}  // namespace batfill
