#include <array>
#include <cmath>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_jobs = 10'000'000;  // the archive's largest log has six million
constexpr std::size_t max_swf_line = std::size_t{64} << 10;
constexpr std::size_t max_header_size = std::size_t{4} << 20;

constexpr auto swf_columns = std::to_array<const char*>(
    {"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
     "requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue",
     "partition", "preceding job", "think time"});

std::optional<Duration> parse_time(std::string_view text) {
    if (const auto whole = number_in<long long>(text)) {
        const Duration time = Duration::seconds(*whole);
        return time <= Duration::longest_readable() && -time <= Duration::longest_readable() ? std::optional(time)
                                                                                             : std::nullopt;
    }
    return Duration::parse(text);
}

// Some converters write counts as 4.0.
std::optional<long long> parse_count(std::string_view text) {
    if (const auto whole = number_in<long long>(text)) {
        return whole;
    }
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos || text.find_first_not_of('0', point + 1) != std::string_view::npos) {
        return std::nullopt;
    }
    return number_in<long long>(text.substr(0, point));
}

// Reads a log line by line.
class Parser {
 public:
    Parser(const std::string& path, const ResourceFields& fields) {
        log_.path = path;
        log_.read_fields = fields;
        log_.conditions.resize(fields.after ? 1 : 0);
    }

    void add(std::string_view line, std::size_t number) {
        line = trimmed(line);
        if (line.starts_with(';')) {
            add_comment(line);
        } else if (!line.empty()) {
            add_job(line, number);
        }
    }

    SwfLog finish() {
        const std::optional<std::string> start = log_.field("UnixStartTime");
        const std::optional<Duration> zero = start ? Duration::parse(*start) : std::nullopt;
        if (zero > Duration()) {
            log_.origin = Origin{*zero, zone_of_header()};
        }
        return std::move(log_);
    }

 private:
    // TimeZoneString, which not every machine knows; else a zone with as many hours as TimeZone says, whose name counts
    // to the west; else UTC.
    std::string zone_of_header() const {
        std::string name = log_.field("TimeZoneString").value_or("");
        constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_+-";
        if (!name.empty() && name.find_first_not_of(letters) == std::string::npos) {
            return name;
        }
        const int offset = number_in<int>(log_.field("TimeZone").value_or("")).value_or(0);
        const int west = offset / -3600;
        const bool has_zone = offset != 0 && offset % 3600 == 0 && west >= -14 && west <= 12;
        return has_zone ? (west > 0 ? "Etc/GMT+" : "Etc/GMT") + std::to_string(west) : "";
    }

    void add_comment(std::string_view comment) {
        header_size_ += comment.size() + 1;
        refuse_if<InputError>(header_size_ > max_header_size, "expected at most 4 MiB of comments");
        log_.header.emplace_back(comment);
    }

    void add_job(std::string_view line, std::size_t line_number) {
        refuse_if<InputError>(log_.jobs.size() == max_jobs, "expected at most ", max_jobs, " jobs");
        const std::size_t found = split_at_blanks(line, fields_);
        refuse_if<InputError>(found != fields_.size(), "expected 18 columns, found ", found);
        SwfJob job;
        job.line = static_cast<std::uint32_t>(line_number);
        job.number = count(1);
        job.submit = time(2);
        job.wait = time(3);
        job.run_time = time(4);
        job.allocated_processors = count(5);
        job.requested_processors = count(8);
        job.requested_time = time(9);
        job.status = count(11);
        job.user = count(12);
        job.queue = count(15);
        job.partition = count(16);
        for (const std::size_t unused : {6U, 7U, 10U, 13U, 14U, 17U, 18U}) {
            check_number(unused);
        }
        if (job.number < 0) {
            fail(1, "a job number that is not negative");
        }
        if (log_.read_fields.memory_pool) {
            job.requested_memory = rounded_up(10);
        }
        if (!log_.conditions.empty()) {
            job.conditions = add_condition();
        }
        log_.jobs.push_back(job);
    }

    // Returns its place; 0 if no job precedes.
    std::uint32_t add_condition() {
        const long long preceding = count(17);
        const Duration think_time = time(18);
        if (preceding <= 0) {
            return 0;
        }
        log_.conditions.push_back(
            {{{Dependency::Kind::any, std::to_string(preceding), std::max(think_time, Duration())}}, {}, {}});
        return static_cast<std::uint32_t>(log_.conditions.size() - 1);
    }

    [[noreturn]] void fail(std::size_t column, const char* expected) const {
        throw InputError("column " + std::to_string(column) + " (" + swf_columns[column - 1] + "): expected " +
                         expected + ", found " + excerpt(fields_[column - 1]));
    }

    long long count(std::size_t column) const {
        if (const auto value = parse_count(fields_[column - 1])) {
            return *value;
        }
        fail(column, "a whole number");
    }

    Duration time(std::size_t column) const {
        if (const auto value = parse_time(fields_[column - 1])) {
            return *value;
        }
        fail(column, "a number of seconds");
    }

    long long rounded_up(std::size_t column) const {
        if (const auto value = parse_count(fields_[column - 1])) {
            return *value;
        }
        const double value = number_in<double>(fields_[column - 1]).value_or(0);
        if (value > 1e15) {
            fail(column, "a whole number, or one with decimals up to 1e15");
        }
        return value > 0 ? std::llround(std::ceil(value)) : -1;
    }

    void check_number(std::size_t column) const {
        const std::string_view text = fields_[column - 1];
        if (!number_in<long long>(text)) {
            const auto value = number_in<double>(text);
            if (!value || !std::isfinite(*value)) {
                fail(column, "a number");
            }
        }
    }

    SwfLog log_;
    std::size_t header_size_ = 0;
    std::array<std::string_view, 18> fields_;
};

}  // namespace

std::vector<std::string> SwfLog::fields(std::string_view name) const {
    std::vector<std::string> values;
    for (const std::string& comment : header) {
        const std::string_view text =
            std::string_view(comment).substr(std::min(comment.find_first_not_of(';'), comment.size()));
        const auto [key, value] = cut(text, ':');
        if (key.size() < text.size() && trimmed(key) == name) {
            values.emplace_back(trimmed(value));
        }
    }
    return values;
}

std::optional<std::string> SwfLog::field(std::string_view name) const {
    const std::vector<std::string> values = fields(name);
    return values.empty() ? std::nullopt : std::optional(values.front());
}

SwfLog parse_swf(std::string_view text, const std::string& path, const ResourceFields& fields) {
    Parser parser(path, fields);
    for_each_line_in(text, path, max_swf_line,
                     [&](std::string_view line, std::size_t number) { parser.add(line, number); });
    return parser.finish();
}

SwfLog read_swf(const std::string& path, const ResourceFields& fields) {
    Parser parser(path, fields);
    for_each_line(path, max_swf_line, "a log in the Standard Workload Format", {FileKind::log},
                  [&](std::string_view line, std::size_t number) { parser.add(line, number); });
    return parser.finish();
}

}  // namespace batfill
