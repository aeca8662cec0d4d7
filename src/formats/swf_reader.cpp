#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "src/support/blanks.hpp"
#include "src/support/file_kind.hpp"
#include "src/support/lines.hpp"
#include "src/support/numbers.hpp"

namespace batfill {

namespace {

constexpr std::size_t max_jobs = 10'000'000;  // the archive's largest log has six million
constexpr std::size_t max_line_size = std::size_t{64} << 10;
constexpr std::size_t max_header_size = std::size_t{4} << 20;

constexpr std::array<const char*, 18> columns = {"job number",
                                                 "submit time",
                                                 "wait time",
                                                 "run time",
                                                 "allocated processors",
                                                 "average CPU time",
                                                 "used memory",
                                                 "requested processors",
                                                 "requested time",
                                                 "requested memory",
                                                 "status",
                                                 "user",
                                                 "group",
                                                 "executable",
                                                 "queue",
                                                 "partition",
                                                 "preceding job",
                                                 "think time"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

// The piece of the input that an error message shows: short, without bytes that would break the line.
std::string excerpt(std::string_view text) {
    constexpr std::size_t max_length = 40;
    std::string shown(text.substr(0, max_length));
    for (char& c : shown) {
        if (c < ' ' || c > '~') {
            c = '?';
        }
    }
    return "'" + shown + (text.size() > max_length ? "...'" : "'");
}

std::optional<Duration> parse_time(std::string_view text) {
    constexpr long long limit = 1'000'000'000'000'000'000;
    if (const auto whole = number_in<long long>(text)) {
        return *whole >= -limit && *whole <= limit ? std::optional(Duration::seconds(*whole)) : std::nullopt;
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
    explicit Parser(const std::string& path) { log_.path = path; }

    void add(std::string_view line) {
        ++line_;
        if (line.size() > max_line_size) {
            fail("expected a line of at most 64 KiB");
        }
        line = trimmed(line);
        if (line.empty()) {
            return;
        }
        if (line.front() == ';') {
            add_comment(line);
        } else {
            add_job(line);
        }
    }

    SwfLog finish() { return std::move(log_); }

 private:
    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(log_.path + ":" + std::to_string(line_) + ": " + problem);
    }

    void add_comment(std::string_view comment) {
        header_size_ += comment.size() + 1;
        if (header_size_ > max_header_size) {
            fail("expected at most 4 MiB of comments");
        }
        log_.header.emplace_back(comment);
    }

    void add_job(std::string_view line) {
        if (log_.jobs.size() == max_jobs) {
            fail("expected at most " + std::to_string(max_jobs) + " jobs");
        }
        split(line);
        SwfJob job;
        job.line = static_cast<std::uint32_t>(line_);
        job.number = count(1);
        job.submit = time(2);
        job.wait = time(3);
        job.run_time = time(4);
        job.allocated_processors = count(5);
        number(6);
        number(7);
        job.requested_processors = count(8);
        job.requested_time = time(9);
        number(10);
        job.status = count(11);
        job.user = count(12);
        number(13);
        number(14);
        job.queue = count(15);
        job.partition = count(16);
        number(17);
        number(18);
        if (job.number < 0) {
            fail_column(1, "a job number that is not negative");
        }
        log_.jobs.push_back(job);
    }

    void split(std::string_view line) {
        const std::size_t found = split_at_blanks(line, fields_);
        if (found != fields_.size()) {
            fail("expected 18 columns, found " + std::to_string(found));
        }
    }

    [[noreturn]] void fail_column(std::size_t column, const char* expected) const {
        fail("column " + std::to_string(column) + " (" + columns[column - 1] + "): expected " + expected + ", found " +
             excerpt(fields_[column - 1]));
    }

    long long count(std::size_t column) const {
        if (const auto value = parse_count(fields_[column - 1])) {
            return *value;
        }
        fail_column(column, "a whole number");
    }

    Duration time(std::size_t column) const {
        if (const auto value = parse_time(fields_[column - 1])) {
            return *value;
        }
        fail_column(column, "a number of seconds");
    }

    // Checks a column that is not used.
    void number(std::size_t column) const {
        const std::string_view text = fields_[column - 1];
        if (!number_in<long long>(text)) {
            const auto value = number_in<double>(text);
            if (!value || !std::isfinite(*value)) {
                fail_column(column, "a number");
            }
        }
    }

    SwfLog log_;
    std::size_t line_ = 0;
    std::size_t header_size_ = 0;
    std::array<std::string_view, 18> fields_;
};

}  // namespace

std::optional<std::string> SwfLog::field(std::string_view name) const {
    for (const std::string& comment : header) {
        std::string_view text = comment;
        text.remove_prefix(std::min(text.find_first_not_of(';'), text.size()));
        const std::size_t colon = text.find(':');
        if (colon != std::string_view::npos && trimmed(text.substr(0, colon)) == name) {
            return std::string(trimmed(text.substr(colon + 1)));
        }
    }
    return std::nullopt;
}

SwfLog parse_swf(std::string_view text, const std::string& path) {
    Parser parser(path);
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        parser.add(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    if (!text.empty()) {
        parser.add(text);
    }
    return parser.finish();
}

SwfLog read_swf(const std::string& path) {
    Parser parser(path);
    for_each_line(
        path, max_line_size,
        [&](std::string_view beginning) {
            require_kind(beginning, path, "a log in the Standard Workload Format", {FileKind::log});
        },
        [&](std::string_view line, std::size_t) { parser.add(line); });
    return parser.finish();
}

}  // namespace batfill
