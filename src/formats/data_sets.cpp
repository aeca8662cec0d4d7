#include <algorithm>
#include <array>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/blanks.hpp"
#include "src/support/file_kind.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/lines.hpp"
#include "src/support/numbers.hpp"

// Data sets that are no table in CSV.
namespace batfill {

namespace {

constexpr std::size_t max_file_size = std::size_t{2} << 30;
constexpr std::size_t max_line_size = std::size_t{64} << 10;

// A text of the object, "" if it is missing, null or "None".
std::string_view text_of(const JsonValue& object, const char* key) {
    const auto member = object.FindMember(key);
    if (member == object.MemberEnd() || !member->value.IsString() || view(member->value) == "None") {
        return {};
    }
    return view(member->value);
}

std::optional<Duration> instant(const JsonValue& object, const char* key, TimeZone& zone) {
    const std::string_view text = text_of(object, key);
    if (text.empty()) {
        return std::nullopt;
    }
    const std::optional<Duration> read = read_date(text, DateOrder::year_month_day, zone);
    if (!read) {
        throw InputError(std::string(key) + " is " + in_quotes(text) + ", expected a time such as 2017-10-07 01:11:39");
    }
    return read;
}

long long gpus_of(const JsonValue& attempt) {
    long long gpus = 0;
    const auto detail = attempt.FindMember("detail");
    if (detail == attempt.MemberEnd() || !detail->value.IsArray()) {
        return gpus;
    }
    for (const auto& host : detail->value.GetArray()) {
        const auto own = host.IsObject() ? host.FindMember("gpus") : host.MemberEnd();
        gpus += host.IsObject() && own != host.MemberEnd() && own->value.IsArray() ? own->value.Size() : 0;
    }
    return gpus;
}

void add_philly_job(const JsonValue& object, LogBuilder& builder, std::size_t number) {
    if (!object.IsObject()) {
        throw InputError("expected an object");
    }
    AccountedJob job;
    job.id = text_of(object, "jobid");
    job.submit = instant(object, "submitted_time", builder.zone());
    job.user = text_of(object, "user");
    job.queue = text_of(object, "vc");
    job.state = text_of(object, "status");
    const auto attempts = object.FindMember("attempts");
    if (attempts == object.MemberEnd() || !attempts->value.IsArray() || attempts->value.Empty()) {
        builder.leave_out("never started");
        return;
    }
    const auto& all = attempts->value.GetArray();
    const auto is_object = [](const JsonValue& attempt) { return attempt.IsObject(); };
    if (!std::all_of(all.begin(), all.end(), is_object)) {
        throw InputError("attempts: expected objects");
    }
    job.start = instant(all[0], "start_time", builder.zone());
    job.end = instant(all[all.Size() - 1], "end_time", builder.zone());
    if (!job.start || !job.end) {
        builder.leave_out("never started, or has not ended");
        return;
    }
    job.requested = job.allocated = gpus_of(all[0]);
    if (all.Size() > 1) {
        builder.note("several attempts: one job from the first start to the last end");
        builder.add_field("attempts", static_cast<long long>(all.Size()));
    }
    builder.add(job, number);
}

constexpr std::size_t frontier_columns = 21;
using FrontierRow = std::array<std::string_view, frontier_columns>;

FrontierRow frontier_row(std::string_view line) {
    FrontierRow row;
    const std::size_t found = split_at_blanks(line, row);
    if (found != row.size()) {
        throw InputError("expected 21 columns, found " + std::to_string(found));
    }
    return row;
}

// A column of a row, numbered from 1.
Duration seconds_in(const FrontierRow& row, std::size_t column) {
    const auto value = Duration::parse(row[column - 1]);
    if (!value) {
        throw InputError("column " + std::to_string(column) + " is " + in_quotes(row[column - 1]) +
                         ", expected a number of seconds");
    }
    return *value;
}

// Column 21: a number of nodes, or "frontier:excl:2500x112", 2,500 nodes of at least 112 processors.
long long nodes_in(const FrontierRow& row) {
    std::string_view text = row.back();
    text.remove_prefix(std::min(text.rfind(':') + 1, text.size()));
    const auto nodes = number_in<long long>(text.substr(0, text.find('x')));
    if (!nodes || *nodes > most_processors) {
        throw InputError("column 21 is " + in_quotes(row.back()) + ", expected nodes as in frontier:excl:2500x112");
    }
    return *nodes;
}

std::string_view known(std::string_view text) {
    return text == "-1" ? std::string_view() : text;
}

void add_frontier_job(std::string_view line, LogBuilder& builder, std::size_t number) {
    const FrontierRow row = frontier_row(line);
    AccountedJob job;
    job.id = row[0];
    job.submit = seconds_in(row, 2);
    job.wait = seconds_in(row, 3);
    job.run_time = seconds_in(row, 4);
    job.walltime = seconds_in(row, 9);
    job.requested = job.allocated = nodes_in(row);
    job.state = row[10] == "1" ? "completed" : row[10] == "5" ? "cancelled" : row[10] == "0" ? "failed" : "";
    job.user = known(row[11]);
    job.queue = known(row[14]);
    builder.add_field("account", known(row[12]));
    builder.add_field("gpus", known(row[18]));
    builder.add_field("soft_walltime", known(row[19]));
    builder.add(job, number);
}

}  // namespace

void read_philly(const std::string& path, const AccountingData& /*data*/, LogBuilder& builder) {
    std::size_t number = 0;
    try {
        JsonReader json;
        json.start(
            read_file(path, max_file_size, "the job log of Philly in JSON", {FileKind::json, FileKind::workload}));
        if (!json.open('[')) {
            throw InputError("expected an array of jobs");
        }
        for (; json.more(']'); ++number) {
            add_philly_job(json.value(), builder, number + 1);
        }
        json.finish();
    } catch (const InputError& error) {
        const std::string problem = error.what();
        throw InputError(problem.starts_with(path) ? problem
                                                   : path + ": job " + std::to_string(number + 1) + ": " + problem);
    }
}

void read_frontier(const std::string& path, const AccountingData& /*data*/, LogBuilder& builder) {
    for_each_line(
        path, max_line_size, [](std::string_view) {},
        [&](std::string_view line, std::size_t number) {
            const std::size_t first = line.find_first_not_of(" \t\r");
            if (first == std::string_view::npos || line[first] == ';') {
                return;
            }
            try {
                add_frontier_job(line, builder, number);
            } catch (const InputError& error) {
                throw InputError(path + ":" + std::to_string(number) + ": " + error.what());
            }
        });
}

}  // namespace batfill
