#include <algorithm>
#include <array>
#include <numeric>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

// Data sets that are no table in CSV.
namespace batfill {

namespace {

constexpr std::size_t max_philly_size = std::size_t{2} << 30;
constexpr std::size_t max_frontier_line = std::size_t{64} << 10;

// A text of the object, "" if it is missing, null or "None".
RecordField field(const JsonValue& object, const char* name) {
    const std::string_view text = text_in(&object, name);
    return {name, text == "None" ? std::string_view() : text};
}

// The array of this name. Null if it is missing or something else.
const JsonValue* array_in(const JsonValue& object, const char* name) {
    const JsonValue* const member = member_of(&object, name);
    return member != nullptr && member->IsArray() ? member : nullptr;
}

// The GPUs of an attempt on each of its hosts.
std::vector<long long> gpus_of_hosts(const JsonValue& attempt) {
    std::vector<long long> gpus;
    if (const JsonValue* const hosts = array_in(attempt, "detail")) {
        for (const auto& host : hosts->GetArray()) {
            const JsonValue* const own = array_in(host, "gpus");
            gpus.push_back(own != nullptr ? own->Size() : 0);
        }
    }
    return gpus;
}

// Lets the job have hosts with so many GPUs.
void set_hosts(const std::vector<long long>& gpus_of_hosts, AccountedJob& job) {
    job.requested = job.allocated = static_cast<long long>(gpus_of_hosts.size());
    for (std::size_t host = 0; host < gpus_of_hosts.size(); ++host) {
        GpuCount gpus;
        gpus.add("gpu", gpus_of_hosts[host]);
        HostAmounts amounts(1);
        amounts.set_gpus(gpus, "attempts");
        if (host == 0) {
            job.amounts = amounts;
        } else {
            job.amounts.join(amounts);
        }
    }
}

void add_philly_job(const JsonValue& object, LogBuilder& builder, std::size_t number) {
    refuse_if<InputError>(!object.IsObject(), "expected an object");
    AccountedJob job;
    job.id = field(object, "jobid").text;
    job.submit = field(object, "submitted_time").instant(builder.zone());
    job.user = field(object, "user").text;
    job.queue = field(object, "vc").text;
    job.state = field(object, "status").text;
    const JsonValue* const attempts = array_in(object, "attempts");
    if (attempts == nullptr || attempts->Empty()) {
        builder.leave_out("never started");
        return;
    }
    const auto& all = attempts->GetArray();
    refuse_if<InputError>(!std::ranges::all_of(all, &JsonValue::IsObject), "attempts: expected objects");
    job.start = field(all[0], "start_time").instant(builder.zone());
    job.end = field(all[all.Size() - 1], "end_time").instant(builder.zone());
    if (!job.start || !job.end) {
        builder.leave_out("never started, or has not ended");
        return;
    }
    const std::vector<long long> gpus = gpus_of_hosts(all[0]);
    if (builder.fields().per_host) {
        set_hosts(gpus, job);
    } else {
        job.requested = job.allocated = std::accumulate(gpus.begin(), gpus.end(), 0LL);
    }
    if (all.Size() > 1) {
        builder.note("several attempts: one job from the first start to the last end");
        builder.add_field("attempts", static_cast<long long>(all.Size()));
    }
    builder.add(job, number);
}

void add_frontier_job(std::string_view line, LogBuilder& builder, std::size_t number) {
    std::array<std::string_view, 21> row;
    const std::size_t found = split_at_blanks(line, row);
    refuse_if<InputError>(found != row.size(), "expected 21 columns, found ", found);
    AccountedJob job;
    job.id = row[0];
    job.submit = RecordField{"column 2", row[1]}.length();
    job.wait = RecordField{"column 3", row[2]}.length();
    job.run_time = RecordField{"column 4", row[3]}.length();
    job.walltime = RecordField{"column 9", row[8]}.length();
    // A number of nodes, or "frontier:excl:2500x112", 2,500 nodes of at least 112 processors.
    const RecordField size{"column 21", row[20]};
    const auto nodes = number_in<long long>(cut(size.text.substr(size.text.rfind(':') + 1), 'x').first);
    if (!nodes || *nodes > most_processors) {
        size.fail("nodes as in frontier:excl:2500x112");
    }
    job.requested = job.allocated = *nodes;
    job.amounts.take_whole_hosts();
    job.state = row[10] == "1" ? "completed" : row[10] == "5" ? "cancelled" : row[10] == "0" ? "failed" : "";
    const auto known = [](std::string_view text) { return text == "-1" ? std::string_view() : text; };
    job.user = known(row[11]);
    job.queue = known(row[14]);
    builder.add_field("account", known(row[12]));
    builder.add_field("gpus", known(row[18]));
    builder.add_field("soft_walltime", known(row[19]));
    builder.add(job, number);
}

}  // namespace

void read_philly(const std::string& path, const AccountingData& /*data*/, LogBuilder& builder) {
    std::string text =
        read_file(path, max_philly_size, "the job log of Philly in JSON", {FileKind::json, FileKind::workload});
    std::size_t number = 1;
    try {
        JsonReader json;
        json.start(std::move(text));
        refuse_if<InputError>(!json.open('['), "expected an array of jobs");
        for (; json.more(']'); ++number) {
            const JsonValue& job = json.value();
            builder.read_row(path + ": job ", number, [&] { add_philly_job(job, builder, number); });
        }
        json.finish();
    } catch (const InputError& error) {
        throw InputError(path + ": job " + std::to_string(number) + ": " + error.what());
    }
}

void read_frontier(const std::string& path, const AccountingData& /*data*/, LogBuilder& builder) {
    const std::string place = path + ":";
    for_each_line(path, max_frontier_line, "a log of Frontier", {FileKind::log, FileKind::table, FileKind::empty},
                  [&](std::string_view line, std::size_t number) {
                      line = trimmed(line);
                      if (!line.empty() && line.front() != ';') {
                          builder.read_row(place, number, [&] { add_frontier_job(line, builder, number); });
                      }
                  });
}

}  // namespace batfill
